/** The state of a house: its things, their locations and their properties. */

/** Location of a thing that is carried, and of a thing that is nowhere. */
export const HAND = -1;
export const NOWHERE = -2;

/** Rooms, furniture and things, by number. */
export interface House {
  /** Names in texts; no two things of a house share one. */
  readonly names: readonly string[];
  readonly numberOf: ReadonlyMap<string, number>;
}

/** `Own` is additional state of an environment, such as temperatures. */
export interface HouseState<Own = unknown> {
  /** The n of the task id `alfworld_<n>`. */
  readonly task: number;
  /** Turns taken, including those with an action that was not understood. */
  readonly turn: number;
  /** The place where the agent stands; NOWHERE in the middle of a room. */
  readonly at: number;
  /** The container of each thing: a thing's number, HAND or NOWHERE. */
  readonly within: readonly number[];
  /** Properties of each thing, as bit flags that the environment defines. */
  readonly marks: readonly number[];
  readonly own: Own;
  /** The last action and its reply, for the view; both empty at the start. */
  readonly said: string;
  readonly answer: string;
}

/** What an action changes; missing fields stay unchanged. */
export type Change<Own> = Partial<Pick<HouseState<Own>, 'at' | 'within' | 'marks' | 'own'>>;

export function houseOf(names: readonly string[]): House {
  return { names, numberOf: new Map(names.map((name, thing) => [name, thing])) };
}

/** The direct contents of a place, by number. */
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

/** The marks, with some flags of one thing set and others cleared. */
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
