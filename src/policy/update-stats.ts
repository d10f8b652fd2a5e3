import { byStatistic, type RowSums } from '../algorithms/row-statistics.ts';
import { traitsOf } from '../algorithms/surrogates.ts';
import { boundColumns, nonFiniteCauses, optimizerColumns, placesOf } from '../kernels/tables.ts';
import { at } from './arrays.ts';
import type { Objective, UpdateStats } from './types.ts';
import type { UpdateTable } from './update-table.ts';

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

/** The statistics of an update, computed from its readback. */
export function updateStats(
  { rows, nonFinite }: UpdateTable,
  objective: Objective,
  { totals, bounds, state }: UpdateReadback,
): UpdateStats {
  const sums = byStatistic((_, place) => at(totals, place));
  const searched = traitsOf(objective.surrogate).looksAt === 'bounds';
  const skipped = nonFinite !== null || at(state, optimizer.applied) === 0;
  return {
    rows,
    loss: sums.loss,
    sums,
    clipLow: searched ? at(bounds, bound.low) : objective.clipLow,
    clipHigh: searched ? at(bounds, bound.high) : objective.clipHigh,
    ...contributionsOf(sums),
    gradNorm: nonFinite === null ? at(state, optimizer.gradNorm) : Number.NaN,
    skipped,
    cause: skipped ? (nonFinite ?? nonFiniteCauses[sums.nonFinite] ?? 'gradient') : null,
  };
}

/** Shares, counts and pulls by sign of the advantage, from the sums of the rows' statistics. */
export function contributionsOf(
  sums: RowSums,
): Pick<
  UpdateStats,
  'positiveShare' | 'positiveCounts' | 'negativeCounts' | 'positivePull' | 'negativePull'
> {
  const { positiveContribution, negativeContribution } = sums;
  return {
    positiveShare: positiveContribution / (positiveContribution + negativeContribution),
    positiveCounts: {
      below: sums.positiveBelow,
      inside: sums.positiveInside,
      above: sums.positiveAbove,
    },
    negativeCounts: {
      below: sums.negativeBelow,
      inside: sums.negativeInside,
      above: sums.negativeAbove,
    },
    positivePull: {
      below: sums.positiveBelowPull,
      inside: sums.positiveInsidePull,
      above: sums.positiveAbovePull,
    },
    negativePull: {
      below: sums.negativeBelowPull,
      inside: sums.negativeInsidePull,
      above: sums.negativeAbovePull,
    },
  };
}
