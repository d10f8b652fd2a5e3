/** Brushed ranges of axes: a trial is selected if it lies within all of them. */

/** Fractions of an axis, from its start. */
export type Brush = readonly [from: number, to: number];
/** By axis id; an axis without one is not filtered. */
export type Brushes = ReadonlyMap<string, Brush>;

const WHOLE: Brush = [0, 1];
/** Positions that differ only by rounding are equal. */
const SLACK = 1e-9;

export const brushOf = (brushes: Brushes, id: string) => brushes.get(id) ?? WHOLE;

/**
 * Whether a position lies within an axis's brush; a missing value lies only within the full range.
 */
export function within([from, to]: Brush, at: number | null): boolean {
  if (at === null) return from <= 0 && to >= 1;
  return at >= from - SLACK && at <= to + SLACK;
}

/** Replaces the brush of one axis; a brush over the full range is removed. */
export function brushed(brushes: Brushes, id: string, [from, to]: Brush): Brushes {
  const next = new Map(brushes);
  const brush: Brush = [Math.max(0, Math.min(from, to)), Math.min(1, Math.max(from, to))];
  if (brush[0] <= SLACK && brush[1] >= 1 - SLACK) next.delete(id);
  else next.set(id, brush);
  return next;
}

/** Effect of a key on one end of a brush; null for other keys. */
export function movedBy(
  key: string,
  [from, to]: Brush,
  end: 'from' | 'to',
  choices: number | null,
): Brush | null {
  const step = choices === null ? 0.02 : 1 / choices;
  const large = choices === null ? 0.2 : step;
  const at = end === 'from' ? from : to;
  const least = end === 'from' ? 0 : from + (choices === null ? 0 : step);
  const most = end === 'from' ? to - (choices === null ? 0 : step) : 1;
  const places: Readonly<Record<string, number>> = {
    ...{ ArrowUp: at + step, ArrowRight: at + step, ArrowDown: at - step, ArrowLeft: at - step },
    ...{ PageUp: at + large, PageDown: at - large, Home: least, End: most },
  };
  if (key === 'Delete' || key === 'Backspace') return WHOLE;
  const place = Object.hasOwn(places, key) ? places[key] : undefined;
  if (place === undefined) return null;
  const moved = Math.min(most, Math.max(least, place));
  return end === 'from' ? [moved, to] : [from, moved];
}

/** On lists a brush covers whole values, so it ends between two of them. */
export function snapped([from, to]: Brush, choices: number | null): Brush {
  if (choices === null) return [from, to];
  return [Math.floor(from * choices) / choices, Math.ceil(to * choices) / choices];
}
