/** What the current weights would write in a situation that somebody points at. */

import type { Alternative } from './inspection.ts';

/** A dialogue up to the observation that the agent answers next. */
export interface Situation {
  /** Turns before, oldest first. */
  readonly turns: readonly {
    readonly observation: string;
    readonly thought: string;
    readonly action: string;
  }[];
  readonly observation: string;
}

export interface PolicyQuery {
  readonly situations: readonly Situation[];
  /** Actions whose probability is wanted in every situation. */
  readonly actions: readonly string[];
  /** Words, and with `search` whole actions, that are listed at most. */
  readonly most: number;
  /** Whether the likeliest whole actions are searched for. */
  readonly search: boolean;
}

/** Probabilities at the agent's temperature, or at 1 where it takes the most probable token. */
export interface PolicyAt {
  /** The most probable first tokens. */
  readonly words: readonly Alternative[];
  /** Probability of writing exactly each of the actions asked for; null where thoughts come first. */
  readonly actions: readonly number[] | null;
  /** The most probable whole actions; null where not searched for, or where thoughts come first. */
  readonly likeliest: readonly Alternative[] | null;
}

export interface PolicyReading {
  /** Iteration after which the weights were read. */
  readonly iteration: number;
  /** In the order of the query. */
  readonly situations: readonly PolicyAt[];
}
