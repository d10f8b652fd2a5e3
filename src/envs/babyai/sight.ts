/**
 * What the agent sees: MiniGrid's view of 7 × 7 cells in front of it, without what walls and doors hide, and
 * the paths over the visible cells. Cells of the view are numbered row by row from the far left corner; the
 * agent is in the middle of the last row and faces the first.
 */

import type { Op } from './mission.ts';
import {
  type BabyAIState,
  doorState,
  EMPTY,
  FIRST_ENTITY,
  OPEN,
  offset,
  passable,
  WALL,
  type World,
} from './world.ts';

/** Cells along a side of the view. */
export const VIEW = 7;
const HALF = (VIEW - 1) / 2;
const CELLS = VIEW * VIEW;
/** The agent's cell in its view. */
const OWN = CELLS - 1 - HALF;

/** A position in the view: steps ahead of the agent, and to its right (negative: to its left). */
export interface Place {
  readonly ahead: number;
  readonly right: number;
}

const PLACES: readonly Place[] = Array.from({ length: CELLS }, (_, v) => ({
  ahead: VIEW - 1 - Math.floor(v / VIEW),
  right: (v % VIEW) - HALF,
}));

const distance = (v: number) => {
  const place = PLACES[v];
  return place === undefined ? 0 : place.ahead + Math.abs(place.right);
};

/** The cells of the view except the agent's, nearest first; equal distances row by row. */
const NEAR_FIRST: readonly number[] = PLACES.map((_, v) => v)
  .filter((v) => v !== OWN)
  .sort((a, b) => distance(a) - distance(b) || a - b);

const UNREACHED = -1;
const START = -2;

/** What is visible from a pose, and where the agent can go. */
export interface Sight {
  /** (49) 1 if the cell is visible. */
  readonly seen: Uint8Array;
  /** (49) the grid's cell; −1 outside the grid. */
  readonly cells: Int16Array;
  /** Visible entities, nearest first, with their position in the view. */
  readonly entities: readonly { readonly entity: number; readonly at: number }[];
  /** (196) indexed by pose in the view, cell·4 + heading: the pose before it on the path. */
  readonly parents: Int16Array;
}

/** The position of a cell of the view. */
export function placeOf(at: number): Place {
  const place = PLACES[at];
  if (place === undefined) throw new RangeError(`the view has no cell ${at}`);
  return place;
}

/** What the agent sees in a grid (`gridOf`). */
export function see(world: World, state: BabyAIState, grid: Uint8Array): Sight {
  const cells = cellsOf(world, state);
  const codes = new Uint8Array(CELLS);
  const clear = new Uint8Array(CELLS);
  const walkable = new Uint8Array(CELLS);
  for (let v = 0; v < CELLS; v++) {
    const cell = cells[v] ?? -1;
    const code = cell < 0 ? WALL : (grid[cell] ?? WALL);
    codes[v] = code;
    const door = code < FIRST_ENTITY ? undefined : doorState(world, state, code);
    clear[v] = code !== WALL && (door === undefined || door === OPEN) ? 1 : 0;
    walkable[v] = code === EMPTY || door === OPEN ? 1 : 0;
  }
  const seen = visible(clear);
  const entities: { entity: number; at: number }[] = [];
  for (const at of NEAR_FIRST) {
    const code = codes[at] ?? WALL;
    if (seen[at] === 1 && code >= FIRST_ENTITY) entities.push({ entity: code - FIRST_ENTITY, at });
  }
  return { seen, cells, entities, parents: explore(seen, walkable) };
}

/** (49) the grid's cells that the view covers; −1 outside the grid. */
function cellsOf({ side }: World, { position, direction }: BabyAIState): Int16Array {
  const cells = new Int16Array(CELLS);
  const row = Math.floor(position / side);
  const column = position % side;
  // Ahead and right as changes of row and column.
  const rowAhead = direction === 1 ? 1 : direction === 3 ? -1 : 0;
  const columnAhead = direction === 0 ? 1 : direction === 2 ? -1 : 0;
  for (let v = 0; v < CELLS; v++) {
    const ahead = VIEW - 1 - ((v / VIEW) | 0);
    const right = (v % VIEW) - HALF;
    const r = row + ahead * rowAhead + right * columnAhead;
    const c = column + ahead * columnAhead - right * rowAhead;
    cells[v] = r < 0 || c < 0 || r >= side || c >= side ? -1 : r * side + c;
  }
  return cells;
}

/**
 * (49) the visible cells by MiniGrid's rule: row by row from the agent to the farthest, visibility spreads
 * through transparent cells sideways and to the three cells ahead.
 */
function visible(clear: Uint8Array): Uint8Array {
  const seen = new Uint8Array(CELLS);
  seen[OWN] = 1;
  for (let row = VIEW - 1; row >= 0; row--) {
    const first = row * VIEW;
    const last = first + VIEW - 1;
    const ahead = row > 0;
    for (let v = first; v < last; v++) {
      if (seen[v] === 0 || clear[v] === 0) continue;
      seen[v + 1] = 1;
      if (ahead) {
        seen[v + 1 - VIEW] = 1;
        seen[v - VIEW] = 1;
      }
    }
    for (let v = last; v > first; v--) {
      if (seen[v] === 0 || clear[v] === 0) continue;
      seen[v - 1] = 1;
      if (ahead) {
        seen[v - 1 - VIEW] = 1;
        seen[v - VIEW] = 1;
      }
    }
  }
  return seen;
}

// Headings in the view: 0 ahead, 1 right, 2 back, 3 left.
const queue = new Int16Array(CELLS * 4);

/** The cell in front of a cell of the view, or −1 at the edge. */
function next(at: number, heading: number): number {
  const column = at % VIEW;
  if (heading === 0) return at - VIEW;
  if (heading === 1) return column === VIEW - 1 ? -1 : at + 1;
  if (heading === 2) return at + VIEW < CELLS ? at + VIEW : -1;
  return column === 0 ? -1 : at - 1;
}

/** Breadth-first search over the visible cells: (196) the predecessor of each pose. */
function explore(seen: Uint8Array, walkable: Uint8Array): Int16Array {
  const parents = new Int16Array(CELLS * 4).fill(UNREACHED);
  const start = OWN * 4;
  parents[start] = START;
  queue[0] = start;
  let length = 1;
  const reach = (node: number, from: number) => {
    if (parents[node] !== UNREACHED) return;
    parents[node] = from;
    queue[length++] = node;
  };
  for (let head = 0; head < length; head++) {
    const node = queue[head] ?? 0;
    const at = node >> 2;
    const heading = node & 3;
    const front = next(at, heading);
    if (front >= 0 && seen[front] === 1 && walkable[front] === 1) reach(front * 4 + heading, node);
    reach(at * 4 + ((heading + 3) & 3), node);
    reach(at * 4 + ((heading + 1) & 3), node);
  }
  return parents;
}

/** The primitive steps to a pose that the search has reached. */
function opsTo(parents: Int16Array, stand: number): Op[] {
  const ops: Op[] = [];
  for (let node = stand; ; ) {
    const from = parents[node] ?? START;
    if (from < 0) return ops.reverse();
    if (node >> 2 !== from >> 2) ops.push('forward');
    else ops.push((node & 3) === ((from + 1) & 3) ? 'right' : 'left');
    node = from;
  }
}

/** The shortest path to one of several poses; null if none is reached. */
function shortest(parents: Int16Array, stands: readonly number[]): Op[] | null {
  let best: Op[] | null = null;
  for (const stand of stands) {
    if ((parents[stand] ?? UNREACHED) === UNREACHED) continue;
    const ops = opsTo(parents, stand);
    if (best === null || ops.length < best.length) best = ops;
  }
  return best;
}

/** Primitive steps to face a cell of the view from beside it; null if no path is visible. */
export function wayToFace({ parents }: Sight, at: number): Op[] | null {
  const stands: number[] = [];
  for (let heading = 0; heading < 4; heading++) {
    const beside = next(at, (heading + 2) & 3);
    if (beside >= 0) stands.push(beside * 4 + heading);
  }
  return shortest(parents, stands);
}

/** Primitive steps to enter a cell of the view; null if no path is visible. */
export function wayInto({ parents }: Sight, at: number): Op[] | null {
  return shortest(parents, [at * 4, at * 4 + 1, at * 4 + 2, at * 4 + 3]);
}

/** Whether the agent can move along visible cells to face a cell; `does` if it already faces it. */
export function canFace({ parents }: Sight, at: number): 'no' | 'does' | 'yes' {
  let can: 'no' | 'yes' = 'no';
  for (let heading = 0; heading < 4; heading++) {
    const beside = next(at, (heading + 2) & 3);
    const parent = beside < 0 ? UNREACHED : (parents[beside * 4 + heading] ?? UNREACHED);
    if (parent === START) return 'does';
    if (parent !== UNREACHED) can = 'yes';
  }
  return can;
}

/** Whether a path into a cell is visible. */
export function canEnter({ parents }: Sight, at: number): boolean {
  for (let heading = 0; heading < 4; heading++) {
    if ((parents[at * 4 + heading] ?? UNREACHED) !== UNREACHED) return true;
  }
  return false;
}

/** The nearest visible wall or box straight ahead; null if there is none. */
export function barrierAhead(
  world: World,
  grid: Uint8Array,
  { seen, cells }: Sight,
): { readonly kind: 'wall' | 'box'; readonly steps: number } | null {
  for (let steps = 1; steps < VIEW; steps++) {
    const at = OWN - steps * VIEW;
    if (seen[at] === 0) return null;
    const cell = cells[at] ?? -1;
    const code = cell < 0 ? WALL : (grid[cell] ?? WALL);
    if (code === WALL) return { kind: 'wall', steps };
    if (world.things[code - FIRST_ENTITY]?.kind === 'box') return { kind: 'box', steps };
  }
  return null;
}

/** The code of the cell in front of the agent. */
export function codeAhead(world: World, state: BabyAIState, grid: Uint8Array): number {
  return grid[state.position + offset(world.side, state.direction)] ?? WALL;
}

/** Whether the agent can take a step ahead. */
export function canMove(world: World, state: BabyAIState, grid: Uint8Array): boolean {
  return passable(world, state, codeAhead(world, state, grid));
}
