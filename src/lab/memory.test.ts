/** The memory use of a long run is constant after warm-up. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fast, thorough } from '../../scripts/tier.mjs';
import { parseConfig } from '../config/check.ts';
import type { Device } from '../device/index.ts';
import { testDevices } from '../kernels/testing.ts';
import { createPolicy } from '../policy/policy.ts';
import { Trainer } from '../training/trainer.ts';

const WARM_UP = 100;
/**
 * Iterations, and the heap growth allowed per iteration after warm-up. The engine's own code and statistics
 * grow by 800 to 1,400 bytes an iteration before they settle; a leaked result takes 13,000.
 */
const long = { iterations: 1000, mostBytes: 2500 };
const short = { iterations: fast ? 200 : 300, mostBytes: 5000 };

const config = parseConfig({
  env: { id: 'maze/double-t-v1' },
  policy: { layers: 1, width: 8, heads: 1, kv_heads: 1, ffn_width: 8 },
  agent: { max_action_tokens: 1 },
  rollout: { tasks_per_iteration: 1, group_size: 2 },
  horizon: { schedule: 'fixed', turns: 1 },
  algorithm: { epochs: 1, mini_batches: 1 },
  evaluation: { interval: 0 },
  diagnostics: { interval: 0 },
});

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Bytes in use after a garbage collection; the timeout releases finished work first. */
async function heapBytes(): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, 20));
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

describe.each(testDevices)('on $on', ({ kinds, open }) => {
  // A software GPU takes ten times as long.
  const { iterations, mostBytes } = kinds.includes('processor') || thorough ? long : short;
  let device: Device;
  beforeAll(async () => {
    device = await open();
  });
  afterAll(() => device?.close());

  it(`keeps device memory and heap flat over ${iterations} iterations`, async () => {
    const run = await Trainer.create({
      config,
      createPolicy: (shape, capacity, seed) => createPolicy(device, shape, capacity, seed),
    });
    for (let i = 0; i < WARM_UP; i++) await run.iterate();
    const { buffers, bufferBytes, bindGroups, pipelines } = device.counters;
    const heap = await heapBytes();
    for (let i = WARM_UP; i < iterations; i++) await run.iterate();
    expect(device.counters).toMatchObject({ buffers, bufferBytes, bindGroups, pipelines });
    expect((await heapBytes()) - heap).toBeLessThan(mostBytes * (iterations - WARM_UP));
    run.destroy();
  });
});
