/** Axes of the ratio–advantage plot. */

import type { Diagnosis } from '../../runs/details.ts';

/** Axes that fit every given diagnosis, so that the plot does not rescale between them. */
export interface Axes {
  /** Ends of the ratio axis. */
  readonly ratio: readonly [min: number, max: number];
  /** The advantage axis goes from −`advantage` to `advantage`. */
  readonly advantage: number;
}

/** Ratios beyond these, and outliers of a diagnosis, are drawn at the edge. */
const RATIO_LIMIT = 16;
const OUTLIERS = 0.02;

export function axesOf(diagnoses: readonly Diagnosis[]): Axes {
  let least = 0.9;
  let most = 1 / 0.9;
  let advantage = 0;
  for (const { clipLow, clipHigh, samples } of diagnoses) {
    // Room beside the bounds for the clipped zones.
    least = Math.min(least, clipLow ** 1.5);
    most = Math.max(most, clipHigh ** 1.35);
    const ratios = samples.map(({ ratio }) => ratio).sort((a, b) => a - b);
    const left = Math.floor(OUTLIERS * ratios.length);
    least = Math.min(least, ratios[left] ?? least);
    most = Math.max(most, ratios[ratios.length - 1 - left] ?? most);
    for (const sample of samples) advantage = Math.max(advantage, Math.abs(sample.advantage));
  }
  return {
    ratio: [Math.max(1 / RATIO_LIMIT, least / 1.04), Math.min(RATIO_LIMIT, most * 1.04)],
    advantage: advantage === 0 ? 1 : advantage * 1.15,
  };
}

const roundRatios = [
  1 / 8,
  1 / 4,
  1 / 2,
  0.7,
  0.8,
  0.9,
  1,
  1.1,
  1.2,
  1.4,
  2,
  3,
  4,
  6,
  8,
  16,
] as const;
/** Marked first if there is no room for all. */
const rank = (ratio: number) => (ratio === 1 ? 0 : Number.isInteger(Math.log2(ratio)) ? 1 : 2);

/** Round ratios to mark on a log axis of `length` pixels, ascending, at least `gap` pixels apart. */
export function ratioTicks(
  [min, max]: Axes['ratio'],
  length: number,
  gap: number,
): readonly number[] {
  const at = (ratio: number) => (length * Math.log(ratio / min)) / Math.log(max / min);
  const chosen: number[] = [];
  for (const ratio of [...roundRatios].sort((a, b) => rank(a) - rank(b))) {
    if (ratio < min || ratio > max) continue;
    if (chosen.every((other) => Math.abs(at(other) - at(ratio)) >= gap)) chosen.push(ratio);
  }
  return chosen.sort((a, b) => a - b);
}
