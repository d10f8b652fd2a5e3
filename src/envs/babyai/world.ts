/** The grid of MiniGrid (Farama, Apache-2.0) as used by BabyAI (Chevalier-Boisvert et al., 2019). */

export const COLORS = ['red', 'green', 'blue', 'purple', 'yellow', 'grey'] as const;
export type Color = (typeof COLORS)[number];

/** Kinds of things that can be carried. */
export const KINDS = ['key', 'ball', 'box'] as const;
export type Kind = (typeof KINDS)[number];

/** Kinds of entities in missions. */
export type EntityKind = Kind | 'door';

/** States of a door, which are stored as indices into this list. */
export const DOOR_STATES = ['open', 'closed', 'locked'] as const;
export const OPEN = 0;
export const CLOSED = 1;
export const LOCKED = 2;

/** Directions are numbered clockwise: 0 right, 1 down, 2 left, 3 up. */
export const turnedLeft = (direction: number) => (direction + 3) % 4;
export const turnedRight = (direction: number) => (direction + 1) % 4;

export interface Thing {
  readonly kind: Kind;
  readonly color: Color;
  /** Its cell at the start. */
  readonly cell: number;
}

export interface Door {
  readonly color: Color;
  readonly cell: number;
  /** OPEN, CLOSED or LOCKED at the start. */
  readonly state: number;
}

/** One subgoal. Entities are indices: things first, then doors. */
export type Clause =
  | { readonly kind: 'goto' | 'pickup' | 'open'; readonly targets: readonly number[] }
  | {
      readonly kind: 'putnext';
      readonly targets: readonly number[];
      /** The entities that one of the targets must be put next to. */
      readonly fixed: readonly number[];
    };

/** The stages of a mission, in order; the clauses within a stage may be met in any order. */
export interface Mission {
  readonly text: string;
  readonly stages: readonly (readonly Clause[])[];
}

/** A task: a square grid of rooms and their contents. Cells are numbered row by row. */
export interface World {
  /** Cells along each side. */
  readonly side: number;
  /** (side·side) 1 for a wall, 0 elsewhere, including doors. */
  readonly walls: Uint8Array;
  /** Cells along each side of a room, including walls. */
  readonly roomSize: number;
  readonly things: readonly Thing[];
  readonly doors: readonly Door[];
  readonly start: { readonly cell: number; readonly direction: number };
  readonly mission: Mission;
  /** Primitive steps in which MiniGrid expects the mission to be done; it scales the reward. */
  readonly maxSteps: number;
}

/** An episode so far. The layout follows from the task's number. */
export interface BabyAIState {
  /** The n of the task id `babyai_<n>`. */
  readonly task: number;
  readonly position: number;
  readonly direction: number;
  /** Index of the carried thing. */
  readonly carrying: number | null;
  /** Cell of each thing; −1 if it is carried. */
  readonly cells: readonly number[];
  /** OPEN, CLOSED or LOCKED of each door. */
  readonly doors: readonly number[];
  /** Bit k is set when clause k of the mission is done, counted across all stages. */
  readonly done: number;
  /** Turns taken, including those with an unknown action. */
  readonly turn: number;
  /** Primitive steps taken: each turn in place, move, pick-up, drop and toggle counts as one. */
  readonly steps: number;
  /**
   * The primitive steps of the last turn, one letter each: l(eft), r(ight), f(orward), p(ickup), d(rop),
   * t(oggle); empty at the start and after an impossible action.
   */
  readonly trail: string;
}

export function startState(task: number, world: World): BabyAIState {
  return {
    task,
    position: world.start.cell,
    direction: world.start.direction,
    carrying: null,
    cells: world.things.map(({ cell }) => cell),
    doors: world.doors.map(({ state }) => state),
    done: 0,
    turn: 0,
    steps: 0,
    trail: '',
  };
}

/** The change of a cell's index by one move in a direction. */
export function offset(side: number, direction: number): number {
  return direction === 0 ? 1 : direction === 1 ? side : direction === 2 ? -1 : -side;
}

/** The cell in front of the agent. The outermost cells are walls, so it always exists. */
export function frontOf(world: World, state: BabyAIState): number {
  return state.position + offset(world.side, state.direction);
}

export const EMPTY = 0;
export const WALL = 1;
/** In a grid, the code of entity k is FIRST_ENTITY + k. */
export const FIRST_ENTITY = 2;

/** (side·side) EMPTY, WALL or an entity's code. */
export function gridOf(world: World, state: Pick<BabyAIState, 'cells'>): Uint8Array {
  const grid = world.walls.slice();
  const { cells } = state;
  for (let k = 0; k < cells.length; k++) {
    const cell = cells[k] ?? -1;
    if (cell >= 0) grid[cell] = FIRST_ENTITY + k;
  }
  for (let d = 0; d < world.doors.length; d++) {
    grid[world.doors[d]?.cell ?? 0] = FIRST_ENTITY + cells.length + d;
  }
  return grid;
}

/** The state of a door by its code in the grid; undefined if the code is not a door's. */
export function doorState(world: World, state: BabyAIState, code: number): number | undefined {
  return state.doors[code - FIRST_ENTITY - world.things.length];
}

/** Whether the agent could enter a cell with this code. */
export function passable(world: World, state: BabyAIState, code: number): boolean {
  return code === EMPTY || (code > WALL && doorState(world, state, code) === OPEN);
}

/** An entity's color and kind. */
export function entityOf(world: World, entity: number): { color: Color; kind: EntityKind } {
  const thing = world.things[entity];
  if (thing !== undefined) return thing;
  const door = world.doors[entity - world.things.length];
  if (door === undefined) throw new RangeError(`there is no entity ${entity}`);
  return { color: door.color, kind: 'door' };
}

/** The cell of an entity; −1 if it is carried. */
export function cellOf(world: World, state: BabyAIState, entity: number): number {
  return state.cells[entity] ?? world.doors[entity - world.things.length]?.cell ?? -1;
}

/** Whether two cells are adjacent. */
export function adjacent(side: number, a: number, b: number): boolean {
  const difference = Math.abs(a - b);
  // The outermost cells are walls, so no two relevant cells wrap around an edge.
  return difference === 1 || difference === side;
}
