/** The CPU device yields to the event loop while it computes. */
import { expect, it } from 'vitest';
import { parseConfig } from '../config/check.ts';
import { openNodeDevice } from '../kernels/open-device.node.ts';
import { createPolicy } from '../policy/policy.ts';
import { Trainer } from '../training/trainer.ts';

it('the CPU device yields between queued updates and between turns', async () => {
  const { device } = await openNodeDevice('processor', 1);
  const config = parseConfig({
    env: { id: 'maze/double-t-v1' },
    // Large enough that one update takes longer than the yield interval.
    policy: { layers: 2, width: 128, heads: 4, kv_heads: 4, ffn_width: 512 },
    rollout: { tasks_per_iteration: 8, group_size: 8 },
    horizon: { schedule: 'fixed', turns: 6 },
    algorithm: { epochs: 2, mini_batches: 4 },
    evaluation: { interval: 0 },
    diagnostics: { interval: 0 },
  });
  const run = await Trainer.create({
    config,
    createPolicy: (shape, capacity, seed) => createPolicy(device, shape, capacity, seed),
  });
  let turns = 0;
  let counting = true;
  const count = () => {
    turns += 1;
    if (counting) setImmediate(count);
  };
  setImmediate(count);
  const seen: Record<string, Set<number>> = {};
  await run.iterate((phase) => {
    seen[phase] ??= new Set();
    seen[phase].add(turns);
  });
  counting = false;
  expect(seen.update?.size).toBeGreaterThanOrEqual(8);
  expect(seen.rollout?.size).toBeGreaterThanOrEqual(4);
  run.destroy();
  device.close();
});
