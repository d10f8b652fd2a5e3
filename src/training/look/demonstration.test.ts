import { afterAll, describe, expect, it } from 'vitest';
import { parseConfig } from '../../config/check.ts';
import { openNodeProcessor } from '../../device/processor/node.ts';
import { processorKernels } from '../../kernels/processor/index.ts';
import { createPolicy } from '../../policy/policy.ts';
import type { DemonstrationReading } from '../../runs/policy-reading.ts';
import { timeless } from '../testing/corridor-run.ts';
import { Trainer } from '../trainer.ts';
import { readDemonstration } from './demonstration.ts';

describe('readDemonstration', () => {
  const device = openNodeProcessor(processorKernels);
  afterAll(() => device.close());
  const config = parseConfig({
    policy: { layers: 1, width: 16, ffn_width: 32, heads: 2, kv_heads: 1 },
    imitation: { epochs: 20, batch_episodes: 4, learning_rate: 0.01 },
    evaluation: { interval: 0 },
    rollout: { tasks_per_iteration: 2, group_size: 2 },
    stopping: { iterations: 1 },
  });
  const task = 'maze_1';

  /** The first iteration; `during` is called between the updates of imitation. */
  async function trained(during: (run: Trainer) => void) {
    const run = await Trainer.create({
      config,
      createPolicy: (shape, capacity, seed) => createPolicy(device, shape, capacity, seed),
    });
    const { metrics } = await run.iterate((phase) => {
      if (phase === 'imitate') during(run);
    });
    const { agent, environment } = run;
    const weights = [...(await agent.policy.readWeights())];
    const reading = await readDemonstration(agent, environment, task);
    run.destroy();
    return { metrics: timeless(metrics), weights, reading };
  }
  const tokensOf = ({ turns }: DemonstrationReading) => turns.flat();
  const logLoss = (reading: DemonstrationReading) => {
    const tokens = tokensOf(reading);
    return -tokens.reduce((sum, token) => sum + Math.log(token.probability), 0) / tokens.length;
  };
  const accuracy = (reading: DemonstrationReading) =>
    tokensOf(reading).filter(({ first }) => first).length / tokensOf(reading).length;

  it('follows the progress of imitation without changing its result', async () => {
    const asked: Promise<DemonstrationReading>[] = [];
    const watched = await trained(({ agent, environment }) => {
      asked.push(readDemonstration(agent, environment, task));
    });
    const readings = await Promise.all(asked);
    const unwatched = await trained(() => {});
    expect(watched).toEqual(unwatched);

    const [start, end] = [readings[0], readings.at(-1)];
    if (start === undefined || end === undefined) throw new Error('nothing was read');
    expect(tokensOf(start).map(({ text }) => text)).toEqual(tokensOf(end).map(({ text }) => text));
    expect(tokensOf(start).every(({ probability }) => probability > 0 && probability < 1)).toBe(
      true,
    );
    expect(logLoss(start)).toBeGreaterThan(3);
    expect(logLoss(end)).toBeLessThan(logLoss(start) / 3);
    expect(accuracy(end)).toBeGreaterThan(accuracy(start));
  });

  it('rejects a task that the environment does not have', async () => {
    const run = await Trainer.create({
      config,
      createPolicy: (shape, capacity, seed) => createPolicy(device, shape, capacity, seed),
    });
    await expect(readDemonstration(run.agent, run.environment, 'maze_x')).rejects.toThrow('maze_x');
    run.destroy();
  });
});
