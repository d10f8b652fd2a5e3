/** What an environment of pages brings: tasks, places, and what an action does in one. */

import type { RandomGenerator } from 'pure-rand/types/RandomGenerator';
import type { Demonstration } from '../../types.ts';

/** From the easiest on. */
export const RUNGS = ['one', 'two', 'three', 'four'] as const;
export type Rung = (typeof RUNGS)[number];

/** What is asked, and of which world. */
export interface Goal {
  readonly rung: Rung;
  /** As the agent reads it. */
  readonly goal: string;
  /** What decides whether the goal is kept for evaluation, such as a kind of product with its attributes. */
  readonly asked: string;
  /** The world in words, equal texts for equal worlds. */
  readonly world: string;
}

/** Where an action leads. */
export interface Acted<Place> {
  readonly place: Place;
  /** Whether the text was an action that this page takes. */
  readonly understood: boolean;
}

/** `Place` is plain data: the page that is open, the site's records, what was chosen and read. */
export interface Kit<Task extends Goal, Place> {
  /** Versioned id of the environment. */
  readonly id: string;
  /** Task ids begin with it. */
  readonly name: string;
  readonly turnLimit: number;
  readonly instruction: string;
  readonly lexicon: readonly string[];
  readonly thoughtLexicon: readonly string[];
  /** What evaluation asks that training never did: a sentence, and plurals for `asked` and `world`. */
  readonly holdout: { readonly sentence: string; readonly asked: string; readonly worlds: string };
  /** A task of a rung; null where what was drawn makes none. */
  draw(rung: Rung, random: RandomGenerator): Task | null;
  start(task: Task): Place;
  act(task: Task, place: Place, text: string): Acted<Place>;
  /** What is read in a place. */
  read(task: Task, place: Place): string;
  /** What the episode is worth, from 0 to 1; null while it goes on. Exactly 1 is a success. */
  score(task: Task, place: Place): number | null;
  /** Actions that make sense in a place, the expert's among them. */
  actions(task: Task, place: Place): readonly string[];
  advise(task: Task, place: Place): Demonstration;
}
