import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { mersenne } from 'pure-rand/generator/mersenne';
import type { RandomGenerator } from 'pure-rand/types/RandomGenerator';
import { FNV_BASIS, fnv1a, fnv1aStep } from '../hash.ts';
import { type Cell, freeCells, type MazeTask, MOVES, makeBoard, neighbor } from './board.ts';

export type Split = 'train' | 'eval';

/**
 * The walls of a maze carved by randomized depth-first search ("recursive backtracker"). Rooms lie on every
 * second square, so `size` (odd) squares hold (size+1)/2 rooms per side; a border of walls surrounds them.
 * Without loops, exactly one path joins any two free cells.
 * @param loops percentage of the walls between two rooms that are opened after carving; 100 leaves only
 * pillars
 * @returns ((size+2)·(size+2)) row-major, 1 for a wall
 */
export function carve(size: number, loops: number, random: RandomGenerator): Uint8Array {
  const columns = size + 2;
  const walls = new Uint8Array(columns * columns).fill(1);
  const at = (cell: Cell) => cell.row * columns + cell.column;
  const inside = ({ row, column }: Cell) =>
    row >= 1 && row <= size && column >= 1 && column <= size;

  const room = () => 1 + 2 * uniformInt(random, 0, (size - 1) / 2);
  const first: Cell = { row: room(), column: room() };
  walls[at(first)] = 0;
  const stack = [first];
  for (let here = stack.at(-1); here !== undefined; here = stack.at(-1)) {
    const from = here;
    const ways = MOVES.map((move) => {
      const between = neighbor(from, move);
      return { between, room: neighbor(between, move) };
    }).filter(({ room }) => inside(room) && walls[at(room)] === 1);
    const way = ways.length > 0 ? ways[uniformInt(random, 0, ways.length - 1)] : undefined;
    if (way === undefined) {
      stack.pop();
    } else {
      walls[at(way.between)] = 0;
      walls[at(way.room)] = 0;
      stack.push(way.room);
    }
  }

  const closed: number[] = [];
  for (let row = 1; row <= size; row++) {
    for (let column = 1; column <= size; column++) {
      // A square between two rooms has one odd and one even coordinate; one with two even coordinates is a
      // pillar.
      const i = at({ row, column });
      if ((row + column) % 2 === 1 && walls[i] === 1) closed.push(i);
    }
  }
  for (let open = openedWalls(size, loops); open > 0; open--) {
    const [i] = closed.splice(uniformInt(random, 0, closed.length - 1), 1);
    if (i !== undefined) walls[i] = 0;
  }
  return walls;
}

/** Walls, goal and start as text, equal for equal mazes. */
export function mazeKey({ board, start }: MazeTask): string {
  const cells = [board.goal, start].flatMap(({ row, column }) => [row, column]);
  return String.fromCharCode(...board.walls, ...cells);
}

/** A hash of walls, goal and start. */
function taskHash(task: MazeTask): number {
  return fnv1a(mazeKey(task));
}

const turns = new Map<number, readonly Int32Array[]>();

/** For each of the eight symmetries of a square: the source index of each cell. */
function turnsOf(side: number): readonly Int32Array[] {
  let found = turns.get(side);
  if (found === undefined) {
    const last = side - 1;
    const ways: readonly ((row: number, column: number) => readonly [number, number])[] = [
      (row, column) => [row, column],
      (row, column) => [column, last - row],
      (row, column) => [last - row, last - column],
      (row, column) => [last - column, row],
    ];
    found = ways.flatMap((way) => [
      Int32Array.from({ length: side ** 2 }, (_, i) => {
        const [row, column] = way(Math.floor(i / side), i % side);
        return row * side + column;
      }),
      Int32Array.from({ length: side ** 2 }, (_, i) => {
        const [row, column] = way(Math.floor(i / side), last - (i % side));
        return row * side + column;
      }),
    ]);
    turns.set(side, found);
  }
  return found;
}

/**
 * Walls as text that is invariant under rotation and reflection.
 * @param walls (side·side) row-major
 */
export function wallsKey(walls: Uint8Array): string {
  const images = turnsOf(Math.sqrt(walls.length)).map((from) =>
    String.fromCharCode(...from.map((i) => walls[i] ?? 0)),
  );
  return images.reduce((least, image) => (image < least ? image : least));
}

/** A hash of walls that is invariant under rotation and reflection. */
export function wallsHash(walls: Uint8Array): number {
  let least = 0xffffffff;
  for (const from of turnsOf(Math.sqrt(walls.length))) {
    let hash = FNV_BASIS;
    for (const i of from) hash = fnv1aStep(hash, walls[i] ?? 0);
    least = Math.min(least, hash >>> 0);
  }
  return least;
}

/** Whether a maze is held out for evaluation. */
export type Kept = (task: MazeTask) => boolean;

/** The first version: holds out one maze in nine (walls, goal and start); walls recur in training. */
export const mazesApart: Kept = (task) => taskHash(task) % 9 === 0;

/**
 * One set of walls in this many is held out. Odd, because the hash's low bits depend only on the number of
 * walls.
 */
const KEPT_ONE_IN = 5;

/**
 * Holds out walls together with their rotations and reflections; null if every maze of these options has the
 * same walls, because then none can be held out.
 */
export function wallsApart(size: number, loops: number): Kept | null {
  const left = closedWalls(size) - openedWalls(size, loops);
  if (left === 0) return null;
  if (left > 1) return ({ board }) => wallsHash(board.walls) % KEPT_ONE_IN === 0;
  // So few mazes have a single wall that a hash might hold out none or all of them.
  const hashes = [...new Set(singleWalls(size).map(wallsHash))].sort((a, b) => a - b);
  const kept = new Set(hashes.slice(0, Math.max(1, Math.floor(hashes.length / KEPT_ONE_IN))));
  return ({ board }) => kept.has(wallsHash(board.walls));
}

/**
 * Walls between two rooms that remain after carving: all (2·k·(k − 1)) except those of a spanning tree of k²
 * rooms.
 */
function closedWalls(size: number): number {
  return ((size - 1) / 2) ** 2;
}

function openedWalls(size: number, loops: number): number {
  return Math.round((closedWalls(size) * loops) / 100);
}

/** Every maze of this size with a single wall between two rooms. */
function singleWalls(size: number): Uint8Array[] {
  const open = carve(size, 100, mersenne(0));
  const side = size + 2;
  return Array.from(open).flatMap((wall, i) => {
    const [row, column] = [Math.floor(i / side), i % side];
    if (wall === 1 || (row + column) % 2 === 0) return [];
    const walls = open.slice();
    walls[i] = 1;
    return [walls];
  });
}

/**
 * The maze with number `n`: walls, start and goal drawn from a generator seeded with `n`. Small mazes repeat,
 * so disjoint numbers alone could put an evaluation maze into training. Draws that belong to the other split
 * are therefore skipped.
 */
export function generateTask(
  n: number,
  size: number,
  loops: number,
  kept: Kept,
  split: Split,
): MazeTask {
  const random = mersenne(n);
  const side = size + 2;
  for (;;) {
    const walls = carve(size, loops, random);
    const cells = freeCells({ columns: side, walls });
    const [start] = cells.splice(uniformInt(random, 0, cells.length - 1), 1);
    const goal = cells[uniformInt(random, 0, cells.length - 1)];
    // Unreachable, because the smallest maze has 17 free cells; it narrows the types.
    if (start === undefined || goal === undefined) continue;
    const task: MazeTask = { board: makeBoard(side, side, walls, goal), start };
    if (kept(task) === (split === 'eval')) return task;
  }
}
