import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadEnvironments } from '../envs/registry.ts';
import { critiqueDataCommand } from './critique-data-command.ts';
import { tableMachine, testFolder } from './testing/commands.ts';

await loadEnvironments(['reasoning/chain-v1']);
const folder = testFolder();

async function run(...args: readonly string[]) {
  const log: string[] = [];
  const code = await critiqueDataCommand(args, {
    out: () => {},
    log: (line) => log.push(line),
    open: async () => tableMachine,
  });
  return { code, log: log.join('\n') };
}

const small = [
  ...['--set', 'imitation.epochs=0', '--set', 'critique.refinements=0'],
  ...['--set', 'env.options.steps=3', '--set', 'critique.sources=inserted'],
];

describe('critique-data', () => {
  it('writes one line per item, gives identical files for equal seeds, and reports counts', async () => {
    const [first, again] = [join(folder, 'a.jsonl'), join(folder, 'b.jsonl')];
    const made = await run('--count', '20', '--seed', '3', '--out', first, ...small);
    expect(made.log).toContain('20 of 20 critiques from ');
    expect(made.log).toContain('by source: inserted 20');
    expect(made.code).toBe(0);
    await run('--count', '20', '--seed', '3', '--out', again, ...small);
    const text = readFileSync(first, 'utf8');
    expect(readFileSync(again, 'utf8')).toBe(text);
    const items = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(items).toHaveLength(20);
    expect(Object.keys(items[0])).toEqual([
      ...['task', 'level', 'question', 'answer', 'right', 'step', 'fault', 'source', 'from'],
      ...['critique', 'true', 'filter'],
    ]);
    const taken = await run('--count', '1', '--out', first, ...small);
    expect([taken.code, readFileSync(first, 'utf8')]).toEqual([2, text]);
  });

  it.each([
    [['--out', 'x'], /--count N/],
    [['--count', '1'], /--out FILE/],
    [['--count', '1', '--out', 'x', '--preset', 'maze'], /recipe critique or self_improvement/],
    [['--count', '1', '--out', 'x', '--preset', 'nobody'], /no preset is called "nobody"/],
  ])('rejects %j', async (args, problem) => {
    const { code, log } = await run(...args);
    expect(code).toBe(2);
    expect(log).toMatch(problem);
  });
});
