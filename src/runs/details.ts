/** Data of an iteration besides its metrics. Plain data: it survives `structuredClone` and JSON. */

/** Token counts or sums by zone of the ratio: below, within and above the bounds. */
export type ByZone = readonly [below: number, inside: number, above: number];

/** One optimizer step. */
export interface UpdateDetail {
  /** Counts from 1 over the whole run. */
  readonly update: number;
  readonly loss: number;
  /** Mean over tokens, nats. */
  readonly entropy: number;
  readonly clipLow: number;
  readonly clipHigh: number;
  /** NaN if every advantage was 0. */
  readonly positiveShare: number;
  /** Shares of tokens whose gradient was removed by the bound. */
  readonly clippedLow: number;
  readonly clippedHigh: number;
  readonly gradNorm: number;
  readonly skipped: boolean;
  /** The quantity that was not finite, if the update was skipped. */
  readonly cause?: string;
  /** Numbers of tokens with positive and negative advantage, by zone of the ratio. */
  readonly positiveCounts: ByZone;
  readonly negativeCounts: ByZone;
  /** Σ |∂loss/∂log π| of the same tokens. */
  readonly positivePull: ByZone;
  readonly negativePull: ByZone;
}

/** One token of a diagnosed update. */
export interface TokenSample {
  /** Log-probability before the update, nats. */
  readonly logp: number;
  /** The ratio compared with the bounds: the token's, or the episode's under GSPO. */
  readonly ratio: number;
  readonly advantage: number;
  /** Entropy of the distribution it was sampled from, before the update, nats. */
  readonly entropy: number;
  /**
   * Whether the token has an advantage but no gradient from the objective. Absent in older records.
   */
  readonly held?: boolean;
}

/** Diagnostics of one update, recorded without affecting it. */
export interface Diagnosis {
  /** Number of the diagnosed update. */
  readonly update: number;
  /** Clip bounds of this update. */
  readonly clipLow: number;
  readonly clipHigh: number;
  readonly samples: readonly TokenSample[];
}

/** Results of the episodes of one environment. */
export interface EnvironmentResult {
  readonly id: string;
  readonly episodes: number;
  /** Means over these episodes. */
  readonly successRate: number;
  readonly score: number;
  readonly turns: number;
}

/** Progress of a round of evolution at the end of an iteration. */
export interface RoundDetail {
  /** Counts from 1. */
  readonly round: number;
  /** Whether the round has ended and the agent was trained on its kept episodes. */
  readonly learned: boolean;
  /** Episodes so far in each environment, and how many of them are used for training. */
  readonly environments: readonly {
    readonly id: string;
    readonly explored: number;
    readonly kept: number;
  }[];
  /** Mixtures only: greedy evaluation after imitation, before the first round. */
  readonly imitated?: readonly EnvironmentResult[];
}

export interface IterationDetails {
  readonly updates: readonly UpdateDetail[];
  /**
   * Numbers of trained tokens by staleness, in policy versions between sampling and training, ascending:
   * [versions, tokens].
   */
  readonly staleness: readonly (readonly [versions: number, tokens: number])[];
  readonly diagnosis?: Diagnosis;
  /** Mixtures only: training episodes of each environment, in the mixture's order. */
  readonly environments?: readonly EnvironmentResult[];
  /** Evolution only. */
  readonly round?: RoundDetail;
}
