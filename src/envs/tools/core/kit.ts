/** Definition of a tool environment: a database, the tools that read or change it, and goals. */

import type { RandomGenerator } from 'pure-rand/types/RandomGenerator';
import type { Json, Scalar } from './json.ts';
import type { Fillings } from './pattern.ts';
import type { Answer, Call, PlannedCall, Tool } from './tool.ts';

/** From easiest to hardest. */
export const RUNGS = ['one', 'two', 'three', 'four'] as const;
export type Rung = (typeof RUNGS)[number];

/** A goal, its solution, and its answer. */
export interface Plan {
  readonly fillings: Fillings;
  /** Executed in order, they lead to the required database. */
  readonly calls: readonly PlannedCall[];
  /** Null if `finish` takes no answer. */
  readonly answer: Answer | null;
  /** Why this is the answer, or why nothing is left to do. */
  readonly thought: string;
}

/** A kind of goal. */
export interface Template<World extends Json> {
  readonly rung: Rung;
  /** Its sentence, with placeholders. */
  readonly goal: string;
  /** A goal of this kind; null if the database supports none. */
  plan(world: World, random: RandomGenerator): Plan | null;
}

/** A part of the database that is drawn as a table. */
export interface Table {
  /** Identifies the table before and after a call. */
  readonly key: string;
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly TableRow[];
  /** Drawn as a spreadsheet. */
  readonly grid?: boolean;
}

export interface TableRow {
  /** Identifies the row before and after a call. */
  readonly key: string;
  /** Precedes the cells, for example a row number; its changes do not count as changes of the row. */
  readonly heading?: string;
  /** A reply that contains all of these values counts as reading the row. */
  readonly marks: readonly string[];
  readonly cells: readonly string[];
  /** Names of the cells in calls, if they have any. */
  readonly places?: readonly string[];
}

export interface Kit<World extends Json> {
  /** Versioned id of the environment. */
  readonly id: string;
  /** Prefix of task ids. */
  readonly name: string;
  /** The agent's role, as the end of a sentence that starts with `You`. */
  readonly role: string;
  readonly turnLimit: number;
  readonly tools: readonly Tool<World>[];
  readonly templates: readonly Template<World>[];
  draw(random: RandomGenerator): World;
  /** Error texts of the tools, sentences of thoughts, and keys of each object in replies. */
  readonly errors: readonly string[];
  readonly thoughts: readonly string[];
  readonly replies: readonly (readonly string[])[];
  /** Every text and number in replies, goals and calls. */
  readonly values: readonly Scalar[];
  /**
   * Answers that are plausible before anything is read; null if goals only ask for changes and `finish` takes
   * no answer.
   */
  readonly answers: readonly Answer[] | null;
  /** The part of the database that must be as required; all of it if absent. */
  compared?(world: World): Json;
  /** A call that moves the database closer to the required one after a stray call, if that is possible. */
  repair?(world: World, wanted: World): PlannedCall | null;
  tables(world: World): readonly Table[];
  /** The cells that a call and its reply concern, named as in `TableRow.places`. */
  pointsAt?(call: Call, reply: Json | null): readonly string[];
}
