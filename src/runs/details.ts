/** What is known of an iteration beside its metrics. Plain data: it survives `structuredClone` and JSON. */

/** Counts or sums of tokens by where their ratio lies: under, between and over the bounds. */
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
  /** NaN where every advantage was 0. */
  readonly positiveShare: number;
  /** Shares of tokens whose gradient the bound removed. */
  readonly clippedLow: number;
  readonly clippedHigh: number;
  readonly gradNorm: number;
  readonly skipped: boolean;
  /** What was not finite, where the update was skipped. */
  readonly cause?: string;
  /** Tokens with positive and negative advantage by zone of the ratio. */
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
  /** The ratio compared with the bounds: the token's, or its episode's under GSPO. */
  readonly ratio: number;
  readonly advantage: number;
  /** Entropy of the distribution it was drawn from, before the update, nats. */
  readonly entropy: number;
  /** It has an advantage and the objective gave it no gradient. Absent in older records. */
  readonly held?: boolean;
}

/** A look at one update, taken beside it. */
export interface Diagnosis {
  /** The update it looked at. */
  readonly update: number;
  /** Bounds in force. */
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

/** A round of evolution, up to an iteration. */
export interface RoundDetail {
  /** Counts from 1. */
  readonly round: number;
  /** Whether it has ended, and learned from what it kept. */
  readonly learned: boolean;
  /** Its episodes so far in each environment, and how many of them are learned from. */
  readonly environments: readonly {
    readonly id: string;
    readonly explored: number;
    readonly kept: number;
  }[];
  /** In a mixture: greedy evaluation after imitation, before the first round. */
  readonly imitated?: readonly EnvironmentResult[];
}

export interface IterationDetails {
  readonly updates: readonly UpdateDetail[];
  /** Trained tokens by policy versions between writer and learner: [versions, tokens], ascending. */
  readonly staleness: readonly (readonly [versions: number, tokens: number])[];
  readonly diagnosis?: Diagnosis;
  /** In a mixture: the training episodes of each environment, in its order. */
  readonly environments?: readonly EnvironmentResult[];
  /** Of evolution alone. */
  readonly round?: RoundDetail;
}
