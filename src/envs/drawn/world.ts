/** What a drawing defines: board, starts, prizes, traps, and the paths between them. */

import { type Board, type Cell, indexOf, makeBoard } from '../maze/board.ts';
import { EnvironmentOptionError, resolveOptions } from '../options.ts';
import type { EnvironmentOptions } from '../types.ts';
import { drawnCard } from './card.ts';
import {
  DEFAULT_DRAWING,
  drawingFault,
  type Place,
  placesOf,
  readDrawing,
  survey,
} from './drawing.ts';

export interface DrawnWorld {
  /** Includes a wall around the drawing. `distances` avoid traps, which are not `walls`. */
  readonly board: Board;
  readonly starts: readonly Cell[];
  readonly prizes: readonly Cell[];
  /** One bit per prize, all set. */
  readonly allPrizes: number;
  /** Cells by `indexOf`. */
  readonly traps: ReadonlySet<number>;
  /** One board per prize with that prize as its goal; paths avoid traps and the maze's goal. */
  readonly prizeBoards: readonly Board[];
  readonly turnLimit: number;
}

const SHORTEST_LIMIT = 20;

/** @throws {EnvironmentOptionError} for a drawing that cannot be played */
export function drawnWorld(options?: EnvironmentOptions): DrawnWorld {
  const { drawing } = resolveOptions(drawnCard.id, drawnCard.options, options);
  const text = drawing === '' ? DEFAULT_DRAWING : drawing;
  const drawn = readDrawing(text);
  const fault = drawingFault(text);
  if (fault !== null || typeof drawn === 'string') {
    const problem = fault ?? String(drawn);
    throw new EnvironmentOptionError(`${drawnCard.id}: drawing ${problem}.`, 'drawing', problem);
  }
  const inner = drawn[0]?.length ?? 0;
  const [rows, columns] = [drawn.length + 2, inner + 2];
  const cellOf = (place: Place): Cell => ({
    row: Math.floor(place / inner) + 1,
    column: (place % inner) + 1,
  });
  const walls = new Uint8Array(rows * columns).fill(1);
  drawn.flat().forEach((square, place) => {
    if (square !== 'wall') walls[indexOf({ columns }, cellOf(place))] = 0;
  });
  const cells = (kind: Parameters<typeof placesOf>[1]) => placesOf(drawn, kind).map(cellOf);
  const [goal = { row: 1, column: 1 }] = cells('goal');
  const traps = new Set(cells('trap').map((cell) => indexOf({ columns }, cell)));
  const closed = walls.slice();
  for (const trap of traps) closed[trap] = 1;
  const { distances } = makeBoard(rows, columns, closed, goal);
  const board: Board = { rows, columns, walls, goal, distances };
  const prizes = cells('prize');
  const withoutGoal = closed.slice();
  withoutGoal[indexOf(board, goal)] = 1;
  const prizeBoards = prizes.map((prize) => makeBoard(rows, columns, withoutGoal, prize));
  const starts = survey(drawn).starts.map(cellOf);
  const world = {
    ...{ board, starts, prizes, traps, prizeBoards },
    allPrizes: 2 ** prizes.length - 1,
  };
  const farthest = Math.max(0, ...distances);
  const longestTour = Math.max(0, ...starts.map((start) => tourLength(world, start)));
  return { ...world, turnLimit: Math.max(SHORTEST_LIMIT, 3 * farthest, 2 * longestTour) };
}

/**
 * The prize to fetch next: the nearest remaining one that leaves enough turns to reach the goal;
 * null if there is none.
 *
 * @param left bit mask of the remaining prizes
 */
export function nextPrize(
  { board, prizes, prizeBoards }: Pick<DrawnWorld, 'board' | 'prizes' | 'prizeBoards'>,
  at: Cell,
  left: number,
  turns: number,
): number | null {
  let [best, nearest] = [null as number | null, Number.POSITIVE_INFINITY];
  for (const [prize, ways] of prizeBoards.entries()) {
    const cell = prizes[prize];
    if ((left & (1 << prize)) === 0 || cell === undefined) continue;
    const there = ways.distances[indexOf(board, at)] ?? -1;
    const home = board.distances[indexOf(board, cell)] ?? -1;
    if (there < 0 || home < 0 || there + home > turns || there >= nearest) continue;
    [best, nearest] = [prize, there];
  }
  return best;
}

/** Moves that fetch every prize, the nearest first, and end at the goal. */
function tourLength(world: Omit<DrawnWorld, 'turnLimit'>, start: Cell): number {
  let [at, left, length] = [start, world.allPrizes, 0];
  for (;;) {
    const prize = nextPrize(world, at, left, Number.POSITIVE_INFINITY);
    const cell = prize === null ? undefined : world.prizes[prize];
    if (prize === null || cell === undefined) {
      return length + (world.board.distances[indexOf(world.board, at)] ?? 0);
    }
    length += world.prizeBoards[prize]?.distances[indexOf(world.board, at)] ?? 0;
    left &= ~(1 << prize);
    at = cell;
  }
}
