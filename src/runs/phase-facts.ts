import type { Surrogate } from '../algorithms/surrogates.ts';
import type { Moments, WorkedToken } from '../algorithms/worked-advantages.ts';
import type { recipeTraits } from '../config/recipes.ts';
import type { ConversationRecord } from './conversation.ts';
import type { UpdateDetail } from './details.ts';
import type { EpisodeRecord } from './episode.ts';
import type { InspectedGroup, InspectedToken, TokenUpdate } from './inspection.ts';

/** An iteration in steps: the result of each phase, as plain data. */

export type StepPhase = (typeof recipeTraits)[keyof typeof recipeTraits]['phases'][number];

/** Episode counts of a round in one environment. */
interface RoundCounts {
  readonly id: string;
  readonly explored: number;
  readonly solved: number;
  readonly kept: number;
}

/** An explored episode, and whether it was kept for training. */
export interface SiftedEpisode {
  readonly record: EpisodeRecord;
  readonly reward: number;
  /** Its weight in the loss; 0 if it is discarded. */
  readonly weight: number;
  /** The reason it is discarded; null if it is kept. */
  readonly why: ThrownWhy | null;
}

/** Why an explored episode is not used for training. */
export type ThrownWhy =
  /** Its reward gives it no weight. */
  | 'unrewarded'
  /** Another attempt at its task was kept first. */
  | 'another'
  /** It is in no pair of a success and a failure. */
  | 'unpaired';

/** Number of critiques of one kind of answer, and of those with a correct verdict. */
export interface VerdictCounts {
  readonly heard: number;
  readonly true: number;
}

/** Input of an estimator for one episode of T generated tokens. */
export interface ScoredEpisode {
  /** (T) the reward after each token, minus the KL penalty if it is part of the reward. */
  readonly rewards: readonly number[];
  /** (T) value estimates; null without a value head. */
  readonly values: readonly number[] | null;
  /**
   * Value after the last token: 0 after termination, an estimate after truncation; null without a
   * value head.
   */
  readonly bootstrap: number | null;
  /** Discounted to the start of the episode. */
  readonly reward: number;
  /** Reward of the greedy episode on the same task; null except for ReMax. */
  readonly greedyReward: number | null;
}

/** A generated token of the followed group. */
export interface FollowedToken {
  /** Index of its episode in the followed group. */
  readonly member: number;
  /** Its index among the tokens of the episode. */
  readonly token: number;
}

/** A token of an update's mini-batch. */
export interface LossToken {
  /** Index in the followed group; null for an episode of another group. */
  readonly member: number | null;
  /** Its index among the tokens of its episode. */
  readonly token: number;
  readonly taskId: string;
  readonly turn: number;
  /** Whether the environment understood the action of its turn. */
  readonly understood: boolean;
  readonly text: string;
  readonly advantage: number;
  readonly update: TokenUpdate;
}

/** A token before and after an update. */
export interface ChangedToken {
  readonly text: string;
  readonly advantage: number;
  /** Probability under the weights before and after the update. */
  readonly before: number;
  readonly after: number;
}

/** An update within its iteration: `index` counts from 1 to `of`. */
interface Place {
  readonly index: number;
  readonly of: number;
}

/** Result of one phase. One group of episodes is followed through all phases. */
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
      /** Over all episodes used for training. */
      readonly rewards: Moments;
      /** Number of groups that dynamic sampling filtered out. */
      readonly leftOut: number;
      /** Per member of the followed group; empty if the group was filtered out. */
      readonly members: readonly ScoredEpisode[];
    }
  | {
      readonly phase: 'advantages';
      /** Null if the followed group was filtered out. */
      readonly group: InspectedGroup | null;
      /** Per member, (T) the steps from reward to advantage of each token. */
      readonly worked: readonly (readonly WorkedToken[])[];
      /** Number of tokens in the iteration by the sign of their advantage. */
      readonly positive: number;
      readonly zero: number;
      readonly negative: number;
    }
  | {
      readonly phase: 'answer';
      readonly iteration: number;
      /** Training stage of the critic; null if nothing is rewarded. */
      readonly stage: 1 | 2 | null;
      readonly answers: number;
      readonly right: number;
      readonly turns: number;
      readonly tokens: number;
      /** The followed answer; null if there is none. */
      readonly followed: ConversationRecord | null;
    }
  | {
      readonly phase: 'criticize';
      readonly critiques: number;
      readonly ofRight: VerdictCounts;
      readonly ofWrong: VerdictCounts;
      /** Critiques that cannot be parsed; they count as wrong verdicts. */
      readonly malformed: number;
      readonly tokens: number;
      /** The followed answer with each of its critiques. */
      readonly followed: readonly ConversationRecord[];
    }
  | {
      readonly phase: 'refine';
      readonly refinements: number;
      /**
       * Numbers of answers by result of the refinement: wrong → correct, wrong → wrong, correct → correct,
       * correct → wrong.
       */
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
      /** Over all critiques. */
      readonly rewards: Moments;
      /** Rewards of the critiques of the followed answer. */
      readonly followed: readonly number[];
    }
  | {
      readonly phase: 'explore';
      readonly iteration: number;
      readonly round: number;
      /** The iteration within the round, and the number of iterations in a round. */
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
      /**
       * The largest amount added to rewards to make them non-negative, over all environments; 0 if
       * none was negative.
       */
      readonly shift: number;
      readonly environments: readonly RoundCounts[];
      /** A sample of the kept episodes, followed by a sample of the discarded ones. */
      readonly shown: readonly SiftedEpisode[];
    }
  | {
      readonly phase: 'learn';
      readonly by: 'likelihood' | 'pairs';
      readonly start: 'base' | 'previous';
      /** Numbers of episodes from this round, from earlier rounds and from the expert. */
      readonly fresh: number;
      readonly earlier: number;
      readonly expert: number;
      readonly updates: number;
      /** Null if there was no update. */
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
      /** Number of tokens whose gradient was removed. */
      readonly held: number;
      /**
       * Tokens of the followed group if the mini-batch contains any, otherwise of another episode.
       */
      readonly shown: readonly LossToken[];
    } & Place)
  | ({
      readonly phase: 'update';
      readonly detail: UpdateDetail;
      readonly learningRate: number;
      /** The norm to which larger gradients are clipped. */
      readonly maxGradNorm: number;
      /** The tokens that the loss phase shows. */
      readonly shown: readonly ChangedToken[];
      /** The token of the mini-batch with the largest change in probability. */
      readonly biggest: ChangedToken | null;
      /** Mean over the mini-batch of |after − before|. */
      readonly meanChange: number;
    } & Place);

/** Index of a token of the followed group among the tokens of an update; -1 if it is not there. */
export const placeOf = (
  { shown }: { readonly shown: readonly LossToken[] },
  { member, token }: FollowedToken,
): number => shown.findIndex((one) => one.member === member && one.token === token);

/** Phase at which a stepped iteration stops: the next one, or the loss of a certain update. */
export type PhaseStop =
  | 'next'
  | 'last-loss'
  /** The next update whose mini-batch contains this token; the last update if none does. */
  | FollowedToken;

/** The result type of a phase. */
export type FactsOf<Phase extends StepPhase> = Extract<PhaseFacts, { readonly phase: Phase }>;
