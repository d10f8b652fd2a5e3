/**
 * What the multi-turn loop asks of a policy, free of any GPU type, so that rollouts and training
 * recipes can be read (and tested) without knowing how the network is computed.
 */

/** The decoder-only transformer's size. One Llama block per layer. */
export interface PolicyShape {
  /** Tokens in the vocabulary. */
  readonly vocabulary: number;
  readonly layers: number;
  /** Width of the residual stream; a multiple of 4 and of `heads`. */
  readonly width: number;
  /** Query heads. `width / heads` must be even (rotary pairs) and a multiple of 4. */
  readonly heads: number;
  /** Key–value heads; divides `heads` (grouped-query attention). */
  readonly kvHeads: number;
  /** Hidden width of the SwiGLU feed-forward; a multiple of 4. */
  readonly ffnWidth: number;
  /** Whether the output projection is the transposed token embedding. */
  readonly tiedEmbeddings: boolean;
}

/** The most that one call may ask for; buffers are made once, to these sizes. */
export interface PolicyCapacity {
  /** Tokens in one packed forward pass (a training micro-batch, or the new tokens of a turn). */
  readonly tokens: number;
  /** Rows of logits in one pass: loss rows of a micro-batch, or episodes generating at once. */
  readonly rows: number;
  /** Loss rows in one training micro-batch; several may share a row of logits. */
  readonly lossRows: number;
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
  /** Generation of an episode stops after this token has been written. */
  readonly endToken: number;
  /** Softmax temperature; 0 takes the most probable token (greedy). */
  readonly temperature: number;
  /** Key of the counter-based generator: the draw for a token depends on these numbers alone. */
  readonly random: {
    readonly seed: number;
    /** Iteration (or another stream number that never repeats with the same episode numbers). */
    readonly iteration: number;
    /** (E) number of each episode within the iteration. */
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
}

/** Clipped surrogate (PPO, arXiv:1707.06347, Eq. 7) with separate bounds, given as ratios. */
export interface Objective {
  readonly clipLow: number;
  readonly clipHigh: number;
  /** Entropy bonus coefficient; the loss gets −coefficient·entropy. */
  readonly entropyCoef: number;
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

/** What one optimiser step reports. Sums run over the loss rows of all its micro-batches. */
export interface UpdateStats {
  readonly rows: number;
  /** Σ weight · row loss. */
  readonly loss: number;
  /** Σ entropy, nats. */
  readonly entropySum: number;
  /** Σ (ratio − 1) − log ratio, against the behaviour policy ("k3"). */
  readonly approxKlSum: number;
  /** Σ ratio. */
  readonly ratioSum: number;
  /** Rows whose gradient the lower bound removed (advantage < 0, ratio < clipLow). */
  readonly clippedLow: number;
  /** Rows whose gradient the upper bound removed (advantage > 0, ratio > clipHigh). */
  readonly clippedHigh: number;
  /** Global gradient norm before clipping. */
  readonly gradNorm: number;
  /** True when the gradient was not finite and the weights were left as they were. */
  readonly skipped: boolean;
}

/** The policy as the agent loop and the trainer see it. */
export interface TokenPolicy {
  readonly shape: PolicyShape;
  readonly capacity: PolicyCapacity;
  /** Optimiser steps asked for so far, those that were skipped included. */
  readonly version: number;
  generate(request: GenerateRequest): Promise<Generation>;
  /**
   * One optimiser step on the summed gradient of the micro-batches. Work is queued at once and in
   * order; the promise resolves when its statistics have been read back. A step whose gradient is
   * not finite changes nothing and reports `skipped`.
   */
  update(
    batches: readonly TrainingBatch[],
    objective: Objective,
    step: OptimizerStep,
  ): Promise<UpdateStats>;
  /** Frees the GPU memory. */
  destroy(): void;
}
