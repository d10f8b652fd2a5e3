import { env, InferenceSession, Tensor } from 'onnxruntime-web';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { environmentFamilies, environmentFor } from '../envs/registry.ts';
import type { Environment } from '../envs/types.ts';
import type { Gpu } from '../gpu/index.ts';
import { openNodeGpu } from '../gpu/node.ts';
import { TestRandom } from '../kernels/reference/random.ts';
import { createPolicy } from '../policy/policy.ts';
import type { TokenPolicy } from '../policy/types.ts';
import { policyCapacity, policyShape } from '../training/capacity.ts';
import { OnnxPlayer, type OnnxRuntime } from './player.ts';
import { randomCheckpoint } from './testing/agents.ts';

env.logLevel = 'error';
const runtime: OnnxRuntime = { InferenceSession, Tensor, provider: 'wasm' };

let gpu: Gpu;
beforeAll(async () => {
  gpu = await openNodeGpu();
});
afterAll(() => gpu.close());

/**
 * Dialogues of each environment: those of a quick test, or as many as asked for:
 * PALESTRA_DIALOGUES=1000 npx vitest run src/exchange/player
 */
const DIALOGUES = Number(process.env.PALESTRA_DIALOGUES ?? 12);

/** What the trainer's policy gives the first token after each context, on the GPU. */
async function trainerProbabilities(
  policy: TokenPolicy,
  contexts: readonly (readonly number[])[],
): Promise<Float32Array[]> {
  const found: Float32Array[] = [];
  for (const context of contexts) {
    const [logps = new Float32Array()] = await policy.distributions(
      [
        {
          tokens: Uint32Array.from(context),
          sequenceStarts: Uint32Array.of(0, context.length),
          rows: Uint32Array.of(context.length - 1),
          targets: Uint32Array.of(0),
          behaviourLogps: Float32Array.of(0),
          advantages: Float32Array.of(0),
          weights: Float32Array.of(1),
        },
      ],
      1,
    );
    found.push(logps.map(Math.exp));
  }
  return found;
}

/** Contexts of dialogues in which now the expert acts, now chance. */
function contextsOf(player: OnnxPlayer, environment: Environment, count: number): number[][] {
  const random = new TestRandom(4);
  const contexts: number[][] = [];
  const tasks = [...environment.trainTasks, ...environment.evalTasks];
  while (contexts.length < count) {
    let { state, observation } = environment.reset(tasks[random.whole(tasks.length)] ?? '');
    const turns: { observationTokens: number[]; actionTokens: number[] }[] = [];
    let context = player.context(turns, observation);
    for (let turn = random.whole(6); turn > 0; turn--) {
      const actions = environment.admissibleActions(state);
      const action =
        random.unit() < 0.5
          ? environment.expert(state).action
          : (actions[random.whole(actions.length)] ?? '');
      turns.push({
        observationTokens: player.tokenizer.encode(observation),
        actionTokens: player.spell(action),
      });
      const after = environment.step(state, action);
      if (after.terminated) break;
      ({ state, observation } = after);
      context = player.context(turns, observation);
    }
    contexts.push(context);
  }
  return contexts;
}

describe('the exported agent', () => {
  it.each(environmentFamilies.map(({ id }) => id))(
    'gives the trainer’s probabilities in dialogues of %s',
    async (id) => {
      const checkpoint = randomCheckpoint(
        {
          env: { id: id as 'maze/double-t-v1' },
          agent: { history_window: 0, context_length: 1024, max_action_tokens: 16 },
          policy: { layers: 2, width: 32, heads: 4, kv_heads: 2, ffn_width: 48 },
          algorithm: { micro_batch_tokens: 1024 },
          rollout: { tasks_per_iteration: 1, group_size: 2 },
        },
        6,
      );
      const { config, vocabulary, weights } = checkpoint;
      const environment = environmentFor(config.env);
      const shape = policyShape(config, vocabulary.length);
      const capacity = { ...policyCapacity(config, shape, 1), updateRows: 64, rows: 64 };
      const policy = await createPolicy(gpu, shape, capacity, 0);
      policy.writeWeights(weights);
      const player = await OnnxPlayer.create(checkpoint, runtime);
      const contexts = contextsOf(player, environment, DIALOGUES);
      const wanted = await trainerProbabilities(policy, contexts);
      policy.destroy();
      let worst = 0;
      for (const [i, context] of contexts.entries()) {
        const found = await player.probabilities(context);
        for (const [token, p] of found.entries()) {
          worst = Math.max(worst, Math.abs(p - (wanted[i]?.[token] ?? NaN)));
        }
      }
      await player.release();
      if (DIALOGUES >= 100) console.log(`${id}: ${DIALOGUES} dialogues, worst ${worst}`);
      expect(worst).toBeLessThan(1e-4);
    },
    600_000,
  );

  it('weighs actions of several tokens as it writes them', async () => {
    const checkpoint = randomCheckpoint(
      {
        env: { id: 'textcraft/textcraft-v1' },
        agent: { max_action_tokens: 8, context_length: 256 },
        policy: { layers: 1, width: 16, heads: 2, kv_heads: 1, ffn_width: 16 },
      },
      2,
    );
    const player = await OnnxPlayer.create(checkpoint, runtime);
    const environment = environmentFor(checkpoint.config.env);
    const { state, observation } = environment.reset(environment.trainTasks[0] ?? '');
    const context = player.context([], observation);
    const random = new TestRandom(3);
    const written = await player.write(context, 1, () => random.unit());
    expect(written.tokens.length).toBeGreaterThan(1);
    const product = written.tokens.reduce((p, { probability }) => p * probability, 1);
    const actions = [written.action, 'no such thing', ...environment.admissibleActions(state)];
    const { actions: odds, next } = await player.prospect(context, actions, 5);
    expect(odds[0]?.probability).toBeCloseTo(product, 6);
    expect(odds[1]?.probability).toBe(0);
    expect(odds).toHaveLength(actions.length);
    expect(next.map(({ probability }) => probability)).toEqual(
      next.map(({ probability }) => probability).toSorted((a, b) => b - a),
    );
    const greedy = await player.write(context, 0);
    expect(greedy.tokens[0]?.text).toBe(next[0]?.text);
    await player.release();
  });
});
