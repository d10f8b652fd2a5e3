/** What the page asks about answers, critiques and refinements, and what the worker answers. */

import type { KeptConversation } from '../runs/conversation.ts';
import type { CritiqueItem } from '../runs/critique-item.ts';
import type { DrawnTasks, TestTimePlan } from '../runs/test-time.ts';
import type { RunId } from './run-id.ts';

/** A question that a run's actor and critic answer, as they are after the present iteration. */
export type PlayersQuestion =
  /** Has the actor answer a task. */
  | {
      readonly type: 'answer-task';
      readonly runId: RunId;
      readonly request: number;
      readonly task: string;
      /** Keys the draw: the same number gives the same answer of the same actor. */
      readonly draw: number;
    }
  /** Has the actor refine an answer after a critique of the visitor's, the critic's, and the oracle's. */
  | {
      readonly type: 'weigh-critique';
      readonly runId: RunId;
      readonly request: number;
      readonly task: string;
      readonly answer: string;
      readonly critique: string;
    }
  /** Makes a data set of critiques of the actor's answers, which the phase `collect` tells the progress of. */
  | {
      readonly type: 'collect-critiques';
      readonly runId: RunId;
      readonly request: number;
      readonly count: number;
      readonly seed: number;
    }
  /** Draws samples of evaluation tasks, which the phase `draw` tells the progress of. */
  | {
      readonly type: 'draw-samples';
      readonly runId: RunId;
      readonly request: number;
      readonly plan: TestTimePlan;
    };

export type ConversationQuestion =
  /** Asks for the conversations that are kept; the latest run answers, also when it is over. */
  | { readonly type: 'list-conversations'; readonly runId: RunId; readonly request: number }
  | PlayersQuestion;

/** Gives up a question that takes long; it is answered with a refusal. */
export interface GiveUp {
  readonly type: 'give-up';
  readonly runId: RunId;
  readonly request: number;
}

/** Whose critiques an answer is refined after. */
export const critiqueAuthors = ['visitor', 'critic', 'oracle'] as const;
export type CritiqueAuthor = (typeof critiqueAuthors)[number];

/** A critique, and what the actor makes of it with its most probable words. */
export interface WeighedCritique {
  readonly author: CritiqueAuthor;
  readonly critique: string;
  readonly refinement: string;
}

/** A data set of critiques, and what was counted when it was made. */
export interface CollectedCritiques {
  readonly items: readonly CritiqueItem[];
  readonly counts: CollectionCounts;
}

export interface CollectionCounts {
  readonly asked: number;
  readonly duplicates: number;
  /** Right answers by errors that cancel each other out. */
  readonly cancelled: number;
  /** Dropped by the filter, by level from 1. */
  readonly filtered: readonly number[];
  /** More of a kind than was wanted. */
  readonly surplus: number;
}

export type ConversationAnswer =
  | {
      readonly type: 'conversations';
      readonly runId: RunId;
      readonly request: number;
      /** Oldest first. */
      readonly conversations: readonly KeptConversation[];
    }
  | {
      readonly type: 'task-answer';
      readonly runId: RunId;
      readonly request: number;
      readonly answer: string;
    }
  | {
      readonly type: 'weighed-critiques';
      readonly runId: RunId;
      readonly request: number;
      /** One of each author, in the order of `critiqueAuthors`. */
      readonly weighed: readonly WeighedCritique[];
    }
  | {
      readonly type: 'collected-critiques';
      readonly runId: RunId;
      readonly request: number;
      readonly collected: CollectedCritiques;
    }
  | {
      readonly type: 'drawn-samples';
      readonly runId: RunId;
      readonly request: number;
      readonly drawn: DrawnTasks;
    };
