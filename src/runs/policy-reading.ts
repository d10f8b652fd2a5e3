/** The current policy's distribution over words and actions in given situations. */

import type { EpisodeToken } from './episode.ts';
import type { Alternative } from './inspection.ts';

/** A dialogue up to the observation that the agent answers next. */
export interface Situation {
  /** Previous turns, oldest first. */
  readonly turns: readonly {
    readonly observation: string;
    readonly thought: string;
    readonly action: string;
  }[];
  readonly observation: string;
}

export interface PolicyQuery {
  readonly situations: readonly Situation[];
  /** Actions whose probability is computed in every situation. */
  readonly actions: readonly string[];
  /** Maximum number of words listed, and of whole actions if `search` is set. */
  readonly most: number;
  /** Whether to search for the most probable whole actions. */
  readonly search: boolean;
}

/** Probabilities at the agent's temperature, or at 1 if the agent is greedy. */
export interface PolicyAt {
  /** The most probable first tokens. */
  readonly words: readonly Alternative[];
  /**
   * Probability of generating exactly each requested action; null if the format puts thoughts
   * first.
   */
  readonly actions: readonly number[] | null;
  /**
   * The most probable whole actions; null if not searched for or if the format puts thoughts first.
   */
  readonly likeliest: readonly Alternative[] | null;
}

/** A token of an expert demonstration, with its probability under the current policy. */
export interface PredictedToken extends EpisodeToken {
  /** Whether this token is the most probable one; ties count. */
  readonly first: boolean;
}

/** How well the current policy predicts an expert's dialogue on a task. */
export interface DemonstrationReading {
  /** The tokens of each turn. */
  readonly turns: readonly (readonly PredictedToken[])[];
}

export interface PolicyReading {
  /** The iteration after which the weights were read. */
  readonly iteration: number;
  /** In the order of the query. */
  readonly situations: readonly PolicyAt[];
}
