/** What the picture of ratio and advantage is drawn from: which tokens the clip holds, and its axes. */

import type { Config } from '../config/schema.ts';
import type { Diagnosis, TokenSample, UpdateDetail } from '../runs/details.ts';
import type { IterationRow } from './store.ts';

/** What the bounds do under an objective. */
export type BoundsOn =
  /** A token outside loses its gradient. */
  | 'tokens'
  /** An episode outside loses its gradient; a single token's ratio does not decide. */
  | 'episodes'
  /** A token outside keeps its gradient, but weighs no more than the bound. */
  | 'weights'
  /** There are none. */
  | 'nothing';

export function boundsOn(objective: Config['algorithm']['objective']): BoundsOn {
  switch (objective) {
    case 'ppo_clip':
    case 'bapo':
    case 'clip_cov':
      return 'tokens';
    case 'gspo':
      return 'episodes';
    case 'cispo':
      return 'weights';
    case 'kl_cov':
      return 'nothing';
    default:
      return objective satisfies never;
  }
}

/** The parts of a diagnosis that decide whether a token is clipped. */
export type Bounds = Pick<Diagnosis, 'clipLow' | 'clipHigh'>;

/** The settings that decide whether a token of an older record was held back. */
export type HoldingBack = Pick<Config['algorithm'], 'objective' | 'dual_clip'>;

/**
 * The token has an advantage and the objective gave it no gradient. Records of earlier releases do not
 * say so; of theirs it is known where bounds clip tokens: A > 0 and r > c_high, or A < 0 and r < c_low
 * or r > dual clip.
 */
export function isHeld(
  { ratio, advantage, held }: TokenSample,
  { clipLow, clipHigh }: Bounds,
  { objective, dual_clip }: HoldingBack,
): boolean {
  if (held !== undefined) return held;
  if (boundsOn(objective) !== 'tokens') return false;
  if (advantage > 0) return ratio > clipHigh;
  return advantage < 0 && (ratio < clipLow || (dual_clip > 0 && ratio > dual_clip));
}

/** One of the six zones of an update, as its label says it. */
export interface Zone {
  readonly tokens: number;
  /** Share of Σ |∂loss/∂log π| over all tokens of the update; NaN where nothing pulls. */
  readonly gradient: number;
}

export interface Zones {
  /** Below, between and above the bounds. */
  readonly positive: readonly Zone[];
  readonly negative: readonly Zone[];
}

export function zonesOf(update: UpdateDetail): Zones {
  const { positiveCounts, negativeCounts, positivePull, negativePull } = update;
  const total = [...positivePull, ...negativePull].reduce((sum, pull) => sum + pull, 0);
  const zones = (counts: readonly number[], pulls: readonly number[]) =>
    counts.map((tokens, i) => ({
      tokens,
      gradient: total === 0 ? Number.NaN : (pulls[i] ?? 0) / total,
    }));
  return {
    positive: zones(positiveCounts, positivePull),
    negative: zones(negativeCounts, negativePull),
  };
}

/** The record of a diagnosed update, if it is still among the rows. */
export function updateOf(
  rows: readonly IterationRow[],
  iteration: number,
  { update }: Diagnosis,
): UpdateDetail | undefined {
  const row = rows.findLast((candidate) => candidate.iteration === iteration);
  return row?.updates.find((candidate) => candidate.update === update);
}

/** Axes for every given diagnosis, so that the picture does not jump from one to the next. */
export interface Axes {
  /** Ends of the ratio axis. */
  readonly ratio: readonly [min: number, max: number];
  /** The advantage axis goes from −`advantage` to `advantage`. */
  readonly advantage: number;
}

/** Ratios beyond these, and the few at either end of a diagnosis, are drawn at the edge. */
const RATIO_LIMIT = 16;
const OUTLIERS = 0.02;

export function axesOf(diagnoses: readonly Diagnosis[]): Axes {
  let least = 0.9;
  let most = 1 / 0.9;
  let advantage = 0;
  for (const { clipLow, clipHigh, samples } of diagnoses) {
    // Room beside the bounds, for the zones that they clip.
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
/** What is marked first where there is no room for all. */
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
