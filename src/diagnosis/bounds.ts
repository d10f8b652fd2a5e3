/** Effects of an objective's bounds: which tokens lose their gradient. */

import { surrogateTraits } from '../algorithms/surrogates.ts';
import type { Diagnosis, TokenSample, UpdateDetail } from '../runs/details.ts';
import type { EvidenceRow, Facts } from './evidence.ts';

/** The parts of a diagnosis that decide whether a token is clipped. */
export type Bounds = Pick<Diagnosis, 'clipLow' | 'clipHigh'>;

/** Settings that decide whether a token of an older record was clipped. */
export type HoldingBack = NonNullable<Facts['algorithm']>;

/**
 * Whether the token has an advantage but no gradient from the objective. Records of earlier
 * releases lack this; for them it is derived from the clip bounds: A > 0 and r > c_high, or A < 0
 * and either r < c_low or r > dual clip.
 */
export function isHeld(
  { ratio, advantage, held }: TokenSample,
  { clipLow, clipHigh }: Bounds,
  { objective, dual_clip: dual = 0 }: HoldingBack,
): boolean {
  if (held !== undefined) return held;
  if (objective === undefined || surrogateTraits[objective].bounds !== 'tokens') return false;
  if (advantage > 0) return ratio > clipHigh;
  return advantage < 0 && (ratio < clipLow || (dual > 0 && ratio > dual));
}

/**
 * One of the six zones of an update: positive or negative advantage, with a ratio below, between or
 * above the bounds.
 */
export interface Zone {
  readonly tokens: number;
  /** Share of Σ |∂loss/∂log π| over all tokens of the update; NaN if no token has a gradient. */
  readonly gradient: number;
}

export interface Zones {
  /** Shares below, between and above the bounds. */
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
  rows: readonly EvidenceRow[],
  iteration: number,
  { update }: Diagnosis,
): UpdateDetail | undefined {
  const row = rows.findLast((candidate) => candidate.iteration === iteration);
  return row?.details?.updates?.find((candidate) => candidate.update === update);
}

/** The positive share targeted by the search for bounds; undefined if there is no target. */
export function shareTarget({ algorithm, bapo }: Facts): number | undefined {
  const objective = algorithm?.objective;
  if (objective === undefined || surrogateTraits[objective].looksAt !== 'bounds') return undefined;
  // The reported share is that of this reading.
  return (bapo?.reading ?? 'value_share') === 'value_share' ? bapo?.target : undefined;
}
