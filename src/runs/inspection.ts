import type { AdvantageName } from '../algorithms/advantages.ts';
import type { Surrogate } from '../algorithms/surrogates.ts';
import type { Moments, WorkedToken } from '../algorithms/worked-advantages.ts';
import type { EpisodeRecord } from './episode.ts';

/** Inspected episodes: plain data, recorded by the trainer. */

/** The bound, or the selection by Clip-Cov or KL-Cov, that removed a token's gradient. */
export type HeldBack = 'low' | 'high' | 'dual' | 'picked';

/** How a token contributed to the last update that contained it. */
export interface TokenUpdate {
  /** Counts from 1 over the whole run. */
  readonly update: number;
  /** Log-probability in nats just before the update. */
  readonly logp: number;
  /** Log-probability in the denominator of the ratio. */
  readonly oldLogp: number;
  /** The ratio that clipping compares: exp(logp − oldLogp), under GSPO the episode's. */
  readonly ratio: number;
  /** Importance weight that clipping does not affect; 1 if there is none. */
  readonly importance: number;
  /** Clip bounds of this update. */
  readonly clipLow: number;
  readonly clipHigh: number;
  /** The bound or selection that removed its gradient; null if none did. */
  readonly held: HeldBack | null;
  /** The surrogate's loss for this token, without entropy, KL and value terms. */
  readonly policyLoss: number;
  /** The loss of the other terms: −entropy bonus + KL penalty + value loss, each with its coefficient. */
  readonly otherLoss: number;
  /** Its weight in the update's loss. */
  readonly weight: number;
}

/** One token that the agent generated. */
export interface InspectedToken {
  /** Index of its turn, from 0. */
  readonly turn: number;
  readonly text: string;
  /** Log-probability and entropy in nats when it was generated. */
  readonly logp: number;
  readonly entropy: number;
  /** Policy version that generated it. */
  readonly version: number;
  /** The steps from reward to advantage; null if it was not used for training. */
  readonly worked: WorkedToken | null;
  /** Null if no update contained it. */
  readonly update: TokenUpdate | null;
}

/** Summary of an episode of a group. */
export interface GroupMember {
  /** Its number among the stored episodes; null if it is no longer stored. */
  readonly number: number | null;
  readonly turns: number;
  readonly score: number;
  readonly success: boolean;
  readonly truncated: boolean;
  /** Discounted to the start of the episode. */
  readonly reward: number;
  /** As in `WorkedEpisode`. */
  readonly baseline: number | null;
  readonly scale: number | null;
  /** Mean over its tokens; all tokens have the same advantage if the estimator compares episodes. */
  readonly advantage: number;
}

/** How the advantages of a group were computed. */
export interface InspectedGroup {
  readonly taskId: string;
  readonly estimator: AdvantageName;
  readonly gamma: number;
  readonly lambda: number;
  /** Mean and sample standard deviation of the group's rewards. */
  readonly rewards: Moments;
  /** Whether all rewards are equal, so that comparing them gives no signal. */
  readonly equal: boolean;
  /**
   * Mean and standard deviation of the advantages of all tokens of the iteration; null if advantages are not
   * whitened.
   */
  readonly whitening: Moments | null;
  readonly surrogate: Surrogate;
  readonly members: readonly GroupMember[];
}

/** Rows stored by column, so that each field name is written only once. */
export type Columns<Row> = { readonly [Field in keyof Row]: readonly Row[Field][] };

/** Training data of an episode, as stored with its run. */
export interface Learned {
  /** (T) per token. */
  readonly worked: Columns<WorkedToken>;
  /** (T) per token; null if no update contained them. */
  readonly updates: Columns<TokenUpdate> | null;
  readonly group: InspectedGroup;
}

/** A stored episode with details of its tokens and its group. */
export interface Inspection {
  readonly number: number;
  readonly iteration: number;
  readonly record: EpisodeRecord;
  /** All turns, in the order of generation. */
  readonly tokens: readonly InspectedToken[];
  /** Null for an evaluation, and for a group that dynamic sampling filtered out. */
  readonly group: InspectedGroup | null;
}

/** A token that the agent could have generated instead. */
export interface Alternative {
  readonly text: string;
  readonly probability: number;
}

/** The most probable tokens at every position of an episode, under the weights of one version. */
export interface Alternatives {
  /** The policy version evaluated: the current one, not the one that generated the episode. */
  readonly version: number;
  /**
   * For each token, in order: the most probable alternatives, and the generated token at any rank.
   */
  readonly tokens: readonly {
    readonly top: readonly Alternative[];
    /** Probability of the generated token under this version. */
    readonly probability: number;
    /** Rank of the generated token; 1 is the most probable. */
    readonly rank: number;
  }[];
}
