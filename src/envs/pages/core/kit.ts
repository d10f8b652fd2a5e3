/** Definition of a page environment: tasks, places, and effects of actions. */

import type { RandomGenerator } from 'pure-rand/types/RandomGenerator';
import type { Demonstration } from '../../types.ts';

/** From easiest to hardest. */
export const RUNGS = ['one', 'two', 'three', 'four'] as const;
export type Rung = (typeof RUNGS)[number];

/** The goal of a task and its sites. */
export interface Goal {
  readonly rung: Rung;
  /** The text that the agent reads. */
  readonly goal: string;
  /** What decides whether the goal is held out, such as a kind of product with its attributes. */
  readonly asked: string;
  /** A text that identifies the sites: equal texts mean equal sites. */
  readonly world: string;
}

/** The result of an action. */
export interface Acted<Place> {
  readonly place: Place;
  /** Whether the text is an action on this page. */
  readonly understood: boolean;
}

/** `Place` is plain data: the open page, the site's records, and what was chosen and read. */
export interface Kit<Task extends Goal, Place> {
  /** Versioned id of the environment. */
  readonly id: string;
  /** Prefix of task ids. */
  readonly name: string;
  readonly turnLimit: number;
  readonly instruction: string;
  readonly lexicon: readonly string[];
  readonly thoughtLexicon: readonly string[];
  /**
   * How evaluation tasks differ from training tasks: a sentence, and plural nouns for what is asked and for
   * the sites.
   */
  readonly holdout: { readonly sentence: string; readonly asked: string; readonly worlds: string };
  /** A task of a rung; null if the draw fails. */
  draw(rung: Rung, random: RandomGenerator): Task | null;
  start(task: Task): Place;
  act(task: Task, place: Place, text: string): Acted<Place>;
  /** The observation in a place. */
  read(task: Task, place: Place): string;
  /** The score from 0 to 1; null while the episode continues. Exactly 1 is a success. */
  score(task: Task, place: Place): number | null;
  /** Useful actions in a place, including the expert's. */
  actions(task: Task, place: Place): readonly string[];
  advise(task: Task, place: Place): Demonstration;
}
