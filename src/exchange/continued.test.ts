import { afterAll, describe, expect, it } from 'vitest';
import type { InitialAgent } from '../agents/start.ts';
import { parseConfig } from '../config/check.ts';
import { openNodeProcessor } from '../device/processor/node.ts';
import { processorKernels } from '../kernels/processor/index.ts';
import { createPolicy } from '../policy/policy.ts';
import { decodeCheckpoint, encodeCheckpoint, keptAgent } from '../runs/checkpoint.ts';
import { Trainer } from '../training/trainer.ts';
import { agentOf } from './agent.ts';
import { exportAgent, readAgentFile, zipAgent } from './agent-files.ts';

const config = parseConfig({
  seed: 3,
  policy: { layers: 1, width: 16, heads: 2, kv_heads: 1, ffn_width: 16 },
  rollout: { tasks_per_iteration: 2, group_size: 4 },
  horizon: { turns: 4 },
  evaluation: { interval: 0 },
});
const options = { report: null, license: 'MIT' };

const device = openNodeProcessor(processorKernels);
afterAll(() => device.close());

/** The agent's files and the metrics of two iterations. */
async function trained(initial?: InitialAgent) {
  const run = await Trainer.create({
    config,
    createPolicy: (shape, capacity, seed) => createPolicy(device, shape, capacity, seed),
    ...(initial === undefined ? {} : { initial }),
  });
  const rows = [];
  for (let i = 0; i < 2; i++) {
    const { metrics } = await run.iterate();
    rows.push(Object.entries(metrics).filter(([key]) => !key.startsWith('time/')));
  }
  const checkpoint = await run.checkpoint();
  run.destroy();
  return { checkpoint, rows, files: exportAgent(keptAgent(checkpoint), options) };
}

describe('training from an agent’s file', () => {
  it('equals training from the checkpoint bit for bit in every format', async () => {
    const before = await trained();
    const zip = zipAgent(before.files);
    const onnx = before.files.get('model_with_cache.onnx') ?? new Uint8Array();
    const saved = decodeCheckpoint(encodeCheckpoint(before.checkpoint));
    const plain = await trained(agentOf(keptAgent(saved)));
    expect(plain.files.get('model.safetensors')).not.toEqual(before.files.get('model.safetensors'));
    for (const agent of [readAgentFile(zip), readAgentFile(onnx)]) {
      const continued = await trained(agent);
      expect(continued.rows).toEqual(plain.rows);
      expect(continued.files).toEqual(plain.files);
    }
  });
});
