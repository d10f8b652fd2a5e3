/** What a household brings: its goals, its houses, what can be done in them, and who judges it. */

import type { RandomGenerator } from 'pure-rand/types/RandomGenerator';
import type { Demonstration } from '../../types.ts';
import type { Change, House, HouseState } from './house.ts';
import type { Now, Verb } from './verbs.ts';

/** From the easiest on. */
export const RUNGS = ['one', 'two', 'three', 'four'] as const;
export type Rung = (typeof RUNGS)[number];

/** What a task is about, and how its house stands at the start. */
export interface HouseTask<Own> {
  readonly house: House;
  readonly goal: string;
  /** The text of the `Goal` that it came from. */
  readonly key: string;
  readonly start: Pick<HouseState<Own>, 'at' | 'within' | 'marks' | 'own'>;
}

/** A goal before there is a house for it; its words decide whether training may have it. */
export interface Goal {
  readonly text: string;
}

export interface Kit<G extends Goal, Task extends HouseTask<Own>, Own> {
  /** Versioned id of the environment. */
  readonly id: string;
  /** Task ids begin with it. */
  readonly name: string;
  readonly turnLimit: number;
  /** Turns that the expert needs at most; a house that takes more is not a task. */
  readonly mostTurns: number;
  /** What the agent is told before the verbs are listed, and after. */
  readonly role: string;
  readonly remarks: string;
  /** Ends the sentence of the holdout, which begins with that training never has these goals. */
  readonly known: string;
  readonly verbs: readonly Verb<Task, Own>[];
  /** Lexemes of observations beside the words of verbs. */
  readonly lexicon: readonly string[];
  readonly thoughts: readonly string[];
  /** The goals of a rung by kind; the kinds take turns. */
  goals(rung: Rung): readonly (readonly G[])[];
  /** A house for a goal; null where the draw came to none. */
  furnish(goal: G, rung: Rung, random: RandomGenerator): Task | null;
  firstObservation(now: Now<Task, Own>): string;
  /** What is said of a text that is no action; it contains `Unknown action.` */
  readonly notUnderstood: string;
  /** What an answer is followed by, if anything. */
  observation(now: Now<Task, Own>, answer: string): string;
  /** What the last answer is followed by. */
  ending(now: Now<Task, Own>, answer: string): string;
  /** What follows from a turn: time that passes, and what is noted of it. Also of one that was refused. */
  settle(before: Now<Task, Own>, after: Now<Task, Own>): Change<Own>;
  /** From 0 to 1; the reward of a turn is what it adds. */
  score(now: Now<Task, Own>): number;
  success(now: Now<Task, Own>): boolean;
  /** Whether the task can no longer be solved, which ends it. */
  lost(now: Now<Task, Own>): boolean;
  expert(now: Now<Task, Own>): Demonstration;
}
