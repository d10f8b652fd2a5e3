import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadEnvironments } from '../envs/registry.ts';
import { openMachine } from './machine.node.ts';
import { pretrainModelCommand } from './pretrain-model-command.ts';
import { testFolder } from './testing/commands.ts';
import { trainCommand } from './train-command.ts';

const root = testFolder();
const out: string[] = [];
const log: string[] = [];
const machine = {
  out: (line: string) => out.push(line),
  log: (line: string) => log.push(line),
  interrupted: () => false,
  open: openMachine,
};
const processor = ['--device', 'processor', '--threads', '1'];
const tiny = [
  ...['--dialogues', '8', '--epochs', '1', '--layers', '1', '--heads', '2'],
  ...['--vocabulary', '400', ...processor],
];
const filesOf = (folder: string) =>
  readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'base64')]);

await loadEnvironments();

describe('pretrain-model', () => {
  it('writes the same folder for the same seed, and train --model plays a turn with it', async () => {
    const [first, again, other] = ['a', 'b', 'c'].map((name) => join(root, name)) as [
      string,
      string,
      string,
    ];
    expect(await pretrainModelCommand(['--out', first, ...tiny], machine)).toBe(0);
    expect(out.at(-1)).toMatch(/^wrote a model of \d+ parameters/);
    expect(await pretrainModelCommand(['--out', again, ...tiny], machine)).toBe(0);
    expect(await pretrainModelCommand(['--out', other, '--seed', '2', ...tiny], machine)).toBe(0);
    expect(filesOf(again)).toEqual(filesOf(first));
    expect(filesOf(other)).not.toEqual(filesOf(first));
    expect(readdirSync(first)).toEqual([
      ...['config.json', 'generation_config.json', 'model.safetensors'],
      ...['tokenizer.json', 'tokenizer_config.json'],
    ]);

    out.length = 0;
    const settings = {
      'env.id': 'maze/double-t-v1',
      ...{ 'rollout.tasks_per_iteration': 1, 'rollout.group_size': 2, 'horizon.turns': 1 },
      ...{ 'horizon.schedule': 'fixed', 'evaluation.interval': 0, 'evaluation.horizon': 1 },
      ...{ 'agent.max_action_tokens': 4, 'algorithm.mini_batches': 1 },
    };
    const set = Object.entries(settings).flatMap(([key, value]) => ['--set', `${key}=${value}`]);
    const run = ['--model', first, ...set, '--updates', '1', '--json', ...processor];
    expect(await trainCommand(run, machine)).toBe(0);
    const rows: Record<string, unknown>[] = out.map((line) => JSON.parse(line));
    expect(rows[0]).toMatchObject({ iteration: 1 });
    expect(rows[1]).toMatchObject({ final: true, model: { adapter: { rank: 16 } } });
  });
});
