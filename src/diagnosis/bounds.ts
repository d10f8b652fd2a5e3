/** What the bounds of an objective do to tokens, and which tokens they hold. */

import type { Config } from '../config/schema.ts';
import type { Diagnosis, TokenSample, UpdateDetail } from '../runs/details.ts';
import type { EvidenceRow, Facts } from './evidence.ts';

type Objective = Config['algorithm']['objective'];

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

export function boundsOn(objective: Objective): BoundsOn {
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
export type HoldingBack = NonNullable<Facts['algorithm']>;

/**
 * The token has an advantage and the objective gave it no gradient. Records of earlier releases do not
 * say so; of theirs it is known where bounds clip tokens: A > 0 and r > c_high, or A < 0 and r < c_low
 * or r > dual clip.
 */
export function isHeld(
  { ratio, advantage, held }: TokenSample,
  { clipLow, clipHigh }: Bounds,
  { objective, dual_clip: dual = 0 }: HoldingBack,
): boolean {
  if (held !== undefined) return held;
  if (objective === undefined || boundsOn(objective) !== 'tokens') return false;
  if (advantage > 0) return ratio > clipHigh;
  return advantage < 0 && (ratio < clipLow || (dual > 0 && ratio > dual));
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
  rows: readonly EvidenceRow[],
  iteration: number,
  { update }: Diagnosis,
): UpdateDetail | undefined {
  const row = rows.findLast((candidate) => candidate.iteration === iteration);
  return row?.updates?.find((candidate) => candidate.update === update);
}

/** The target that BAPO's search compares the positive share with; undefined where there is none. */
export function shareTarget({ algorithm, bapo }: Facts): number | undefined {
  if (algorithm?.objective !== 'bapo' || bapo?.reading === 'pn_ratio') return undefined;
  return bapo?.target;
}
