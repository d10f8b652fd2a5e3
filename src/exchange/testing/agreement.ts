/** Compares the outputs of an exported agent and the trainer's policy, dialogue by dialogue. */

import { policyCapacity } from '../../agents/capacity.ts';
import { policyShape } from '../../agents/shape.ts';
import type { ConfigInput } from '../../config/schema.ts';
import type { Device } from '../../device/index.ts';
import { environmentFor } from '../../envs/registry.ts';
import type { Environment } from '../../envs/types.ts';
import { TestRandom } from '../../kernels/reference/random.ts';
import { createPolicy } from '../../policy/policy.ts';
import type { TokenPolicy } from '../../policy/types.ts';
import type { KeptAgent } from '../../runs/checkpoint.ts';
import { exportOnnx } from '../onnx.ts';
import { OnnxPlayer, type OnnxRuntime } from '../player.ts';
import { randomAgent } from './agents.ts';

/** The largest differences in any token's probability. */
export interface Agreement {
  readonly dialogues: number;
  /** Number of tokens in all dialogues. */
  readonly tokens: number;
  /** Mean probability of the most probable token: if it is near 1/vocabulary, any two agents agree. */
  readonly sure: number;
  /** Between the trainer and the graph that processes the whole dialogue at once. */
  readonly plain: number;
  /** Between the trainer and the graph with a cache, which processes the dialogue in two parts. */
  readonly cached: number;
  /** Between the two graphs. */
  readonly between: number;
  /** Between the trainer and play mode's player, over some of the dialogues. */
  readonly player: number;
}

/** Number of dialogues per graph call. */
const ROWS = 16;

type EnvironmentId = NonNullable<NonNullable<ConfigInput['env']>['id']>;

/**
 * Compares the next-token predictions of trainer and graphs. An agent with random weights and
 * grouped-query attention reads whole dialogues of an environment, with a mixture of expert and random
 * actions.
 *
 * @param device on which the trainer runs
 * @param runtime that runs the exported graphs
 */
export async function agreement(
  device: Device,
  runtime: OnnxRuntime,
  id: EnvironmentId,
  dialogues: number,
): Promise<Agreement> {
  const checkpoint = randomAgent(
    {
      env: { id },
      agent: { history_window: 0, context_length: 1024, max_action_tokens: 16 },
      policy: { layers: 2, width: 32, heads: 4, kv_heads: 2, ffn_width: 48 },
      algorithm: { micro_batch_tokens: 1024 },
      rollout: { tasks_per_iteration: 1, group_size: 2 },
    },
    6,
  );
  sharpen(checkpoint);
  const { config, vocabulary, weights } = checkpoint;
  const shape = policyShape(config, vocabulary.length);
  const capacity = { ...policyCapacity(config, shape, 1), updateRows: 64, rows: 64 };
  const policy = await createPolicy(device, shape, capacity, 0);
  policy.writeWeights(weights);
  const player = await OnnxPlayer.create(checkpoint, runtime);
  const plain = await GraphReader.create(checkpoint, runtime, false);
  const cached = await GraphReader.create(checkpoint, runtime, true);
  const contexts = contextsOf(player, environmentFor(config.env), dialogues)
    // Sorted by length, to reduce padding.
    .toSorted((a, b) => a.length - b.length);
  const random = new TestRandom(9);
  let sure = 0;
  const most = { plain: 0, cached: 0, between: 0, player: 0 };
  for (let from = 0; from < contexts.length; from += ROWS) {
    const rows = contexts.slice(from, from + ROWS);
    const length = rows.at(-1)?.length ?? 0;
    const atOnce = await plain.probabilities(rows, [length]);
    const inParts = await cached.probabilities(rows, [1 + random.whole(length - 1), length]);
    for (const [r, context] of rows.entries()) {
      const wanted = await trainerProbabilities(policy, context);
      sure += Math.max(...wanted) / contexts.length;
      const [whole, parts] = [atOnce[r] ?? [], inParts[r] ?? []];
      most.plain = Math.max(most.plain, worst(whole, wanted));
      most.cached = Math.max(most.cached, worst(parts, wanted));
      most.between = Math.max(most.between, worst(parts, whole));
      if (r === 0) {
        most.player = Math.max(most.player, worst(await player.probabilities(context), wanted));
      }
    }
  }
  await player.release();
  await plain.release();
  await cached.release();
  policy.destroy();
  const tokens = contexts.reduce((sum, context) => sum + context.length, 0);
  return { dialogues, tokens, sure, ...most };
}

/** Scales the logits of an agent with random weights, so that it is as confident as a trained one. */
function sharpen({ weights }: KeptAgent): void {
  const head = weights.get('head');
  if (head === undefined)
    throw new RangeError('the policy’s output head is tied to the embeddings');
  for (const [i, x] of head.values.entries()) head.values[i] = 20 * x;
}

/** The largest difference; NaN if either contains one, or if their lengths differ. */
function worst(a: ArrayLike<number>, b: ArrayLike<number>): number {
  if (a.length !== b.length) return Number.NaN;
  let most = 0;
  for (let i = 0; i < a.length; i++) {
    most = Math.max(most, Math.abs((a[i] ?? Number.NaN) - (b[i] ?? Number.NaN)));
  }
  return most;
}

/** (vocabulary) the trainer's probabilities of the next token, on the GPU. */
async function trainerProbabilities(
  policy: TokenPolicy,
  context: readonly number[],
): Promise<Float32Array> {
  const [logps = new Float32Array()] = await policy.distributions(
    [
      {
        tokens: Uint32Array.from(context),
        sequenceStarts: Uint32Array.of(0, context.length),
        rows: Uint32Array.of(context.length - 1),
        targets: Uint32Array.of(0),
        behaviorLogps: Float32Array.of(0),
        advantages: Float32Array.of(0),
        weights: Float32Array.of(1),
      },
    ],
    1,
  );
  return logps.map(Math.exp);
}

/** The agent's contexts at random positions of random episodes. */
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

type Session = Awaited<ReturnType<OnnxRuntime['InferenceSession']['create']>>;
type Feeds = Parameters<Session['run']>[0];
type TensorOf = InstanceType<OnnxRuntime['Tensor']>;

/** Runs an exported graph over several dialogues at a time, padding shorter ones on the left. */
class GraphReader {
  readonly #checkpoint: KeptAgent;
  readonly #runtime: OnnxRuntime;
  readonly #session: Session;
  readonly #names: readonly string[];

  private constructor(
    checkpoint: KeptAgent,
    runtime: OnnxRuntime,
    session: Session,
    cache: boolean,
  ) {
    this.#checkpoint = checkpoint;
    this.#runtime = runtime;
    this.#session = session;
    const layers = Array.from({ length: cache ? checkpoint.config.policy.layers : 0 }, (_, l) => l);
    this.#names = layers.flatMap((l) => [`${l}.key`, `${l}.value`]);
  }

  /** @param cache whether it is the graph with a key–value cache */
  static async create(
    checkpoint: KeptAgent,
    runtime: OnnxRuntime,
    cache: boolean,
  ): Promise<GraphReader> {
    const session = await runtime.InferenceSession.create(exportOnnx(checkpoint, { cache }), {
      executionProviders: [runtime.provider],
      logSeverityLevel: 3,
    });
    return new GraphReader(checkpoint, runtime, session, cache);
  }

  release(): Promise<void> {
    return this.#session.release();
  }

  /**
   * (rows, vocabulary) of the token after each context.
   *
   * @param ends columns up to which each call reads; only a graph with a cache can read in several
   * calls
   */
  async probabilities(
    contexts: readonly (readonly number[])[],
    ends: readonly number[],
  ): Promise<Float64Array[]> {
    const batch = contexts.length;
    const pads = contexts.map(({ length }) => (ends.at(-1) ?? 0) - length);
    const int64 = (from: number, to: number, value: (s: number, t: number) => number) => {
      const columns = Array.from({ length: to - from }, (_, i) => from + i);
      const values = contexts.flatMap((_, s) => columns.map((t) => value(s, t - (pads[s] ?? 0))));
      return new this.#runtime.Tensor('int64', BigInt64Array.from(values, BigInt), [
        batch,
        to - from,
      ]);
    };
    let cache = this.#emptyCache(batch);
    let logits: TensorOf | undefined;
    for (const [i, to] of ends.entries()) {
      const from = ends[i - 1] ?? 0;
      if (from === to) continue;
      const found = await this.#session.run({
        ...cache,
        input_ids: int64(from, to, (s, t) => contexts[s]?.[t] ?? 0),
        attention_mask: int64(0, to, (_, t) => Number(t >= 0)),
        position_ids: int64(from, to, (_, t) => Math.max(0, t)),
      });
      logits = found.logits as TensorOf | undefined;
      cache = Object.fromEntries(
        this.#names.map((name) => [
          `past_key_values.${name}`,
          found[`present.${name}`] as TensorOf,
        ]),
      );
    }
    const [rows, stride] = [(await logits?.getData()) as Float32Array, logits?.dims[1] ?? 0];
    const { length: columns } = this.#checkpoint.vocabulary;
    return contexts.map((_, s) => {
      const end = (s + 1) * stride * columns;
      return softmax(rows.subarray(end - columns, end));
    });
  }

  #emptyCache(batch: number): Feeds {
    const { kv_heads, width, heads } = this.#checkpoint.config.policy;
    const empty = () =>
      new this.#runtime.Tensor('float32', new Float32Array(0), [batch, kv_heads, 0, width / heads]);
    return Object.fromEntries(this.#names.map((name) => [`past_key_values.${name}`, empty()]));
  }
}

function softmax(logits: Float32Array): Float64Array {
  const highest = logits.reduce((most, x) => Math.max(most, x), Number.NEGATIVE_INFINITY);
  const weights = Float64Array.from(logits, (x) => Math.exp(x - highest));
  const total = weights.reduce((sum, w) => sum + w, 0);
  return weights.map((w) => w / total);
}
