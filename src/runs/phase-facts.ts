import type { Surrogate } from '../algorithms/surrogates.ts';
import type { Moments, WorkedToken } from '../algorithms/worked-advantages.ts';
import type { recipeTraits } from '../config/recipes.ts';
import type { ConversationRecord } from './conversation.ts';
import type { UpdateDetail } from './details.ts';
import type { EpisodeRecord } from './episode.ts';
import type { InspectedGroup, InspectedToken, TokenUpdate } from './inspection.ts';

/** An iteration step by step: the result of each phase, as plain data. */

export type StepPhase = (typeof recipeTraits)[keyof typeof recipeTraits]['phases'][number];

/** Counts of a round in one environment. */
export interface RoundCounts {
  readonly id: string;
  readonly explored: number;
  readonly solved: number;
  readonly kept: number;
}

/** An explored episode, and whether it is kept. */
export interface SiftedEpisode {
  readonly record: EpisodeRecord;
  readonly reward: number;
  /** What it counts in the loss; 0 where it is thrown away. */
  readonly weight: number;
  /** Why it is thrown away; null for one that is kept. */
  readonly why: ThrownWhy | null;
}

/** Why an explored episode is not learned from. */
export type ThrownWhy =
  /** Its reward gives it no weight. */
  | 'unrewarded'
  /** Another try of its task was kept before. */
  | 'another'
  /** There is no pair of a success and a failure that it is in. */
  | 'unpaired';

/** Critiques of answers of one kind, and those of them whose verdict is true. */
export interface VerdictCounts {
  readonly heard: number;
  readonly true: number;
}

/** What an estimator is given of an episode. T tokens that the agent wrote. */
export interface ScoredEpisode {
  /** (T) what arrived after each token, a KL penalty in the reward taken off. */
  readonly rewards: readonly number[];
  /** (T) the value head's estimates; null without one. */
  readonly values: readonly number[] | null;
  /** The value of what follows: 0 after an end, an estimate after a cut; null without a value head. */
  readonly bootstrap: number | null;
  /** Discounted from its start. */
  readonly reward: number;
  /** Reward of the greedy episode on the same task; null but for ReMax. */
  readonly greedyReward: number | null;
}

/** A token of an update's mini-batch. */
export interface LossToken {
  /** Place in the group that is followed; null for an episode of another group. */
  readonly member: number | null;
  readonly taskId: string;
  readonly turn: number;
  /** Whether the environment understood the action of that turn. */
  readonly understood: boolean;
  readonly text: string;
  readonly advantage: number;
  readonly update: TokenUpdate;
}

/** A token before and after an update. */
export interface ChangedToken {
  readonly text: string;
  readonly advantage: number;
  /** Probability by the weights before and after it. */
  readonly before: number;
  readonly after: number;
}

/** Which update of the iteration: `index` counts from 1, of `of`. */
interface Place {
  readonly index: number;
  readonly of: number;
}

/** Result of one phase. One group of episodes is followed through all of them. */
export type PhaseFacts =
  | {
      readonly phase: 'rollout';
      readonly iteration: number;
      readonly horizon: number;
      readonly groups: number;
      readonly episodes: number;
      readonly solved: number;
      readonly turns: number;
      readonly tokens: number;
      /** Episodes that continue in the next iteration. */
      readonly paused: number;
      /** The followed group; empty if no group finished. */
      readonly members: readonly {
        readonly record: EpisodeRecord;
        readonly tokens: readonly InspectedToken[];
      }[];
    }
  | {
      readonly phase: 'score';
      readonly gamma: number;
      /** Of all episodes that are learned from. */
      readonly rewards: Moments;
      /** Groups that dynamic sampling left out. */
      readonly leftOut: number;
      /** By member of the followed group; empty where it is left out. */
      readonly members: readonly ScoredEpisode[];
    }
  | {
      readonly phase: 'advantages';
      /** Null where the followed group is left out. */
      readonly group: InspectedGroup | null;
      /** By member, (T) the way to each token's advantage. */
      readonly worked: readonly (readonly WorkedToken[])[];
      /** Tokens of the iteration by the sign of their advantage. */
      readonly positive: number;
      readonly zero: number;
      readonly negative: number;
    }
  | {
      readonly phase: 'answer';
      readonly iteration: number;
      /** Null where nothing is rewarded. */
      readonly stage: 1 | 2 | null;
      readonly answers: number;
      readonly right: number;
      readonly turns: number;
      readonly tokens: number;
      /** The followed answer; null if there is none. */
      readonly followed: ConversationRecord | null;
    }
  | {
      readonly phase: 'criticise';
      readonly critiques: number;
      readonly ofRight: VerdictCounts;
      readonly ofWrong: VerdictCounts;
      /** Critiques that cannot be read, which count as wrong verdicts. */
      readonly malformed: number;
      readonly tokens: number;
      /** The followed answer with each of its critiques. */
      readonly followed: readonly ConversationRecord[];
    }
  | {
      readonly phase: 'refine';
      readonly refinements: number;
      /** Wrong answers that became right, and that did not; right ones that stayed so, and that did not. */
      readonly mended: number;
      readonly stillWrong: number;
      readonly kept: number;
      readonly spoilt: number;
      readonly tokens: number;
      /** The followed answer with each of its critiques and refinements. */
      readonly followed: readonly ConversationRecord[];
    }
  | {
      readonly phase: 'reward';
      readonly stage: 1 | 2;
      /** Of all critiques. */
      readonly rewards: Moments;
      /** Of the critiques of the followed answer. */
      readonly followed: readonly number[];
    }
  | {
      readonly phase: 'explore';
      readonly iteration: number;
      readonly round: number;
      /** Which iteration of the round, of how many. */
      readonly part: number;
      readonly parts: number;
      readonly horizon: number;
      readonly tasks: number;
      readonly episodes: number;
      readonly solved: number;
      readonly turns: number;
      readonly tokens: number;
    }
  | {
      readonly phase: 'sift';
      readonly kept: number;
      readonly thrown: number;
      /** By how much rewards were raised, the most of any environment; 0 where none was negative. */
      readonly shift: number;
      readonly environments: readonly RoundCounts[];
      /** Some of those that are kept, then some of those that are thrown away. */
      readonly shown: readonly SiftedEpisode[];
    }
  | {
      readonly phase: 'learn';
      readonly by: 'likelihood' | 'pairs';
      readonly start: 'base' | 'previous';
      /** Episodes of this round, of earlier ones, and of the expert. */
      readonly fresh: number;
      readonly earlier: number;
      readonly expert: number;
      readonly updates: number;
      /** Null where nothing was learned. */
      readonly loss: number | null;
    }
  | ({
      readonly phase: 'loss';
      readonly surrogate: Surrogate;
      readonly episodes: number;
      readonly tokens: number;
      readonly loss: number;
      readonly clipLow: number;
      readonly clipHigh: number;
      /** Tokens whose gradient was held back. */
      readonly held: number;
      /** Of the followed group where it has some here, else of another episode. */
      readonly shown: readonly LossToken[];
    } & Place)
  | ({
      readonly phase: 'update';
      readonly detail: UpdateDetail;
      readonly learningRate: number;
      /** Gradients are scaled down to this norm. */
      readonly maxGradNorm: number;
      /** As `shown` of the loss. */
      readonly shown: readonly ChangedToken[];
      /** The token of the mini-batch whose probability changed the most. */
      readonly biggest: ChangedToken | null;
      /** Mean over the mini-batch of |after − before|. */
      readonly meanChange: number;
    } & Place);

/** What a phase says by its name. */
export type FactsOf<Phase extends StepPhase> = Extract<PhaseFacts, { readonly phase: Phase }>;
