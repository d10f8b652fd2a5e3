/**
 * What the multi-turn loop asks of a policy, free of any GPU type, so that rollouts and training
 * recipes can be read (and tested) without knowing how the network is computed.
 */

import type { ObjectiveSettings } from '../algorithms/objective.ts';
import type { BasePrecision } from '../kernels/frozen.ts';

/** Most tokens an agent may write in one turn. */
export const MOST_NEW_TOKENS = 128;

/** Most tokens that end a turn. */
export const MOST_END_TOKENS = 4;

/** Networks of Hugging Face transformers that the policy computes. */
export const modelTypes = ['llama', 'qwen2', 'qwen3', 'gemma3_text'] as const;
export type ModelType = (typeof modelTypes)[number];

/** How a pretrained network differs from Palestra's own Llama block, by the names of its `config.json`. */
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
  /** Norms after attention and feed-forward too, before they join the residual stream (Gemma 3). */
  readonly postNorms: boolean;
  /** Activation of the gate. */
  readonly activation: 'silu' | 'gelu_pytorch_tanh';
  /** Factor of the embeddings at the input (Gemma: √width). */
  readonly embeddingScale: number;
  /** Layers that see only the last `tokens` tokens, the current one included, and rotate with a separate θ. */
  readonly sliding: {
    readonly tokens: number;
    readonly ropeTheta: number;
    /** (layers) whether each layer slides. */
    readonly layers: readonly boolean[];
  } | null;
}

/** Linear layers that an adapter may change, by PEFT's names. */
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
  /** How the frozen matrices lie in memory; the embedding is float16 where they are int4. */
  readonly base: BasePrecision;
}

/** The decoder-only transformer's size. */
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
  /** Whether a value head reads the last hidden state, beside the output projection (PPO). */
  readonly valueHead: boolean;
  /** Absent: Palestra's own Llama block (`ownArchitecture`). */
  readonly architecture?: Architecture;
  /** Present: only these weights are trained, and the network's own are frozen. */
  readonly adapter?: Adapter;
}

/** The most that one call may ask for; buffers are made once, to these sizes. */
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
 * One turn of generation for E episodes: append each episode's new tokens to its cache, then write
 * up to `maxNewTokens` tokens each. Everything runs in one submission with one readback.
 */
export interface GenerateRequest {
  /** (E) cache slot of each episode; each slot at most once. */
  readonly slots: Uint32Array;
  /** (E) tokens of each slot's cache that are still valid; new tokens are written after them. */
  readonly cachedLengths: Uint32Array;
  /** (N) new tokens of all episodes, one after the other. */
  readonly newTokens: Uint32Array;
  /** (E+1) where each episode's new tokens start in `newTokens`; every episode brings at least one. */
  readonly newTokenStarts: Uint32Array;
  /** Most tokens to write per episode in this turn. */
  readonly maxNewTokens: number;
  /**
   * Whether a later call may build on the slots' caches. Where it may not and one token is written,
   * episodes that read the same context share one pass over it.
   */
  readonly keepCache: boolean;
  /** Generation of an episode stops after any of these has been written; 1 to `MOST_END_TOKENS`. */
  readonly endTokens: readonly number[];
  /** Softmax temperature; 0 takes the most probable token (greedy). */
  readonly temperature: number;
  /** Key of the counter-based generator: the draw for a token depends on these numbers alone. */
  readonly random: {
    readonly seed: number;
    /** (E) iteration in which each episode began. */
    readonly iterations: Uint32Array;
    /** (E) number of each episode within that iteration. */
    readonly episodes: Uint32Array;
    /** (E) tokens that the agent wrote in this episode before this turn. */
    readonly offsets: Uint32Array;
  };
}

/** What was written, E episodes by `maxNewTokens` columns, row-major. */
export interface Generation {
  /** (E·maxNewTokens) token ids; columns from `lengths[e]` on are undefined. */
  readonly tokens: Uint32Array;
  /** (E·maxNewTokens) log-probability in nats of each token under the policy that wrote it. */
  readonly logps: Float32Array;
  /** (E·maxNewTokens) entropy in nats of the distribution each token was drawn from. */
  readonly entropies: Float32Array;
  /** (E) tokens written, the end token included. */
  readonly lengths: Uint32Array;
  /** Policy version that wrote them. */
  readonly version: number;
}

/** A micro-batch of packed sequences with the tokens that the agent wrote as loss rows. */
export interface TrainingBatch {
  /** (N) token ids of all sequences, one after the other. */
  readonly tokens: Uint32Array;
  /** (S+1) where each sequence starts, ending with N. */
  readonly sequenceStarts: Uint32Array;
  /**
   * (R) positions in `tokens` whose *next* token was written by the agent, never descending. A
   * position may stand several times: the same context, answered differently by several episodes.
   */
  readonly rows: Uint32Array;
  /** (R) the token that the agent wrote there. */
  readonly targets: Uint32Array;
  /** (R) behaviour log-probabilities recorded when the token was written. */
  readonly behaviourLogps: Float32Array;
  /** (R) advantages. */
  readonly advantages: Float32Array;
  /** (R) weight of each row in the loss; the loss is Σ weight·row loss (1/R for a token mean). */
  readonly weights: Float32Array;
  /** (R) log-probabilities that ratios are taken against; the behaviour's where absent. */
  readonly proximalLogps?: Float32Array;
  /** (R) log-probabilities under the reference policy; needed for a KL penalty and for DPO. */
  readonly referenceLogps?: Float32Array;
  /** (R) value estimates when the advantages were made, and what they are fitted to (value head). */
  readonly oldValues?: Float32Array;
  readonly returns?: Float32Array;
  /** (R) episode of each row, numbered from 0 within the update; needed by GSPO and DPO. */
  readonly episodes?: Uint32Array;
}

/** The loss of an update. */
export interface Objective extends ObjectiveSettings {
  /** Temperature that the behaviour policy sampled with; logits are divided by it. */
  readonly temperature: number;
}

/** AdamW (arXiv:1711.05101) with global-norm clipping. */
export interface OptimizerStep {
  readonly learningRate: number;
  readonly beta1: number;
  readonly beta2: number;
  readonly epsilon: number;
  readonly weightDecay: number;
  /** Gradients are scaled down to this global norm; Infinity never scales. */
  readonly maxGradNorm: number;
}

/** A count of tokens and what they contribute to the gradient, by where their ratio lies. */
export interface Zones {
  /** Ratio under the lower bound, between the bounds, over the upper bound. */
  readonly below: number;
  readonly inside: number;
  readonly above: number;
}

/** What was not finite first, from the numbers handed in to the gradient. */
export type NonFiniteCause = 'advantages' | 'log-probabilities' | 'ratios' | 'loss' | 'gradient';

/** What one optimizer step reports. Sums run over the loss rows of all its micro-batches. */
export interface UpdateStats {
  readonly rows: number;
  /** Σ weight · row loss, value loss included. */
  readonly loss: number;
  /** Σ entropy, nats. */
  readonly entropySum: number;
  /** Σ (ratio − 1) − log ratio, against the behaviour policy ("k3"). */
  readonly approxKlSum: number;
  /** Σ ratio to the behaviour policy. */
  readonly ratioSum: number;
  /** Rows whose gradient the lower bound removed (advantage < 0, ratio < clipLow). */
  readonly clippedLow: number;
  /** Rows whose gradient the upper bound removed (advantage > 0, ratio > clipHigh). */
  readonly clippedHigh: number;
  /** Rows whose gradient the dual clip removed (advantage < 0, ratio > dualClip). */
  readonly clippedDual: number;
  /** Σ of the chosen estimate of KL to the reference policy; 0 without one. */
  readonly refKlSum: number;
  /** Σ ½·(value error)², clipped, before its coefficient. */
  readonly valueLossSum: number;
  /** Bounds in force. */
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
  /** Σ |∂loss/∂log π| of the same rows, entropy bonus and KL left out. */
  readonly positivePull: Zones;
  readonly negativePull: Zones;
  /** Global gradient norm before clipping. */
  readonly gradNorm: number;
  /** Whether the gradient was not finite and the weights were not changed. */
  readonly skipped: boolean;
  /** Why it was skipped. */
  readonly cause: NonFiniteCause | null;
  /** Where they were asked for: what the weights before the step said of the rows, one result a batch. */
  readonly scores?: readonly RowScores[];
}

/** What the policy thinks of the loss rows of a batch. */
export interface RowScores {
  /** (R) log-probability in nats of each target. */
  readonly logps: Float32Array;
  /** (R) entropy in nats at each row. */
  readonly entropies: Float32Array;
  /** (R) value estimate at each row; zeros without a value head. */
  readonly values: Float32Array;
}

/** One parameter's numbers. */
export interface WeightTensor {
  /** Row-major. */
  readonly shape: readonly number[];
  /** As many as the shape says. */
  readonly values: Float32Array;
}

/** A policy's training state: another policy that loads it continues bit for bit. */
export interface PolicyState {
  /** By the policy's own names for its parameters, as are the moments and the reference. */
  readonly weights: ReadonlyMap<string, WeightTensor>;
  /** AdamW's moving averages of the gradient and of its square. */
  readonly firstMoments: ReadonlyMap<string, WeightTensor>;
  readonly secondMoments: ReadonlyMap<string, WeightTensor>;
  /** AdamW's own numbers, such as its count of steps. */
  readonly optimizer: Float32Array;
  /** The weights that `keepReference` kept, or null. */
  readonly reference: ReadonlyMap<string, WeightTensor> | null;
  readonly version: number;
}

/** Thrown for weights that are not those of a policy of this shape. */
export class WeightsError extends Error {
  override readonly name = 'WeightsError';
}

/** Which weights to score with: the present ones, or those that `keepReference` kept. */
export type Weights = 'present' | 'reference';

/** The policy as the agent loop and the trainer see it. */
export interface TokenPolicy {
  /** What computes it, as the device calls itself: another one rounds otherwise. */
  readonly device: string;
  readonly shape: PolicyShape;
  readonly capacity: PolicyCapacity;
  /** Optimizer steps asked for so far, those that were skipped included. */
  readonly version: number;
  /** Gives the caller's other events their turn, between updates that are queued without waiting. */
  breathe(): Promise<void>;
  generate(request: GenerateRequest): Promise<Generation>;
  /**
   * One optimizer step on the summed gradient of the micro-batches. Work is queued at once and in
   * order; the promise resolves when its statistics have been read back. A step whose gradient is
   * not finite changes nothing and reports `skipped`.
   *
   * @param withScores also read back the scores that the loss was computed from
   */
  update(
    batches: readonly TrainingBatch[],
    objective: Objective,
    step: OptimizerStep,
    withScores?: boolean,
  ): Promise<UpdateStats>;
  /** Scores of every loss row, one result a batch; nothing is learned. */
  score(
    batches: readonly TrainingBatch[],
    temperature: number,
    weights?: Weights,
  ): Promise<RowScores[]>;
  /** Global norm of the gradient that `update` would take, before clipping; nothing is learned. */
  gradientNorm(batches: readonly TrainingBatch[], objective: Objective): Promise<number>;
  /** Forgets the optimizer's moments and its count of steps; the weights stay. */
  restartOptimizer(): void;
  /** Keeps a copy of the present weights as the reference policy, in place of any kept before. */
  keepReference(): void;
  /** The present weights by the policy's own names for them. */
  readWeights(): Promise<ReadonlyMap<string, WeightTensor>>;
  /**
   * Puts these weights in place of the present ones, bit for bit; the optimizer's state, the
   * reference and the version stay.
   *
   * @throws {WeightsError} naming the first tensor that is missing, unknown or of another shape;
   *   then nothing has changed.
   */
  writeWeights(weights: ReadonlyMap<string, WeightTensor>): void;
  /** All that training has left in this policy. */
  readState(): Promise<PolicyState>;
  /**
   * Restores that state: everything computed afterwards has the same bits as in the original
   * policy.
   *
   * @throws {WeightsError} naming the mismatch; nothing has changed then
   */
  writeState(state: PolicyState): void;
  /**
   * Log-probabilities in nats of the whole vocabulary at each loss row, (R, vocabulary) row-major, one
   * result a batch; nothing is learned. For looking at a few rows: all of it is read back.
   */
  distributions(batches: readonly TrainingBatch[], temperature: number): Promise<Float32Array[]>;
  /** Frees the GPU memory. */
  destroy(): void;
}

/**
 * Reads a weight of a pretrained network, by its name in `networkLayout`: a matrix as (outputs, inputs),
 * the embedding and the head as (vocabulary, width), a gain or a bias as it is. They are asked for one
 * after the other, so that no more than one lies unpacked in memory.
 */
export type FrozenWeights = (name: string) => Float32Array | Promise<Float32Array>;

/** Makes a policy of random weights; `frozen` has those of the network under an adapter. */
export type CreatePolicy = (
  shape: PolicyShape,
  capacity: PolicyCapacity,
  seed: number,
  frozen?: FrozenWeights,
) => Promise<TokenPolicy>;
