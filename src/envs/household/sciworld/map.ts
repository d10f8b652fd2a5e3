/** The rooms of SciWorld and the doors between them. */

export const ROOMS = [
  ...(['hallway', 'kitchen', 'living room', 'bedroom', 'workshop'] as const),
  ...(['greenhouse', 'art studio', 'bathroom', 'outside', 'foundry'] as const),
] as const;

export type Room = (typeof ROOMS)[number];

/** By number, in the order in which a room lists its doors. */
export const DOORS: readonly (readonly [Room, Room])[] = [
  ['hallway', 'kitchen'],
  ['hallway', 'living room'],
  ['hallway', 'bedroom'],
  ['hallway', 'workshop'],
  ['hallway', 'greenhouse'],
  ['hallway', 'art studio'],
  ['kitchen', 'bathroom'],
  ['kitchen', 'outside'],
  ['outside', 'greenhouse'],
  ['outside', 'foundry'],
];

export interface Way {
  /** Number of the door, and of the room behind it within the house. */
  readonly door: number;
  readonly to: number;
}

/** The exits of each room of a house, by the room's number. */
export function waysOf(rooms: readonly Room[]): readonly (readonly Way[])[] {
  return rooms.map((room) =>
    DOORS.flatMap(([a, b], door) => {
      const other = a === room ? b : b === room ? a : null;
      const to = other === null ? -1 : rooms.indexOf(other);
      return to === -1 ? [] : { door, to };
    }),
  );
}

/** The first exit on a shortest path between rooms, `first[from][to]`, and the number of rooms on it. */
export interface Paths {
  readonly first: readonly (readonly (Way | null)[])[];
  readonly length: readonly (readonly number[])[];
}

export function pathsOf(ways: readonly (readonly Way[])[]): Paths {
  const from = ways.map((_, start) => {
    const first: (Way | null)[] = ways.map(() => null);
    const length = ways.map(() => Number.POSITIVE_INFINITY);
    length[start] = 0;
    const open = [start];
    for (let room = open.shift(); room !== undefined; room = open.shift()) {
      for (const way of ways[room] ?? []) {
        if (length[way.to] !== Number.POSITIVE_INFINITY) continue;
        length[way.to] = (length[room] ?? 0) + 1;
        first[way.to] = room === start ? way : (first[room] ?? null);
        open.push(way.to);
      }
    }
    return { first, length };
  });
  return { first: from.map(({ first }) => first), length: from.map(({ length }) => length) };
}
