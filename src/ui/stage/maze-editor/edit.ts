/** Edits of a drawing as pure functions, with undo. */

import {
  LEAST_SIDE,
  MOST_SIDE,
  type Place,
  type Rows,
  type Square,
} from '../../../envs/drawn/drawing.ts';

/** Edits that can be undone. */
const MOST_STEPS = 200;

export interface Edits {
  readonly rows: Rows;
  /** Newest last. */
  readonly before: readonly Rows[];
  /** Undone, newest last. */
  readonly after: readonly Rows[];
}

export const begin = (rows: Rows): Edits => ({ rows, before: [], after: [] });

const isEqual = (a: Rows, b: Rows): boolean =>
  a.length === b.length && a.every((row, i) => row.join() === b[i]?.join());

/** Adds a step; adds none if nothing changes. */
export function change({ rows, before, after }: Edits, next: Rows): Edits {
  if (isEqual(rows, next)) return { rows, before, after };
  return { rows: next, before: [...before, rows].slice(-MOST_STEPS), after: [] };
}

/** Changes the newest step, so that a stroke of the brush is undone as a whole. */
export function extend(edits: Edits, next: Rows): Edits {
  return { ...edits, rows: next };
}

export function undo({ rows, before, after }: Edits): Edits {
  const last = before.at(-1);
  if (last === undefined) return { rows, before, after };
  return { rows: last, before: before.slice(0, -1), after: [...after, rows] };
}

export function redo({ rows, before, after }: Edits): Edits {
  const next = after.at(-1);
  if (next === undefined) return { rows, before, after };
  return { rows: next, before: [...before, rows], after: after.slice(0, -1) };
}

export const squareAt = (rows: Rows, place: Place): Square => rows.flat()[place] ?? 'wall';

/** What a stroke paints if it begins on this square; it erases if the square already has the brush's kind. */
export const brushFrom = (rows: Rows, place: Place, tool: Square): Square =>
  squareAt(rows, place) === tool ? 'free' : tool;

/** Paints a square. There is one goal, so painting it moves it. */
export function paint(rows: Rows, place: Place, square: Square): Rows {
  const columns = rows[0]?.length ?? 1;
  return rows.map((row, r) =>
    row.map((old, c) => {
      if (r * columns + c === place) return square;
      return square === 'goal' && old === 'goal' ? 'free' : old;
    }),
  );
}

const within = (side: number) => Math.max(LEAST_SIDE, Math.min(MOST_SIDE, Math.round(side)));

/** Cuts off or adds free squares at the bottom and on the right; a goal that would be cut off moves to the corner. */
export function resize(rows: Rows, height: number, width: number): Rows {
  const [h, w] = [within(height), within(width)];
  const resized = Array.from({ length: h }, (_, r) =>
    Array.from({ length: w }, (_, c): Square => rows[r]?.[c] ?? 'free'),
  );
  const had = rows.flat().includes('goal');
  const has = resized.flat().includes('goal');
  return had && !has ? paint(resized, h * w - 1, 'goal') : resized;
}
