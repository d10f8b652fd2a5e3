/** What advantages are estimated from, and what they come to. */

/** What an estimator knows of one episode. T tokens that the agent wrote, over all turns. */
export interface EpisodeSignal {
  /** Episodes of one group play the same task. */
  readonly group: number;
  /**
   * (T) reward that arrived after each token: a turn's reward lies on its last token, the terminal
   * reward so on the last token that the agent wrote. A KL penalty in the reward is taken off here.
   */
  readonly rewards: readonly number[];
  /** (T) turn in which each token was written, from 0, never descending. */
  readonly turns: readonly number[];
  /** (T) value estimate at each token, before it is written; for `gae`. */
  readonly values?: readonly number[];
  /** Value of what follows the last token: 0 after a termination, an estimate after a horizon cut. */
  readonly bootstrap?: number;
  /** Total reward of the greedy episode on the same task; for `remax`. */
  readonly greedyReward?: number;
}

export interface EstimatorSettings {
  /** Discount per turn; tokens of one turn are not discounted against each other. */
  readonly gamma: number;
  /** λ of GAE (arXiv:1506.02438). */
  readonly lambda: number;
}

/** (T) per token of one episode. */
export interface TokenAdvantages {
  readonly advantages: readonly number[];
  /** What a value head is fitted to; for `gae`. */
  readonly returns?: readonly number[];
}

/** Maps all episodes of an iteration to their advantages, in the same order. */
export type AdvantageEstimator = (
  episodes: readonly EpisodeSignal[],
  settings: EstimatorSettings,
) => TokenAdvantages[];
