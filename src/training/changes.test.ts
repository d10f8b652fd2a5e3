import { describe, expect, it } from 'vitest';
import { TabularPolicy } from '../agents/testing/tabular-policy.ts';
import type { LiveValues } from '../config/changes.ts';
import { ConfigError } from '../config/error.ts';
import { getConfigValue } from '../config/fields.ts';
import type { ConfigInput } from '../config/schema.ts';
import type { CreatePolicy } from '../policy/types.ts';
import { type Checkpoint, decodeCheckpoint, encodeCheckpoint } from '../runs/checkpoint.ts';
import { corridorRun, iterate, quietCorridor, timeless } from './testing/corridor-run.ts';
import type { IterationResult } from './trainer.ts';
import { Trainer } from './trainer.ts';

const tabular: CreatePolicy = async (shape, capacity) => new TabularPolicy(shape, capacity);
const given = { createPolicy: tabular, environment: quietCorridor };

/** All results of an iteration except its trace and wall-clock times. */
const withoutTrace = ({ trace: _, ...result }: IterationResult) => ({
  ...result,
  metrics: timeless(result.metrics),
});

/** The run's current state, read back from its checkpoint file. */
async function kept(run: Trainer): Promise<Checkpoint> {
  const checkpoint = decodeCheckpoint(encodeCheckpoint(await run.checkpoint()));
  return { ...checkpoint, trainer: { ...Object(checkpoint.trainer), seconds: 0 } };
}

/** Changed settings, each with a base config in which the change takes effect. */
const cases: readonly (readonly [string, LiveValues, ConfigInput])[] = [
  ['learning rate', { 'optimizer.learning_rate': 0.2 }, {}],
  ['clip bounds', { 'algorithm.clip_low': 0.999, 'algorithm.clip_high': 1.001 }, {}],
  ["BAPO's bounds", { 'bapo.target': 0.9 }, { algorithm: { objective: 'bapo', mini_batches: 2 } }],
  ['entropy bonus', { 'algorithm.entropy_coef': 0.2 }, {}],
  ['horizon', { 'horizon.turns': 20 }, { horizon: { schedule: 'fixed', turns: 4 } }],
  [
    'horizon in place of a schedule',
    { 'horizon.schedule': 'fixed', 'horizon.turns': 9 },
    { horizon: { schedule: 'scaling_inter', rounds: [3, 4], interval: 1 } },
  ],
  ['a KL penalty that begins', { 'algorithm.kl_coef': 0.3 }, {}],
  ['a KL penalty that ends', { 'algorithm.kl_coef': 0 }, { algorithm: { kl_coef: 0.3 } }],
  [
    'temperature with replay',
    { 'agent.temperature': 0.5 },
    { replay: { share: 0.5, capacity: 2 }, algorithm: { ratio_to: 'proximal' } },
  ],
];

describe('a run whose settings change during training', () => {
  it.each(cases)(
    'applies a change from the next iteration on, not before: %s',
    async (_, values, over) => {
      const base: ConfigInput = { rollout: { tasks_per_iteration: 2, group_size: 4 }, ...over };
      const { run: plain } = await corridorRun(base);
      const unchanged = (await iterate(plain, 3)).map(withoutTrace);

      const { run } = await corridorRun(base);
      const before = (await iterate(run, 2)).map(withoutTrace);
      const { settings } = run;
      run.change(values);
      expect(run.settings).toBe(settings);
      const after = (await iterate(run, 2)).map(withoutTrace);

      expect(before).toEqual(unchanged.slice(0, 2));
      expect(after[0]).not.toEqual(unchanged[2]);
      for (const [path, value] of Object.entries(values)) {
        expect(getConfigValue(run.settings, path)).toBe(value);
      }

      // Replay the run from its config alone, and resume it from each checkpoint.
      const again = await Trainer.create({ ...given, config: run.config });
      const replayed: object[] = [];
      const checkpoints: Checkpoint[] = [];
      for (let i = 1; i <= 4; i++) {
        replayed.push(withoutTrace(await again.iterate()));
        checkpoints.push(await kept(again));
      }
      const last = await kept(run);
      expect(replayed).toEqual([...before, ...after]);
      expect(checkpoints[3]).toEqual(last);
      for (const [i, checkpoint] of checkpoints.slice(1, 3).entries()) {
        const resumed = await Trainer.resume(checkpoint, given);
        expect((await iterate(resumed, 2 - i)).map(withoutTrace)).toEqual(replayed.slice(2 + i));
        expect(await kept(resumed)).toEqual(last);
      }
    },
  );

  it('equals a run resumed with the new settings from a checkpoint before the change', async () => {
    const { run } = await corridorRun();
    await iterate(run, 2);
    const checkpoint = await kept(run);
    run.change({ 'optimizer.learning_rate': 0.2 });
    const optimizer = { ...run.config.optimizer, learning_rate: 0.2 };
    const other = await Trainer.resume(checkpoint, {
      ...given,
      config: { ...checkpoint.config, optimizer },
    });
    expect((await iterate(run, 2)).map(withoutTrace)).toEqual(
      (await iterate(other, 2)).map(withoutTrace),
    );
  });

  it('rejects a value that is not allowed and continues unchanged', async () => {
    const { run } = await corridorRun();
    const { config } = run;
    expect(() => run.change({ 'agent.temperature': 0 })).toThrow(ConfigError);
    expect(run.config).toBe(config);
  });
});
