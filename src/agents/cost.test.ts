import { describe, expect, it } from 'vitest';
import { parseConfig } from '../config/check.ts';
import { presetConfig, presets } from '../config/presets.ts';
import { openNodeProcessor } from '../device/processor/node.ts';
import { processorKernels } from '../kernels/processor/index.ts';
import { createPolicy } from '../policy/policy.ts';
import { policySize } from '../policy/size.ts';
import { policyCapacity } from './capacity.ts';
import { askAbove, isLarge, runCost } from './cost.ts';
import { policyShape } from './shape.ts';

describe('the cost estimate of a run', () => {
  it('is far below the confirmation threshold for every preset', () => {
    for (const { name } of presets) {
      const cost = runCost(presetConfig(name));
      expect(isLarge(cost), name).toBe(false);
      // Far enough that three times the episodes would not need confirmation either.
      expect(cost.operations, name).toBeLessThan(askAbove.operations / 4);
      expect(cost.bytes, name).toBeLessThan(askAbove.bytes / 3);
    }
  });

  it('counts a separate sampler as a second policy', () => {
    const { bytes } = runCost(parseConfig({}));
    expect(runCost(parseConfig({ sampler: { precision: 'int8' } })).bytes).toBe(2 * bytes);
    expect(runCost(parseConfig({ sampler: { lag: 1 } })).bytes).toBe(2 * bytes);
  });

  it('requires confirmation for a large network, much memory, or much work', () => {
    const large = runCost(
      parseConfig({
        policy: { layers: 16, width: 1024, heads: 16, kv_heads: 16, ffn_width: 4096 },
      }),
    );
    expect(large.parameters).toBeGreaterThan(268e6);
    expect(large.bytes).toBeGreaterThan(4 * 4 * large.parameters);
    expect(isLarge(large)).toBe(true);
    const wide = runCost(parseConfig({ algorithm: { micro_batch_tokens: 1_048_576 } }));
    expect(wide.parameters).toBeLessThan(100_000);
    expect(isLarge(wide)).toBe(true);
    const long = runCost(
      parseConfig({
        agent: { context_length: 1024 },
        rollout: { tasks_per_iteration: 1024, group_size: 256 },
        horizon: { turns: 1000 },
      }),
    );
    expect(long.bytes).toBeLessThan(2 ** 30);
    expect(isLarge(long)).toBe(true);
  });

  it('predicts a policy’s memory to the byte', async () => {
    const device = openNodeProcessor(processorKernels);
    for (const name of ['maze', 'maze-generated']) {
      const config = presetConfig(name);
      const shape = policyShape(config, 50);
      const capacity = policyCapacity(config, shape, 50);
      const before = device.counters.bufferBytes;
      const policy = await createPolicy(device, shape, capacity, 1);
      const counted = () => device.counters.bufferBytes - before;
      expect(policySize(shape, capacity, false, 'processor').bytes).toBe(counted());
      policy.keepReference();
      expect(policySize(shape, capacity, true, 'processor').bytes).toBe(counted());
      // On a GPU, partial gradients take memory too.
      expect(policySize(shape, capacity, true).bytes).toBeGreaterThan(counted());
      policy.destroy();
    }
    device.close();
  });
});
