import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { mersenne } from 'pure-rand/generator/mersenne';
import type { RandomGenerator } from 'pure-rand/types/RandomGenerator';
import { fnv1a } from '../hash.ts';
import { type Cell, freeCells, type MazeTask, MOVES, makeBoard, neighbour } from './board.ts';

/** One maze in this many goes to the evaluation tasks. */
const EVAL_ONE_IN = 9;

export type Split = 'train' | 'eval';

/**
 * The walls of a maze carved by randomised depth-first search ("recursive backtracker").
 *
 * Rooms lie on every second square, so `size` (odd) squares hold (size+1)/2 rooms a side; a border
 * of walls is added around them. Without loops every two free cells are joined by exactly one path.
 *
 * @param loops Percent of the walls that stand between two rooms after carving which are opened
 *   again; 100 leaves only pillars.
 * @returns ((size+2)·(size+2)) row-major, 1 for a wall.
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
      const between = neighbour(from, move);
      return { between, room: neighbour(between, move) };
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
      // A square between two rooms has one odd and one even coordinate; two even ones are a pillar.
      const i = at({ row, column });
      if ((row + column) % 2 === 1 && walls[i] === 1) closed.push(i);
    }
  }
  for (let open = Math.round((closed.length * loops) / 100); open > 0; open--) {
    const [i] = closed.splice(uniformInt(random, 0, closed.length - 1), 1);
    if (i !== undefined) walls[i] = 0;
  }
  return walls;
}

/** A hash of walls, goal and start. */
export function taskHash({ board, start }: MazeTask): number {
  const cells = [board.goal, start].flatMap(({ row, column }) => [row, column]);
  return fnv1a(String.fromCharCode(...board.walls, ...cells));
}

/**
 * The maze with number `n`: walls, start and goal drawn from a generator seeded with `n`.
 *
 * Small mazes repeat, so disjoint numbers alone would let an evaluation maze be trained on. Each
 * (walls, goal, start) therefore belongs to one split by its hash, and draws that fall in the other
 * split are passed over; the two splits can never share a task, whatever the options.
 */
export function generateTask(n: number, size: number, loops: number, split: Split): MazeTask {
  const random = mersenne(n);
  const side = size + 2;
  for (;;) {
    const walls = carve(size, loops, random);
    const cells = freeCells({ columns: side, walls });
    const [start] = cells.splice(uniformInt(random, 0, cells.length - 1), 1);
    const goal = cells[uniformInt(random, 0, cells.length - 1)];
    // Never happens, for the smallest maze has 17 free cells; it tells the compiler so.
    if (start === undefined || goal === undefined) continue;
    const board = makeBoard(side, side, walls, goal);
    const task: MazeTask = { board, start };
    if ((taskHash(task) % EVAL_ONE_IN === 0) === (split === 'eval')) return task;
  }
}
