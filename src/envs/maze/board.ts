/** A square of the board: row from the top, column from the left, both from 0. */
export interface Cell {
  readonly row: number;
  readonly column: number;
}

export const MOVES = ['up', 'down', 'left', 'right'] as const;
export type Move = (typeof MOVES)[number];

const OFFSETS: Readonly<Record<Move, Cell>> = {
  up: { row: -1, column: 0 },
  down: { row: 1, column: 0 },
  left: { row: 0, column: -1 },
  right: { row: 0, column: 1 },
};

/** The adjacent cell in a direction; the caller checks that it is on the board. */
export function neighbor(cell: Cell, move: Move): Cell {
  const offset = OFFSETS[move];
  return { row: cell.row + offset.row, column: cell.column + offset.column };
}

export function sameCell(a: Cell, b: Cell): boolean {
  return a.row === b.row && a.column === b.column;
}

/** A maze with its goal. The outermost squares are walls, so every free cell has four neighbors. */
export interface Board {
  readonly rows: number;
  readonly columns: number;
  /** (rows·columns) row-major; 1 is a wall, 0 is free. */
  readonly walls: Uint8Array;
  readonly goal: Cell;
  /** (rows·columns) moves to the goal; −1 on walls and for unreachable cells. */
  readonly distances: Int16Array;
}

export function indexOf(board: { readonly columns: number }, cell: Cell): number {
  return cell.row * board.columns + cell.column;
}

export function isWall(board: Board, cell: Cell): boolean {
  return board.walls[indexOf(board, cell)] !== 0;
}

/** Free cells in row-major order. */
export function freeCells(board: Pick<Board, 'columns' | 'walls'>): Cell[] {
  const cells: Cell[] = [];
  board.walls.forEach((wall, i) => {
    if (wall === 0) {
      cells.push({ row: Math.floor(i / board.columns), column: i % board.columns });
    }
  });
  return cells;
}

/** A board with distances computed by breadth-first search from the goal. */
export function makeBoard(rows: number, columns: number, walls: Uint8Array, goal: Cell): Board {
  const distances = new Int16Array(rows * columns).fill(-1);
  const board: Board = { rows, columns, walls, goal, distances };
  distances[indexOf(board, goal)] = 0;
  let frontier: Cell[] = [goal];
  for (let distance = 1; frontier.length > 0; distance++) {
    const next: Cell[] = [];
    for (const cell of frontier) {
      for (const move of MOVES) {
        const reached = neighbor(cell, move);
        const i = indexOf(board, reached);
        if (walls[i] === 0 && distances[i] === -1) {
          distances[i] = distance;
          next.push(reached);
        }
      }
    }
    frontier = next;
  }
  return board;
}

/** The moves that start a shortest path from a free cell to the goal; none at the goal. */
export function shortestMoves(board: Board, cell: Cell): Move[] {
  const distance = board.distances[indexOf(board, cell)] ?? 0;
  if (distance <= 0) return [];
  return MOVES.filter(
    (move) => board.distances[indexOf(board, neighbor(cell, move))] === distance - 1,
  );
}

/** The maze and the start of a task. */
export interface MazeTask {
  readonly board: Board;
  readonly start: Cell;
}
