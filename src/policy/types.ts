/**
 * The policy's interface for rollouts and training. It has no GPU types, so recipes can be tested with other
 * implementations.
 */

import type { ObjectiveSettings } from '../algorithms/objective.ts';
import type { RowSums } from '../algorithms/row-statistics.ts';
import type { BasePrecision } from '../kernels/frozen-pack.ts';

/** Maximum number of tokens an agent may generate in one turn. */
export const MOST_NEW_TOKENS = 128;

/** Maximum number of end tokens of a request. */
export const MOST_END_TOKENS = 4;

/** Architectures of Hugging Face Transformers that the policy supports. */
export const modelTypes = ['llama', 'qwen2', 'qwen3', 'gemma3_text'] as const;
export type ModelType = (typeof modelTypes)[number];

/** What distinguishes a pretrained network from Palestra's own Llama block; see `config.json`. */
export interface Architecture {
  readonly modelType: ModelType;
  /** Dimensions of a head, a multiple of 4; `heads × headDim` may differ from `width`. */
  readonly headDim: number;
  readonly rmsNormEps: number;
  readonly ropeTheta: number;
  /** Whether the query, key and value products have a bias (Qwen2). */
  readonly qkvBias: boolean;
  /** RMSNorm over the dimensions of each query and key head, before the rotation (Qwen3, Gemma 3). */
  readonly qkNorm: boolean;
  /** Post-norms: RMSNorm of the outputs of attention and feed-forward before the residual sum (Gemma 3). */
  readonly postNorms: boolean;
  /** Activation of the gate. */
  readonly activation: 'silu' | 'gelu_pytorch_tanh';
  /** Factor of the input embeddings (Gemma: √width). */
  readonly embeddingScale: number;
  /** Layers that attend to the last `tokens` tokens only, the current one included, with a separate RoPE θ. */
  readonly sliding: {
    readonly tokens: number;
    readonly ropeTheta: number;
    /** (layers) whether each layer has a sliding window. */
    readonly layers: readonly boolean[];
  } | null;
}

/** Linear layers that can be adapted, by PEFT's names. */
export const adapterTargets = [
  'q_proj',
  'k_proj',
  'v_proj',
  'o_proj',
  'gate_proj',
  'up_proj',
  'down_proj',
] as const;
export type AdapterTarget = (typeof adapterTargets)[number];

/** LoRA (arXiv:2106.09685) on a frozen network: y = x·W + (alpha / rank)·(x·A)·B. */
export interface Adapter {
  /** A multiple of 4. */
  readonly rank: number;
  readonly alpha: number;
  readonly targets: readonly AdapterTarget[];
  /** Precision of the frozen matrices; with int4, the embedding is float16. */
  readonly base: BasePrecision;
}

/** The decoder-only transformer's shape: sizes, architecture and adapter. */
export interface PolicyShape {
  /** Tokens in the vocabulary. */
  readonly vocabulary: number;
  readonly layers: number;
  /** Width of the residual stream; a multiple of 4, and of 4 × `heads` in Palestra's own block. */
  readonly width: number;
  /** Query heads. */
  readonly heads: number;
  /** Key–value heads; divides `heads` (grouped-query attention). */
  readonly kvHeads: number;
  /** Hidden width of the SwiGLU feed-forward; a multiple of 4. */
  readonly ffnWidth: number;
  /** Whether the output projection is the transposed token embedding. */
  readonly tiedEmbeddings: boolean;
  /** Whether there is a value head on the last hidden state (PPO). */
  readonly valueHead: boolean;
  /** Absent for Palestra's own Llama block; see `architectureOf`. */
  readonly architecture?: Architecture;
  /** If present, only the adapter's weights are trained and those of the network are frozen. */
  readonly adapter?: Adapter;
}

/** Maximum sizes of a call; buffers are allocated once for these. */
export interface PolicyCapacity {
  /** Tokens in one packed forward pass (a training micro-batch, or the new tokens of a turn). */
  readonly tokens: number;
  /** Rows of logits in one pass: loss rows of a micro-batch, or episodes generating at once. */
  readonly rows: number;
  /** Loss rows in one training micro-batch; several may share a row of logits. */
  readonly lossRows: number;
  /** Loss rows of all micro-batches of one update. */
  readonly updateRows: number;
  /** Episodes with a key–value cache, numbered 0 .. episodes-1 ("slots"). */
  readonly episodes: number;
  /** Tokens each episode's key–value cache can hold, generated ones included. */
  readonly context: number;
}

/**
 * One turn of generation for E episodes: append each episode's new tokens to its cache, then
 * generate up to `maxNewTokens` tokens each. Everything runs in one submission with one readback.
 */
export interface GenerateRequest {
  /** (E) cache slot of each episode; each slot at most once. */
  readonly slots: Uint32Array;
  /** (E) number of valid tokens in each slot's cache; new tokens are appended. */
  readonly cachedLengths: Uint32Array;
  /** (N) new tokens of all episodes, concatenated. */
  readonly newTokens: Uint32Array;
  /** (E+1) where each episode's new tokens start in `newTokens`; each episode has at least one. */
  readonly newTokenStarts: Uint32Array;
  /** Maximum number of tokens to generate per episode in this turn. */
  readonly maxNewTokens: number;
  /**
   * Whether a later call uses the slots' caches. If not, and one token is generated, episodes with
   * the same context share one pass over it.
   */
  readonly keepCache: boolean;
  /** Generation of an episode stops after any of these tokens; 1 to `MOST_END_TOKENS`. */
  readonly endTokens: readonly number[];
  /** Softmax temperature; 0 selects the most probable token (greedy). */
  readonly temperature: number;
  /** Key and counters of the random generator; a token's draw depends on these alone. */
  readonly random: {
    readonly seed: number;
    /** (E) iteration in which each episode began. */
    readonly iterations: Uint32Array;
    /** (E) index of each episode within its iteration. */
    readonly episodes: Uint32Array;
    /** (E) number of tokens generated in the episode before this turn. */
    readonly offsets: Uint32Array;
  };
}

/** The generated tokens: E episodes by `maxNewTokens` columns, row-major. */
export interface Generation {
  /** (E·maxNewTokens) token ids; columns from `lengths[e]` on are undefined. */
  readonly tokens: Uint32Array;
  /** (E·maxNewTokens) log-probability in nats of each token under the policy that generated it. */
  readonly logps: Float32Array;
  /** (E·maxNewTokens) entropy in nats of the distribution each token was drawn from. */
  readonly entropies: Float32Array;
  /** (E) number of generated tokens, the end token included. */
  readonly lengths: Uint32Array;
  /** Policy version that generated them. */
  readonly version: number;
}

/** A micro-batch of packed sequences with the tokens that the agent generated as loss rows. */
export interface TrainingBatch {
  /** (N) token ids of all sequences, concatenated. */
  readonly tokens: Uint32Array;
  /** (S+1) where each sequence starts, ending with N. */
  readonly sequenceStarts: Uint32Array;
  /**
   * (R) positions in `tokens` whose *next* token was generated by the agent, in ascending order. A
   * position is repeated if several episodes continue the same context.
   */
  readonly rows: Uint32Array;
  /** (R) the token that the agent generated there. */
  readonly targets: Uint32Array;
  /** (R) behavior log-probabilities recorded when the token was generated. */
  readonly behaviorLogps: Float32Array;
  /** (R) advantages. */
  readonly advantages: Float32Array;
  /** (R) weight of each row in the loss; the loss is Σ weight·row loss (1/R for a token mean). */
  readonly weights: Float32Array;
  /** (R) log-probabilities of the ratios' denominator; if absent, the behavior's. */
  readonly proximalLogps?: Float32Array;
  /** (R) log-probabilities under the reference policy; needed for a KL penalty and for DPO. */
  readonly referenceLogps?: Float32Array;
  /** (R) value estimates when the advantages were computed, and value targets (value head). */
  readonly oldValues?: Float32Array;
  readonly returns?: Float32Array;
  /** (R) episode of each row, numbered from 0 within the update; needed by GSPO and DPO. */
  readonly episodes?: Uint32Array;
}

/** The loss of an update. */
export interface Objective extends ObjectiveSettings {
  /** Sampling temperature of the behavior policy; logits are divided by it. */
  readonly temperature: number;
}

/** AdamW (arXiv:1711.05101) with global-norm clipping. */
export interface OptimizerStep {
  readonly learningRate: number;
  readonly beta1: number;
  readonly beta2: number;
  readonly epsilon: number;
  readonly weightDecay: number;
  /** Gradients are scaled down to this global norm; Infinity disables clipping. */
  readonly maxGradNorm: number;
}

/** Values by zone of the ratio. */
export interface Zones {
  /** Ratio under the lower bound, between the bounds, over the upper bound. */
  readonly below: number;
  readonly inside: number;
  readonly above: number;
}

/** The first non-finite quantity, in order of computation. */
export type NonFiniteCause = 'advantages' | 'log-probabilities' | 'ratios' | 'loss' | 'gradient';

/** Statistics of one optimizer step. Sums are over the loss rows of all its micro-batches. */
export interface UpdateStats {
  readonly rows: number;
  /** Σ weight · row loss, value loss included. */
  readonly loss: number;
  /** Each row statistic (`algorithms/row-statistics.ts`), summed over the rows. */
  readonly sums: RowSums;
  /** Bounds in effect. */
  readonly clipLow: number;
  readonly clipHigh: number;
  /**
   * Share of positive tokens in Σ |π_behavior·min(rA, clip(r)A)| at these bounds (BAPO's value
   * share, for any variant of its search); NaN if every advantage is 0.
   */
  readonly positiveShare: number;
  /** Rows with positive and negative advantage by zone of the ratio. */
  readonly positiveCounts: Zones;
  readonly negativeCounts: Zones;
  /** Σ |∂loss/∂log π| of the same rows, without the entropy bonus and the KL penalty. */
  readonly positivePull: Zones;
  readonly negativePull: Zones;
  /** Global gradient norm before clipping. */
  readonly gradNorm: number;
  /** Whether the gradient was not finite, so that the update was skipped. */
  readonly skipped: boolean;
  /** Why it was skipped. */
  readonly cause: NonFiniteCause | null;
  /** If requested: scores of the rows under the weights before the step, one result per batch. */
  readonly scores?: readonly RowScores[];
}

/** Scores of a batch's loss rows. */
export interface RowScores {
  /** (R) log-probability in nats of each target. */
  readonly logps: Float32Array;
  /** (R) entropy in nats at each row. */
  readonly entropies: Float32Array;
  /** (R) value estimate at each row; zeros without a value head. */
  readonly values: Float32Array;
}

/** The values of one parameter. */
export interface WeightTensor {
  /** Row-major. */
  readonly shape: readonly number[];
  /** One value per element of the shape. */
  readonly values: Float32Array;
}

/** A policy's training state; another policy that loads it continues with bit-identical results. */
export interface PolicyState {
  /** By parameter name, as are the moments and the reference. */
  readonly weights: ReadonlyMap<string, WeightTensor>;
  /** AdamW's moving averages of the gradient and of its square. */
  readonly firstMoments: ReadonlyMap<string, WeightTensor>;
  readonly secondMoments: ReadonlyMap<string, WeightTensor>;
  /** AdamW's state, such as the step count. */
  readonly optimizer: Float32Array;
  /** The weights stored by `keepReference`, or null. */
  readonly reference: ReadonlyMap<string, WeightTensor> | null;
  readonly version: number;
}

/** Thrown for weights that do not match the policy's shape. */
export class WeightsError extends Error {
  override readonly name = 'WeightsError';
}

/** Weights to score with: the current ones, or those stored by `keepReference`. */
export type Weights = 'present' | 'reference';

/** The policy's interface for the agent loop and the trainer. */
export interface TokenPolicy {
  /** Name of the device that runs the policy; devices differ in rounding. */
  readonly device: string;
  readonly shape: PolicyShape;
  readonly capacity: PolicyCapacity;
  /**
   * Number of `generate` calls that should be in flight at once: 1, or more if the device computes
   * one while the host steps the episodes of another. Such calls must not share episodes.
   */
  readonly waves: number;
  /** Number of optimizer steps requested so far, including skipped ones. */
  readonly version: number;
  /** Yields to the event loop between updates that are queued without waiting. */
  breathe(): Promise<void>;
  generate(request: GenerateRequest): Promise<Generation>;
  /**
   * One optimizer step on the summed gradient of the micro-batches. Calls are queued in order; the promise
   * resolves when the statistics have been read back. A step with a non-finite gradient changes nothing and
   * reports `skipped`.
   *
   * @param withScores whether to also read back the scores that the loss was computed from
   */
  update(
    batches: readonly TrainingBatch[],
    objective: Objective,
    step: OptimizerStep,
    withScores?: boolean,
  ): Promise<UpdateStats>;
  /** Scores of every loss row, one result per batch; no update. */
  score(
    batches: readonly TrainingBatch[],
    temperature: number,
    weights?: Weights,
  ): Promise<RowScores[]>;
  /** Global norm, before clipping, of the gradient that `update` would compute; no update. */
  gradientNorm(batches: readonly TrainingBatch[], objective: Objective): Promise<number>;
  /** Resets the optimizer's moments and step count; weights are unchanged. */
  restartOptimizer(): void;
  /** Stores a copy of the current weights as the reference policy, replacing any previous one. */
  keepReference(): void;
  /** The current weights by parameter name. */
  readWeights(): Promise<ReadonlyMap<string, WeightTensor>>;
  /**
   * Replaces the weights, bit for bit. Optimizer state, reference and version are unchanged.
   *
   * @throws {WeightsError} naming the first tensor that is missing, unknown or has a wrong shape;
   *   nothing has changed then.
   */
  writeWeights(weights: ReadonlyMap<string, WeightTensor>): void;
  /** The complete training state. */
  readState(): Promise<PolicyState>;
  /**
   * Restores a training state. Everything computed afterwards has the same bits as in the original
   * policy.
   *
   * @throws {WeightsError} naming the mismatch; nothing has changed then
   */
  writeState(state: PolicyState): void;
  /**
   * Log-probabilities in nats over the whole vocabulary at each loss row, (R, vocabulary) row-major, one
   * result per batch. For few rows only, because everything is read back.
   */
  distributions(batches: readonly TrainingBatch[], temperature: number): Promise<Float32Array[]>;
  /** Frees the policy's memory on the device. */
  destroy(): void;
}

/**
 * Reads a weight of a pretrained network, by its name in `networkLayout`: a matrix as (outputs, inputs),
 * the embedding and the head as (vocabulary, width), a gain or bias unchanged. Weights are requested one by
 * one, so that at most one is in memory unpacked.
 */
export type FrozenWeights = (name: string) => Float32Array | Promise<Float32Array>;

/** Creates a policy with random weights; with an adapter, `frozen` provides the network's. */
export type CreatePolicy = (
  shape: PolicyShape,
  capacity: PolicyCapacity,
  seed: number,
  frozen?: FrozenWeights,
) => Promise<TokenPolicy>;
