import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parseConfig } from '../config/check.ts';
import type { ConfigInput } from '../config/schema.ts';
import { openNodeProcessor } from '../device/processor/node.ts';
import { processorKernels } from '../kernels/processor/index.ts';
import { createPolicy } from '../policy/policy.ts';
import type { CreatePolicy } from '../policy/types.ts';
import { decodeCheckpoint, encodeCheckpoint, keptAgent } from '../runs/checkpoint.ts';
import { evaluateAgents, evaluatedEnvironments } from '../training/evaluation.ts';
import { restoreAgent } from '../training/restore-agent.ts';
import { Trainer } from '../training/trainer.ts';
import { agentOf } from './agent.ts';
import { exportAgent, readAgentFile, zipAgent } from './agent-files.ts';

/** One key–value head for two query heads, tied embeddings (`testing/elsewhere.py`). */
const bytes = readFileSync(join(import.meta.dirname, 'testing/elsewhere/byte-level.zip'));
const agent = readAgentFile(new Uint8Array(bytes));
const settings = {
  seed: 3,
  policy: { layers: 2, width: 8, heads: 2, kv_heads: 1, ffn_width: 16, tied_embeddings: true },
  agent: { max_action_tokens: 8, context_length: 256 },
  imitation: { epochs: 1, most_tasks: 4, batch_episodes: 2 },
  rollout: { tasks_per_iteration: 2, group_size: 4 },
  horizon: { turns: 3 },
  evaluation: { interval: 0 },
} satisfies ConfigInput;
const config = parseConfig(settings);

const device = openNodeProcessor(processorKernels);
const create: CreatePolicy = (shape, capacity, seed) => createPolicy(device, shape, capacity, seed);
afterAll(() => device.close());

const begin = (input: ConfigInput = settings) =>
  Trainer.create({
    config: parseConfig(input),
    createPolicy: create,
    initial: agent,
  });

async function weightsAfter(run: Trainer) {
  const { metrics, trajectories } = await run.iterate();
  const checkpoint = await run.checkpoint();
  return { metrics, trajectories, checkpoint, kept: keptAgent(checkpoint) };
}

describe('an agent with byte-pair tokens', () => {
  it('imitates, acts, learns and resumes bit-identically', async () => {
    const run = await begin();
    expect(run.agent.tokenizer.tokens).toEqual(agent.vocabulary);
    const first = await weightsAfter(run);
    expect(first.metrics['imitation/loss']).toBeGreaterThan(0);
    expect(Number.isFinite(first.metrics['policy/loss'])).toBe(true);
    expect(first.metrics['policy/grad_norm']).toBeGreaterThan(0);
    for (const { turns } of first.trajectories) {
      for (const { observation, observationTokens, actionTokens } of turns) {
        expect(run.agent.tokenizer.decode(observationTokens)).toBe(observation);
        expect(actionTokens.length).toBeLessThanOrEqual(8);
      }
    }
    expect(first.kept.weights).not.toEqual(agent.weights);

    const kept = encodeCheckpoint(first.checkpoint);
    const uninterrupted = await weightsAfter(run);
    run.destroy();
    const resumed = await Trainer.resume(decodeCheckpoint(kept), {
      createPolicy: create,
    });
    const after = await weightsAfter(resumed);
    resumed.destroy();
    expect(after.kept.weights).toEqual(uninterrupted.kept.weights);
    expect(after.kept.bpe).toEqual(agent.bpe);

    // Exporting and importing changes nothing.
    const files = exportAgent(after.kept, { report: null, license: 'MIT' });
    const again = readAgentFile(zipAgent(files));
    expect(again).toEqual(agentOf(after.kept));

    // It is evaluated like any other agent.
    const restored = await restoreAgent(after.kept, create);
    const { report } = await evaluateAgents({
      agent: restored,
      trained: after.checkpoint,
      environments: evaluatedEnvironments(config, 'trained'),
      tasks: 2,
      samples: 1,
      seed: 1,
    });
    restored.policy.destroy();
    expect(report.environments[0]?.agentUnable).toBeNull();
  });

  it('gets a value head initialized to zero if the run needs one', async () => {
    expect(agent.weights.has('value_head')).toBe(false);
    const run = await begin({ ...settings, algorithm: { advantage: 'gae' } });
    const { weights } = keptAgent(await run.checkpoint());
    run.destroy();
    const { values = [] } = weights.get('value_head') ?? {};
    expect(values).toHaveLength(8 * 4);
    expect(values.every((value) => value === 0)).toBe(true);
    expect(weights.get('embedding')).toEqual(agent.weights.get('embedding'));
  });

  it('is rejected if a turn allows too few tokens or the network differs', async () => {
    await expect(begin({ ...settings, agent: { max_action_tokens: 1 } })).rejects.toThrow(
      /^This agent spells "move \w+" with \d tokens, and a turn may have 1\. Set agent\.max_action_tokens to at least \d\.$/,
    );
    await expect(begin({ ...settings, policy: { ...settings.policy, layers: 1 } })).rejects.toThrow(
      'policy.layers is 2 in the agent, 1 in the run',
    );
  });
});
