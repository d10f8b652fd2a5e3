/** What a network computes for a sentence, as the page asks for it and shows it. */

import type { Alternative } from './inspection.ts';
import type { Situation } from './policy-reading.ts';

/** An attention head; layer and head count from 0. */
export interface Head {
  readonly layer: number;
  readonly head: number;
}

/** A word of the sentence that is replaced. */
export interface Swap {
  /** Position among all tokens of the sentence, from 0. */
  readonly position: number;
  /** Text of the new token. */
  readonly text: string;
}

/** Changes to the network or the sentence whose effect is computed. */
export interface Intervention {
  /** Heads whose output is replaced by zeros. */
  readonly off: readonly Head[];
  readonly swaps: readonly Swap[];
}

export interface NetworkQuery {
  /** Iteration after which the weights were kept; null for the current weights. */
  readonly iteration: number | null;
  readonly situation: Situation;
  /** Actions whose probability is computed. */
  readonly actions: readonly string[];
  /** Maximum number of words listed. */
  readonly most: number;
  /** Null if nothing is changed. */
  readonly intervention: Intervention | null;
}

/** One forward pass over the sentence, in float64. */
export interface NetworkPass {
  /** (T) text of the shown tokens; long sentences show only their last `MOST_SHOWN`. */
  readonly tokens: readonly string[];
  /** By layer (T, heads, T): weight of key k for query q in head h at (q · heads + h) · T + k. */
  readonly attention: readonly Float32Array[];
  /** (layers + 1) logit lens: the most likely next words after the embedding and after each layer. */
  readonly lens: readonly (readonly Alternative[])[];
  /** Probabilities of the queried actions; null if the format puts thoughts first. */
  readonly actions: readonly number[] | null;
}

/** How a probability changed. */
export interface Moved {
  readonly text: string;
  readonly before: number;
  readonly after: number;
}

/** Difference between an iteration and the kept one before it. */
export interface NetworkChange {
  /** Iteration of the earlier weights. */
  readonly since: number;
  /** Next words whose probability moved most, largest change first. */
  readonly words: readonly Moved[];
  /**
   * (T) total variation distance between the next-word distributions after each shown token, in [0, 1].
   */
  readonly positions: readonly number[];
}

export interface NetworkReading {
  readonly iteration: number;
  /** Iterations whose weights are kept, ascending. */
  readonly kept: readonly number[];
  readonly layers: number;
  readonly heads: number;
  /** Number of earlier tokens that are not shown. */
  readonly hidden: number;
  /** Text of every token by id; empty if there are more than `MOST_WORDS`. */
  readonly vocabulary: readonly string[];
  readonly pass: NetworkPass;
  /** The pass with the intervention; null without one. Its words are those of `pass`, in order. */
  readonly changed: NetworkPass | null;
  /** Most likely words of `pass` or `changed`, with their probabilities in both. */
  readonly words: readonly Moved[];
  /** Null for the first kept iteration. */
  readonly update: NetworkChange | null;
}

export interface EmbeddingQuery {
  /** Null for the current weights. */
  readonly iteration: number | null;
}

/** Token embeddings on two principal axes that are the same for all kept iterations. */
export interface EmbeddingReading {
  readonly iteration: number;
  readonly kept: readonly number[];
  readonly words: readonly {
    readonly text: string;
    readonly x: number;
    readonly y: number;
  }[];
  /** Share of the variance along each axis, at the iteration that the axes come from. */
  readonly explained: readonly [number, number];
  /** Largest |x| or |y| over the first, the newest and the shown iteration, for a fixed scale. */
  readonly extent: number;
}
