/** Definition of a household environment: goals, houses, verbs and judge. */

import type { RandomGenerator } from 'pure-rand/types/RandomGenerator';
import type { Demonstration } from '../../types.ts';
import type { Change, House, HouseState } from './house.ts';
import type { Now, Verb } from './verbs.ts';

/** From easiest to hardest. */
export const RUNGS = ['one', 'two', 'three', 'four'] as const;
export type Rung = (typeof RUNGS)[number];

/** The goal of a task, and its house at the start. */
export interface HouseTask<Own> {
  readonly house: House;
  readonly goal: string;
  /** The text of its `Goal`. */
  readonly key: string;
  readonly start: Pick<HouseState<Own>, 'at' | 'within' | 'marks' | 'own'>;
}

/** A goal before its house is drawn; its words decide whether it is held out. */
export interface Goal {
  readonly text: string;
}

export interface Kit<G extends Goal, Task extends HouseTask<Own>, Own> {
  /** Versioned id of the environment. */
  readonly id: string;
  /** Prefix of task ids. */
  readonly name: string;
  readonly turnLimit: number;
  /** Maximum number of turns for the expert; a house that takes more is rejected. */
  readonly mostTurns: number;
  /** The instruction before and after the list of verbs. */
  readonly role: string;
  readonly remarks: string;
  /**
   * The end of the holdout's sentence, which begins by saying that these goals do not occur in training.
   */
  readonly known: string;
  readonly verbs: readonly Verb<Task, Own>[];
  /** Lexemes of observations other than the words of verbs. */
  readonly lexicon: readonly string[];
  readonly thoughts: readonly string[];
  /** The goals of a rung by kind; the kinds alternate. */
  goals(rung: Rung): readonly (readonly G[])[];
  /** A house for a goal; null if the draw fails. */
  furnish(goal: G, rung: Rung, random: RandomGenerator): Task | null;
  firstObservation(now: Now<Task, Own>): string;
  /** The reply to a text that is not an action; it contains `Unknown action.` */
  readonly notUnderstood: string;
  /** The observation after a turn: the reply, and anything appended to it. */
  observation(now: Now<Task, Own>, answer: string): string;
  /** The last observation: the reply, and anything appended to it. */
  ending(now: Now<Task, Own>, answer: string): string;
  /** Effects of a turn, including a refused one: passing time and bookkeeping. */
  settle(before: Now<Task, Own>, after: Now<Task, Own>): Change<Own>;
  /** The score from 0 to 1; the reward of a turn is its increase. */
  score(now: Now<Task, Own>): number;
  success(now: Now<Task, Own>): boolean;
  /** Whether the task can no longer be solved, which ends it. */
  lost(now: Now<Task, Own>): boolean;
  expert(now: Now<Task, Own>): Demonstration;
}
