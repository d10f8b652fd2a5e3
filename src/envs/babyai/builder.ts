/** Builds grids of rooms, doors and objects, as MiniGrid's RoomGrid does. */
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { mersenne } from 'pure-rand/generator/mersenne';
import type { RandomGenerator } from 'pure-rand/types/RandomGenerator';
import {
  CLOSED,
  COLORS,
  type Color,
  type Door,
  EMPTY,
  FIRST_ENTITY,
  KINDS,
  type Kind,
  LOCKED,
  offset,
  type Thing,
  WALL,
} from './world.ts';

/** Thrown if a draw yields no valid task; the caller draws again. */
export class RejectedWorld extends Error {
  override readonly name = 'RejectedWorld';
}

/** Maximum number of draws in a search for a position or a door. */
const MOST_DRAWS = 1000;

/** A room by its column and row among the rooms. */
export interface Room {
  readonly column: number;
  readonly row: number;
}

/** Seeded draws. */
export class Draws {
  readonly #random: RandomGenerator;
  constructor(seed: number) {
    this.#random = mersenne(seed);
  }
  /** A random integer from `from` to `to`, both included. */
  between(from: number, to: number): number {
    return uniformInt(this.#random, from, to);
  }
  of<T>(list: readonly T[]): T {
    const drawn = list[this.between(0, list.length - 1)];
    if (drawn === undefined) throw new RejectedWorld('cannot draw from an empty range');
    return drawn;
  }
  chance(): boolean {
    return this.between(0, 1) === 1;
  }
}

/** Maximum number of things in a room: a quarter of its floor, so that there are paths around them. */
export const roomCapacity = (roomSize: number) => Math.floor((roomSize - 2) ** 2 / 4);

export class Builder {
  readonly draws: Draws;
  readonly roomSize: number;
  /** Rooms along a side. */
  readonly rooms: number;
  readonly side: number;
  readonly walls: Uint8Array;
  readonly things: Thing[] = [];
  readonly doors: Door[] = [];
  agent = { cell: -1, direction: 0 };
  /** Keyed by the wall between two rooms (`#edge`): the door in it, and the cell where a door can be. */
  readonly #doorOf = new Map<number, number>();
  readonly #doorCell = new Map<number, number>();
  readonly #thingsIn: number[];

  constructor(draws: Draws, roomSize: number, rooms: number) {
    this.draws = draws;
    this.roomSize = roomSize;
    this.rooms = rooms;
    const pitch = roomSize - 1;
    const side = pitch * rooms + 1;
    this.side = side;
    this.walls = Uint8Array.from({ length: side * side }, (_, cell) => {
      const row = Math.floor(cell / side);
      return row % pitch === 0 || (cell % side) % pitch === 0 ? 1 : 0;
    });
    this.#thingsIn = new Array<number>(rooms * rooms).fill(0);
    for (let row = 0; row < rooms; row++) {
      for (let column = 0; column < rooms; column++) {
        const room = { column, row };
        if (column < rooms - 1) {
          const cell = (row * pitch + draws.between(1, pitch - 1)) * side + (column + 1) * pitch;
          this.#doorCell.set(this.#edge(room, 0), cell);
        }
        if (row < rooms - 1) {
          const cell = (row + 1) * pitch * side + column * pitch + draws.between(1, pitch - 1);
          this.#doorCell.set(this.#edge(room, 1), cell);
        }
      }
    }
  }

  /** Number of the wall between a room and its neighbor in a direction; -1 for the outer walls. */
  #edge(room: Room, direction: number): number {
    const number = room.row * this.rooms + room.column;
    const beyond = this.#beyond(room, direction);
    return beyond === undefined ? -1 : 2 * Math.min(number, beyond) + (direction % 2);
  }

  /** Number of the neighboring room; undefined outside the grid. */
  #beyond({ column, row }: Room, direction: number): number | undefined {
    const c = column + (direction === 0 ? 1 : direction === 2 ? -1 : 0);
    const r = row + (direction === 1 ? 1 : direction === 3 ? -1 : 0);
    return c < 0 || r < 0 || c >= this.rooms || r >= this.rooms ? undefined : r * this.rooms + c;
  }

  get middle(): Room {
    const half = Math.floor(this.rooms / 2);
    return { column: half, row: half };
  }

  anyRoom(): Room {
    return {
      column: this.draws.between(0, this.rooms - 1),
      row: this.draws.between(0, this.rooms - 1),
    };
  }

  /** The room of a cell that is not part of a wall. */
  roomOf(cell: number): Room {
    const pitch = this.roomSize - 1;
    return {
      column: Math.floor((cell % this.side) / pitch),
      row: Math.floor(Math.floor(cell / this.side) / pitch),
    };
  }

  /** Whether a cell belongs to a room, its walls included. */
  inRoom({ column, row }: Room, cell: number): boolean {
    const pitch = this.roomSize - 1;
    const r = Math.floor(cell / this.side) - row * pitch;
    const c = (cell % this.side) - column * pitch;
    return r >= 0 && c >= 0 && r <= pitch && c <= pitch;
  }

  /** EMPTY, WALL or the code of what is in a cell. */
  codeAt(cell: number): number {
    if (this.walls[cell] !== 0) return WALL;
    const thing = this.things.findIndex((thing) => thing.cell === cell);
    if (thing >= 0) return FIRST_ENTITY + thing;
    const door = this.doors.findIndex((door) => door.cell === cell);
    return door < 0 ? EMPTY : FIRST_ENTITY + this.things.length + door;
  }

  /** A free floor cell of a room that satisfies a condition. */
  #freeCell({ column, row }: Room, suits: (cell: number) => boolean): number {
    const pitch = this.roomSize - 1;
    for (let draw = 0; draw < MOST_DRAWS; draw++) {
      const r = row * pitch + this.draws.between(1, pitch - 1);
      const c = column * pitch + this.draws.between(1, pitch - 1);
      const cell = r * this.side + c;
      if (cell !== this.agent.cell && this.codeAt(cell) === EMPTY && suits(cell)) return cell;
    }
    throw new RejectedWorld('no free cell');
  }

  hasSpace(room: Room): boolean {
    const n = this.#thingsIn[room.row * this.rooms + room.column] ?? 0;
    return n < roomCapacity(this.roomSize);
  }

  /** Puts a thing into a room, not next to the agent. */
  addThing(room: Room, kind: Kind, color: Color): Thing {
    const { side } = this;
    const cell = this.#freeCell(room, (cell) => {
      const { cell: agent } = this.agent;
      if (agent < 0) return true;
      const rows = Math.abs(Math.floor(cell / side) - Math.floor(agent / side));
      return rows + Math.abs((cell % side) - (agent % side)) >= 2;
    });
    const thing: Thing = { kind, color, cell };
    this.things.push(thing);
    const n = room.row * this.rooms + room.column;
    this.#thingsIn[n] = (this.#thingsIn[n] ?? 0) + 1;
    return thing;
  }

  /** Puts things of random kind and color into rooms, up to their capacity. */
  addThings(count: number, { unique = false, room }: { unique?: boolean; room?: Room } = {}): void {
    const space = () =>
      room === undefined
        ? this.#thingsIn.some((n) => n < roomCapacity(this.roomSize))
        : this.hasSpace(room);
    for (let left = count; left > 0 && space(); ) {
      const color = this.draws.of(COLORS);
      const kind = this.draws.of(KINDS);
      const taken = this.things.some((thing) => thing.kind === kind && thing.color === color);
      if (unique && taken) continue;
      const where = room ?? this.anyRoom();
      if (!this.hasSpace(where)) continue;
      this.addThing(where, kind, color);
      left--;
    }
  }

  /** Whether a room's wall has space for a door. */
  #isFreeEdge(room: Room, direction: number): boolean {
    const edge = this.#edge(room, direction);
    return this.#doorCell.has(edge) && !this.#doorOf.has(edge);
  }

  addDoor(room: Room, direction: number, color: Color, locked: boolean): Door {
    const edge = this.#edge(room, direction);
    const cell = this.#doorCell.get(edge);
    if (cell === undefined || this.#doorOf.has(edge)) throw new RejectedWorld('no wall for a door');
    const door: Door = { color, cell, state: locked ? LOCKED : CLOSED };
    this.walls[cell] = 0;
    this.#doorOf.set(edge, this.doors.length);
    this.doors.push(door);
    return door;
  }

  /** A random direction in which a room has a neighbor but no door. Throws `RejectedWorld` if none exists. */
  anyFreeEdge(room: Room): number {
    for (let draw = 0; draw < MOST_DRAWS; draw++) {
      const direction = this.draws.between(0, 3);
      if (this.#isFreeEdge(room, direction)) return direction;
    }
    throw new RejectedWorld('no wall for a door');
  }

  /** Adds closed doors until every room can be reached; the locked room keeps its one door. */
  connect(lockedRoom: Room | null): void {
    const isLocked = (n: number | undefined) =>
      lockedRoom !== null && n === lockedRoom.row * this.rooms + lockedRoom.column;
    const all = this.rooms * this.rooms;
    let reachable = this.#reachableRooms();
    for (let draw = 0; draw < 5 * MOST_DRAWS; draw++) {
      if (reachable === all) return;
      const room = this.anyRoom();
      const direction = this.draws.between(0, 3);
      if (!this.#isFreeEdge(room, direction)) continue;
      const beyond = this.#beyond(room, direction);
      if (isLocked(room.row * this.rooms + room.column) || isLocked(beyond)) continue;
      this.addDoor(room, direction, this.draws.of(COLORS), false);
      reachable = this.#reachableRooms();
    }
    throw new RejectedWorld('the rooms cannot be connected');
  }

  /** The number of rooms joined to the first by doors. */
  #reachableRooms(): number {
    const reached = new Set([0]);
    for (const n of reached) {
      const room = { column: n % this.rooms, row: Math.floor(n / this.rooms) };
      for (let direction = 0; direction < 4; direction++) {
        const beyond = this.#beyond(room, direction);
        if (beyond !== undefined && this.#doorOf.has(this.#edge(room, direction))) {
          reached.add(beyond);
        }
      }
    }
    return reached.size;
  }

  /** Puts the agent into a room, with only floor or wall in front of it. */
  placeAgent(room: Room): void {
    this.agent = { cell: -1, direction: 0 };
    for (let draw = 0; draw < MOST_DRAWS; draw++) {
      const cell = this.#freeCell(room, () => true);
      const direction = this.draws.between(0, 3);
      const front = this.codeAt(cell + offset(this.side, direction));
      if (front === EMPTY || front === WALL) {
        this.agent = { cell, direction };
        return;
      }
    }
    throw new RejectedWorld('no place for the agent');
  }

  /** Rejects a layout in which something can only be reached by moving another thing. */
  requireReachable(): void {
    const reached = new Set([this.agent.cell]);
    const queue = [this.agent.cell];
    const found = new Set<number>();
    for (const cell of queue) {
      for (let direction = 0; direction < 4; direction++) {
        const next = cell + offset(this.side, direction);
        const code = this.codeAt(next);
        if (code === WALL || reached.has(next)) continue;
        reached.add(next);
        if (code >= FIRST_ENTITY) found.add(code);
        const isThing = code >= FIRST_ENTITY && code < FIRST_ENTITY + this.things.length;
        if (!isThing) queue.push(next);
      }
    }
    if (found.size < this.things.length + this.doors.length) {
      throw new RejectedWorld('something is out of reach');
    }
  }
}
