import { traitsOf } from '../algorithms/surrogates.ts';
import {
  boundColumns,
  nonFiniteCauses,
  optimizerColumns,
  placesOf,
  statColumns,
} from '../kernels/tables.ts';

import { at } from './arrays.ts';
import type { Objective, UpdateStats } from './types.ts';
import type { UpdateTable } from './update-table.ts';

const stat = placesOf(statColumns);
const bound = placesOf(boundColumns);
const optimizer = placesOf(optimizerColumns);

/** Results of an update, as read back from the device. */
export interface UpdateReadback {
  /** Columns: `statColumns`. */
  readonly totals: Float32Array;
  /** Columns: `boundColumns`; set if the bounds were searched. */
  readonly bounds: Float32Array;
  /** Columns: `optimizerColumns`. */
  readonly state: Float32Array;
}

/** An update's statistics from what was read back. */
export function updateStats(
  { rows, nonFinite }: UpdateTable,
  objective: Objective,
  { totals, bounds, state }: UpdateReadback,
): UpdateStats {
  const total = (name: (typeof statColumns)[number]) => at(totals, stat[name]);
  const searched = traitsOf(objective.surrogate).looksAt === 'bounds';
  const positive = total('positiveContribution');
  const skipped = nonFinite !== null || at(state, optimizer.applied) === 0;
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
    clipLow: searched ? at(bounds, bound.low) : objective.clipLow,
    clipHigh: searched ? at(bounds, bound.high) : objective.clipHigh,
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
    gradNorm: nonFinite === null ? at(state, optimizer.gradNorm) : Number.NaN,
    skipped,
    cause: skipped ? (nonFinite ?? nonFiniteCauses[total('nonFinite')] ?? 'gradient') : null,
  };
}
