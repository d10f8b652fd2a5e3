import { traitsOf } from '../algorithms/surrogates.ts';
import { nonFiniteCauses, statColumns } from '../kernels/objective.ts';
import { at } from './arrays.ts';
import type { Objective, UpdateStats } from './types.ts';
import type { UpdateTable } from './update-table.ts';

/** What an update leaves on the GPU. */
export interface UpdateReadback {
  /** As in `statColumns`. */
  readonly totals: Float32Array;
  /** (4) bounds that were searched for. */
  readonly bounds: Float32Array;
  /** (8) AdamW's. */
  readonly state: Float32Array;
}

/** What an update reports, from what was read back. */
export function updateStats(
  { rows, nonFinite }: UpdateTable,
  objective: Objective,
  { totals, bounds, state }: UpdateReadback,
): UpdateStats {
  const total = (name: (typeof statColumns)[number]) => at(totals, statColumns.indexOf(name));
  const searched = traitsOf(objective.surrogate).looksAt === 'bounds';
  const positive = total('positiveContribution');
  const skipped = nonFinite !== null || at(state, 3) === 0;
  return {
    rows,
    loss: total('loss'),
    entropySum: total('entropy'),
    approxKlSum: total('approxKl'),
    ratioSum: total('ratio'),
    clippedLow: total('clippedLow'),
    clippedHigh: total('clippedHigh'),
    clippedDual: total('clippedDual'),
    refKlSum: total('refKl'),
    valueLossSum: total('valueLoss'),
    clipLow: searched ? at(bounds, 0) : objective.clipLow,
    clipHigh: searched ? at(bounds, 1) : objective.clipHigh,
    positiveShare: positive / (positive + total('negativeContribution')),
    positiveCounts: {
      below: total('positiveBelow'),
      inside: total('positiveInside'),
      above: total('positiveAbove'),
    },
    negativeCounts: {
      below: total('negativeBelow'),
      inside: total('negativeInside'),
      above: total('negativeAbove'),
    },
    positivePull: {
      below: total('positiveBelowPull'),
      inside: total('positiveInsidePull'),
      above: total('positiveAbovePull'),
    },
    negativePull: {
      below: total('negativeBelowPull'),
      inside: total('negativeInsidePull'),
      above: total('negativeAbovePull'),
    },
    gradNorm: nonFinite === null ? at(state, 1) : Number.NaN,
    skipped,
    cause: skipped ? (nonFinite ?? nonFiniteCauses[total('nonFinite')] ?? 'gradient') : null,
  };
}
