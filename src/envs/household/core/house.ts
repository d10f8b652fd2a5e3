/** A house at a moment: its things, where each of them is, and how it is. */

/** Where a thing is that the agent carries, and where nothing is. */
export const HAND = -1;
export const NOWHERE = -2;

/** Rooms, furniture and what lies about, by number. */
export interface House {
  /** As texts write them; no two things of a house have the same name. */
  readonly names: readonly string[];
  readonly numberOf: ReadonlyMap<string, number>;
}

/** What a world keeps beside it, such as degrees, is `Own`. */
export interface HouseState<Own = unknown> {
  /** The n of the task id `alfworld_<n>`. */
  readonly task: number;
  /** Turns taken, those with an action that was not understood included. */
  readonly turn: number;
  /** The place where the agent stands; NOWHERE in the middle of a room. */
  readonly at: number;
  /** What each thing is in or on: a thing's number, HAND or NOWHERE. */
  readonly within: readonly number[];
  /** How each thing is: a sum of powers of two that the world names. */
  readonly marks: readonly number[];
  readonly own: Own;
  /** The last action and what it came to, for the view; both empty at the start. */
  readonly said: string;
  readonly answer: string;
}

/** What an action changes; what it leaves out stays as it was. */
export type Change<Own> = Partial<Pick<HouseState<Own>, 'at' | 'within' | 'marks' | 'own'>>;

export function houseOf(names: readonly string[]): House {
  return { names, numberOf: new Map(names.map((name, thing) => [name, thing])) };
}

/** What is directly in or on a place, in the order of numbers. */
export function contentsOf({ within }: Pick<HouseState, 'within'>, place: number): number[] {
  const found: number[] = [];
  for (let thing = 0; thing < within.length; thing++) {
    if (within[thing] === place) found.push(thing);
  }
  return found;
}

export function has({ marks }: Pick<HouseState, 'marks'>, thing: number, mark: number): boolean {
  return ((marks[thing] ?? 0) & mark) !== 0;
}

/** The marks with some added to one thing and some taken from it. */
export function marked(
  marks: readonly number[],
  thing: number,
  added: number,
  taken = 0,
): readonly number[] {
  const before = marks[thing] ?? 0;
  const after = (before & ~taken) | added;
  return after === before ? marks : marks.with(thing, after);
}
