import { type Board, freeCells, type MazeTask, makeBoard, sameCell } from './board.ts';

/**
 * The double-T maze of LMRL-Gym (arXiv:2311.18232) as AgentGym uses it (arXiv:2406.04151):
 * `#` wall, `.` free, `G` goal.
 */
const PICTURE = [
  '#############',
  '#.....#.....#',
  '###.#####.###',
  '###.#####.###',
  '###.#####.###',
  '###.......###',
  '######.######',
  '######.######',
  '######G######',
  '#############',
] as const;

function readPicture(picture: readonly string[]): Board {
  const rows = picture.length;
  const columns = picture[0]?.length ?? 0;
  const squares = picture.join('');
  const goal = squares.indexOf('G');
  return makeBoard(
    rows,
    columns,
    Uint8Array.from(squares, (square) => (square === '#' ? 1 : 0)),
    { row: Math.floor(goal / columns), column: goal % columns },
  );
}

/** 10 rows × 13 columns, goal at row 8, column 6. */
export const doubleTBoard: Board = readPicture(PICTURE);

/** One task per free cell other than the goal (25), in row-major order of the start. */
export const doubleTTasks: readonly MazeTask[] = freeCells(doubleTBoard)
  .filter((cell) => !sameCell(cell, doubleTBoard.goal))
  .map((start) => ({ board: doubleTBoard, start }));
