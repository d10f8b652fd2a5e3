import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../config/check.ts';
import { loadEnvironments } from '../envs/registry.ts';
import { Trainer } from '../training/trainer.ts';
import { openMachine } from './machine.node.ts';
import { pretrainModelCommand } from './pretrain-model-command.ts';
import { pretrainedStart, pretrainModel } from './pretraining.ts';
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

describe('the start of a run on a new model', () => {
  it('plays the same episodes with an adapter as with all weights, and trains both', async () => {
    const { createPolicy, close } = await openMachine({ device: 'processor', threads: 1 });
    const plan = { seed: 1, dialogues: 8, epochs: 1, vocabulary: 400, layers: 1, heads: 2 };
    const host = { createPolicy, log: () => {}, onProgress: () => {} };
    const { files } = await pretrainModel(plan, host);
    const given = parseConfig({
      env: { id: 'maze/double-t-v1' },
      agent: { format: 'react', max_action_tokens: 4 },
      rollout: { tasks_per_iteration: 1, group_size: 2 },
      horizon: { schedule: 'fixed', turns: 1 },
      evaluation: { horizon: 1 },
      algorithm: { advantage: 'reinforce', mini_batches: 1, entropy_coef: 0.1 },
    });
    const played = [];
    for (const rank of [4, 'all'] as const) {
      const { config, model } = await pretrainedStart(files, rank, given);
      expect(config.agent.context_length).toBeGreaterThan(given.agent.context_length);
      const run = await Trainer.create({ config, model, createPolicy });
      const { adapter } = run.agent.policy.shape;
      const { trajectories } = await run.evaluate();
      const { metrics } = await run.iterate();
      played.push({ adapter, trajectories, norm: metrics['policy/grad_norm'] ?? 0 });
      run.destroy();
    }
    close();
    const [adapted, whole] = played;
    expect(whole?.trajectories).toHaveLength(25);
    const turns = (one: typeof adapted) => one?.trajectories.map(({ turns }) => turns);
    expect(turns(adapted)).toEqual(turns(whole));
    expect([adapted?.adapter?.rank, whole?.adapter]).toEqual([4, undefined]);
    expect(adapted?.norm).toBeGreaterThan(0);
    expect(whole?.norm).toBeGreaterThan(0);
  }, 600_000);
});
