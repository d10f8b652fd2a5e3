/** Input and output of advantage estimators. */

/** One episode as input of an estimator. T is the number of agent tokens over all turns. */
export interface EpisodeSignal {
  /** Episodes of one group play the same task. */
  readonly group: number;
  /**
   * (T) reward that arrived after each token: a turn's reward is on its last token, so the terminal
   * reward is on the agent's last token. A KL penalty in the reward is already subtracted.
   */
  readonly rewards: readonly number[];
  /** (T) turn in which each token was generated, from 0, non-decreasing. */
  readonly turns: readonly number[];
  /** (T) value estimate at each token, before it is generated; for `gae`. */
  readonly values?: readonly number[];
  /**
   * Value of what follows the last token: 0 after a termination, an estimate after truncation by
   * the horizon.
   */
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

/** The advantages of one episode; each list has one entry per token (T). */
export interface TokenAdvantages {
  readonly advantages: readonly number[];
  /** Target of the value head; for `gae`. */
  readonly returns?: readonly number[];
}

/** Maps all episodes of an iteration to their advantages, in the same order. */
export type AdvantageEstimator = (
  episodes: readonly EpisodeSignal[],
  settings: EstimatorSettings,
) => TokenAdvantages[];
