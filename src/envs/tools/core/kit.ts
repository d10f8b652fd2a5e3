/** What a tool environment brings: a world, the tools that look at it or change it, and goals. */

import type { RandomGenerator } from 'pure-rand/types/RandomGenerator';
import type { Json, Scalar } from './json.ts';
import type { Fillings } from './pattern.ts';
import type { Answer, Call, PlannedCall, Tool } from './tool.ts';

/** From the easiest on. */
export const RUNGS = ['one', 'two', 'three', 'four'] as const;
export type Rung = (typeof RUNGS)[number];

/** A goal in a world, how it is reached, and the answer that ends it. */
export interface Plan {
  readonly fillings: Fillings;
  /** Made one after the other they lead to the world that the goal asks for. */
  readonly calls: readonly PlannedCall[];
  /** Null where `finish` takes none. */
  readonly answer: Answer | null;
  /** Why this is the answer, or why that is all. */
  readonly thought: string;
}

/** A kind of goal. */
export interface Template<World extends Json> {
  readonly rung: Rung;
  /** Its sentence, with places. */
  readonly goal: string;
  /** A goal of the kind in a world; null where the world has none. */
  plan(world: World, random: RandomGenerator): Plan | null;
}

/** A part of the world, to be drawn as a table. */
export interface Table {
  /** The same for the same table before and after a call. */
  readonly key: string;
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly TableRow[];
  /** Drawn as a spreadsheet. */
  readonly grid?: boolean;
}

export interface TableRow {
  /** The same for the same thing before and after a call. */
  readonly key: string;
  /** Stands before the cells, as a row's number does; that it changes is no change of the row. */
  readonly heading?: string;
  /** A reply that has all of these as values tells of the row. */
  readonly marks: readonly string[];
  readonly cells: readonly string[];
  /** What calls name the cells by, where they do. */
  readonly places?: readonly string[];
}

export interface Kit<World extends Json> {
  /** Versioned id of the environment. */
  readonly id: string;
  /** Task ids begin with it. */
  readonly name: string;
  /** What the agent is there for, as the end of a sentence that begins with `You`. */
  readonly role: string;
  readonly turnLimit: number;
  readonly tools: readonly Tool<World>[];
  readonly templates: readonly Template<World>[];
  draw(random: RandomGenerator): World;
  /** What the errors of the tools say, the sentences of thoughts, the keys of each object in replies. */
  readonly errors: readonly string[];
  readonly thoughts: readonly string[];
  readonly replies: readonly (readonly string[])[];
  /** Every text and number that replies, goals and calls are made of. */
  readonly values: readonly Scalar[];
  /** Answers that make sense before anything has been read; null where goals ask only for changes and `finish` takes none. */
  readonly answers: readonly Answer[] | null;
  /** What of a world must be as the goal wants it; all of it where this is absent. */
  compared?(world: World): Json;
  /** A call that brings the world nearer to what is wanted, where a stray call can be made good. */
  repair?(world: World, wanted: World): PlannedCall | null;
  tables(world: World): readonly Table[];
  /** The cells that a call and its reply are about, as `TableRow.places` names them. */
  pointsAt?(call: Call, reply: Json | null): readonly string[];
}
