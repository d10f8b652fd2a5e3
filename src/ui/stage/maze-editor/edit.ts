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
  /** Whether the newest step belongs to the current stroke of the brush. */
  readonly inStroke: boolean;
}

export const begin = (rows: Rows): Edits => ({ rows, before: [], after: [], inStroke: false });

const isEqual = (a: Rows, b: Rows): boolean =>
  a.length === b.length && a.every((row, i) => row.join() === b[i]?.join());

/** Adds a step; adds none if nothing changes. */
export function change(edits: Edits, next: Rows): Edits {
  const { rows, before } = edits;
  if (isEqual(rows, next)) return { ...edits, inStroke: false };
  return { rows: next, before: [...before, rows].slice(-MOST_STEPS), after: [], inStroke: true };
}

/**
 * Changes the newest step, so that a stroke of the brush is undone as a whole; adds the step if the
 * stroke has changed nothing before.
 */
export function extend(edits: Edits, next: Rows): Edits {
  return edits.inStroke ? { ...edits, rows: next } : change(edits, next);
}

export function undo(edits: Edits): Edits {
  const { rows, before, after } = edits;
  const last = before.at(-1);
  if (last === undefined) return edits;
  return { rows: last, before: before.slice(0, -1), after: [...after, rows], inStroke: false };
}

export function redo(edits: Edits): Edits {
  const { rows, before, after } = edits;
  const next = after.at(-1);
  if (next === undefined) return edits;
  return { rows: next, before: [...before, rows], after: after.slice(0, -1), inStroke: false };
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
