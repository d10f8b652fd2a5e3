import type { AdvantageName } from '../algorithms/advantages.ts';
import type { Surrogate } from '../algorithms/surrogates.ts';
import type { Moments, WorkedToken } from '../algorithms/worked-advantages.ts';
import type { EpisodeRecord } from './episode.ts';

/** Episodes taken apart to be looked at: plain data, recorded by the trainer and never made up. */

/** Which bound, or which pick of Clip-Cov or KL-Cov, held a token back. */
export type HeldBack = 'low' | 'high' | 'dual' | 'picked';

/** What the last update that a token had a part in made of it. */
export interface TokenUpdate {
  /** Counts from 1 over the whole run. */
  readonly update: number;
  /** Log-probability in nats just before the update. */
  readonly logp: number;
  /** Log-probability that the ratio is taken against. */
  readonly oldLogp: number;
  /** What clipping looks at: exp(logp − oldLogp), for GSPO the episode's. */
  readonly ratio: number;
  /** Importance weight that clipping does not affect; 1 if there is none. */
  readonly importance: number;
  /** Bounds in force. */
  readonly clipLow: number;
  readonly clipHigh: number;
  /** Null: its gradient was let through. */
  readonly held: HeldBack | null;
  /** The surrogate's loss of this token, without entropy, KL and value terms. */
  readonly policyLoss: number;
  /** Those terms: −entropy bonus + KL penalty + value loss, each with its coefficient. */
  readonly otherLoss: number;
  /** Its weight in the update's loss. */
  readonly weight: number;
}

/** One token that the agent wrote. */
export interface InspectedToken {
  /** Turn in which it was written, from 0. */
  readonly turn: number;
  readonly text: string;
  /** Log-probability and entropy in nats when it was written. */
  readonly logp: number;
  readonly entropy: number;
  /** Policy version that wrote it. */
  readonly version: number;
  /** The way to its advantage; null where nothing was learned from it. */
  readonly worked: WorkedToken | null;
  /** Null where no update learned from it. */
  readonly update: TokenUpdate | null;
}

/** An episode of a group, in a few numbers. */
export interface GroupMember {
  /** Its number among the kept episodes; null where it has dropped out. */
  readonly number: number | null;
  readonly turns: number;
  readonly score: number;
  readonly success: boolean;
  readonly truncated: boolean;
  /** Discounted from its start. */
  readonly reward: number;
  /** As in `WorkedEpisode`. */
  readonly baseline: number | null;
  readonly scale: number | null;
  /** Mean over its tokens, which are all the same where episodes are compared. */
  readonly advantage: number;
}

/** How the advantages of a group came about. */
export interface InspectedGroup {
  readonly taskId: string;
  readonly estimator: AdvantageName;
  readonly gamma: number;
  readonly lambda: number;
  /** Of the group's rewards; the deviation is the sample's. */
  readonly rewards: Moments;
  /** All rewards are the same: there is nothing to learn from comparing them. */
  readonly equal: boolean;
  /** Over all tokens of the iteration, where they are whitened. */
  readonly whitening: Moments | null;
  readonly surrogate: Surrogate;
  readonly members: readonly GroupMember[];
}

/** Rows as one list for each of their fields, whose names are then written once. */
export type Columns<Row> = { readonly [Field in keyof Row]: readonly Row[Field][] };

/** What was learned from an episode, as it is kept with its run. */
export interface Learned {
  /** (T) of its tokens. */
  readonly worked: Columns<WorkedToken>;
  /** (T) of its tokens; null where no update learned from them. */
  readonly updates: Columns<TokenUpdate> | null;
  readonly group: InspectedGroup;
}

/** A kept episode taken apart. */
export interface Inspection {
  readonly number: number;
  readonly iteration: number;
  readonly record: EpisodeRecord;
  /** In the order in which they were written, over all turns. */
  readonly tokens: readonly InspectedToken[];
  /** Null for an evaluation, and for a group that dynamic sampling left out. */
  readonly group: InspectedGroup | null;
}

/** What else the agent could have written in a token's place. */
export interface Alternative {
  readonly text: string;
  readonly probability: number;
}

/** The most probable tokens at every token of an episode, under the weights of one version. */
export interface Alternatives {
  /** Policy version that was asked: the present one, not the one that wrote the episode. */
  readonly version: number;
  /** For each token, in order: the most probable ones, and the token itself wherever it ranks. */
  readonly tokens: readonly {
    readonly top: readonly Alternative[];
    /** Probability of the written token now. */
    readonly probability: number;
    /** 1 for the most probable. */
    readonly rank: number;
  }[];
}
