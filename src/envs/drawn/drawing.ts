/** Mazes as text: one character per square, one line per row, without the surrounding wall. */

export const SQUARES = {
  wall: '#',
  free: '.',
  start: 'S',
  goal: 'G',
  prize: '*',
  trap: '!',
} as const;
export type Square = keyof typeof SQUARES;

const squareOf: ReadonlyMap<string, Square> = new Map(
  Object.entries(SQUARES).map(([square, mark]) => [mark, square as Square]),
);

export const LEAST_SIDE = 3;
export const MOST_SIDE = 15;
/** Observations list the remaining prizes; a higher limit would only lengthen them. */
const MOST_PRIZES = 4;

/** Row-major: `rows[row][column]`. */
export type Rows = readonly (readonly Square[])[];

/** The drawing for an empty option: a room with a bend, and a start on every free square. */
export const DEFAULT_DRAWING = '.....#./.###.#./...#.../##.#.##/......./.####../.....#G';

/** Rows are separated by `/`, which needs no escaping in links. */
export const writeDrawing = (rows: Rows): string =>
  rows.map((row) => row.map((square) => SQUARES[square]).join('')).join('/');

/**
 * The rows of a drawing, or a sentence that says why the text is invalid. Rows may also be separated by line
 * breaks.
 */
export function readDrawing(text: string): Rows | string {
  const lines = text
    .trim()
    .split(/\/|\r?\n/)
    .map((line) => line.trim());
  const columns = lines[0]?.length ?? 0;
  const sides = `from ${LEAST_SIDE} to ${MOST_SIDE}`;
  if (lines.length < LEAST_SIDE || lines.length > MOST_SIDE) {
    return `has ${lines.length} rows; a maze has ${sides}`;
  }
  if (columns < LEAST_SIDE || columns > MOST_SIDE) {
    return `has ${columns} columns; a maze has ${sides}`;
  }
  const rows: Square[][] = [];
  for (const [row, line] of lines.entries()) {
    if (line.length !== columns) {
      return `has ${line.length} columns in row ${row + 1} and ${columns} in row 1; make all rows equally long`;
    }
    const squares: Square[] = [];
    for (const mark of line) {
      const square = squareOf.get(mark);
      if (square === undefined) {
        return `has ${JSON.stringify(mark)} in row ${row + 1}; a square is one of ${Object.values(SQUARES).join(' ')}`;
      }
      squares.push(square);
    }
    rows.push(squares);
  }
  return rows;
}

/** A square by its row-major index, from 0. */
export type Place = number;

/** The task that a drawing defines. */
interface Survey {
  /**
   * Squares where an episode can start: the marked ones or, without marks, every free square with a
   * path to the goal.
   */
  readonly starts: readonly Place[];
  /** Marked starts from which the goal cannot be reached. */
  readonly cutOff: readonly Place[];
  /** Prizes that cannot be reached from any start. */
  readonly lostPrizes: readonly Place[];
  /** Why the drawing cannot be used, as the end of a sentence; null if it can. */
  readonly fault: string | null;
}

/** Squares with a path to `from` that avoids walls, traps and `closed` squares; includes `from`. */
function reachable(rows: Rows, from: readonly Place[], closed: Square): ReadonlySet<Place> {
  const columns = rows[0]?.length ?? 0;
  const reached = new Set(from);
  const queue = [...from];
  for (let place = queue.pop(); place !== undefined; place = queue.pop()) {
    const [row, column] = [Math.floor(place / columns), place % columns];
    for (const [r, c] of [
      [row - 1, column],
      [row + 1, column],
      [row, column - 1],
      [row, column + 1],
    ] as const) {
      const square = rows[r]?.[c];
      const next = r * columns + c;
      const blocked =
        square === undefined || square === 'wall' || square === 'trap' || square === closed;
      if (blocked || reached.has(next)) continue;
      reached.add(next);
      queue.push(next);
    }
  }
  return reached;
}

/** Indices of the squares of a kind. */
export function placesOf(rows: Rows, kind: Square): Place[] {
  return rows.flat().flatMap((square, place) => (square === kind ? [place] : []));
}

/** `row 2, column 3`, counted from 1. */
export function nameOf(rows: Rows, place: Place): string {
  const columns = rows[0]?.length ?? 1;
  return `row ${Math.floor(place / columns) + 1}, column ${(place % columns) + 1}`;
}

/** Where episodes can start, and whether the goal can be reached from there. */
export function survey(rows: Rows): Survey {
  const nothing = { starts: [], cutOff: [], lostPrizes: [] };
  const goals = placesOf(rows, 'goal');
  if (goals.length !== 1) {
    const found = goals.length === 0 ? 'no goal' : `${goals.length} goals`;
    return { ...nothing, fault: `has ${found}; draw exactly one` };
  }
  const prizes = placesOf(rows, 'prize');
  if (prizes.length > MOST_PRIZES) {
    return { ...nothing, fault: `has ${prizes.length} prizes; draw at most ${MOST_PRIZES}` };
  }
  const home = reachable(rows, goals, 'wall');
  const marked = placesOf(rows, 'start');
  const cutOff = marked.filter((place) => !home.has(place));
  const candidates = marked.length > 0 ? marked : placesOf(rows, 'free');
  const starts = candidates.filter((place) => home.has(place));
  const near = reachable(rows, starts, 'goal');
  const lostPrizes = prizes.filter((place) => !near.has(place));
  const [first] = cutOff;
  const fault =
    first !== undefined
      ? `has a start at ${nameOf(rows, first)} from which the goal cannot be reached`
      : starts.length === 0
        ? 'has no square from which the goal can be reached'
        : null;
  return { starts, cutOff, lostPrizes, fault };
}

/** Why a text cannot be played, as the end of a sentence; null if it can. */
export function drawingFault(text: string): string | null {
  const rows = readDrawing(text);
  return typeof rows === 'string' ? rows : survey(rows).fault;
}
