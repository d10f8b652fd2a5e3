import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadEnvironments } from '../envs/registry.ts';
import { readAgentTraj } from '../exchange/trajectories/agent-traj.ts';
import { evaluationSuite } from '../training/suite.ts';
import { suiteCommand } from './suite-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'palestra-suite-'));
afterAll(() => rmSync(folder, { recursive: true }));
beforeAll(() => loadEnvironments());

async function run(...args: string[]) {
  const lines: string[] = [];
  const log: string[] = [];
  const code = await suiteCommand(args, {
    out: (line) => lines.push(line),
    log: (line) => log.push(line),
  });
  return { code, lines, log };
}

it('writes the tasks and the experts’ dialogues of every environment', async () => {
  const { code, lines } = await run('--out', join(folder, 'suite'), '--dialogues', '2');
  expect(code).toBe(0);
  expect(lines).toHaveLength(evaluationSuite.environments.length + 1);
  expect(lines.at(-1)).toMatch(/^1,?817 tasks and 30 dialogues are in /);
  const read = (kind: string) =>
    readAgentTraj(readFileSync(join(folder, 'suite', kind, 'wordle-wordle-v1.json'), 'utf8'));
  expect(read('tasks')).toHaveLength(128);
  expect(read('tasks').every(({ turns }) => turns.length === 0)).toBe(true);
  expect(read('dialogues').map(({ turns }) => turns.length > 0)).toEqual([true, true]);
});

it('does not replace files without --force', async () => {
  const args = ['--out', join(folder, 'kept'), '--dialogues', '1'];
  expect((await run(...args)).code).toBe(0);
  const again = await run(...args);
  expect(again.code).toBe(2);
  expect(again.log.join()).toMatch(/exists; name another file or add --force/);
  expect((await run(...args, '--force')).code).toBe(0);
});
