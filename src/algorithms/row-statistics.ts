/**
 * The statistics of a loss row that the surrogate kernels write and sum over an update, in the order
 * of their columns. To add one, add an entry here and its value in `shaders/surrogate.wgsl` and
 * `src/kernels/processor/surrogate.ts`; kernel tests compare both with `of`. Columns of the kernels'
 * tables, the sums of an update and the means per token are derived.
 */

import { at, type LossRows, type SurrogateRow } from './objective.ts';

/** A loss row's inputs that its statistics use. */
interface RowInputs {
  readonly advantage: number;
  readonly weight: number;
  /** nats */
  readonly entropy: number;
}

interface RowStatistic {
  /** Its value for a finite row. */
  readonly of: (row: SurrogateRow, inputs: RowInputs) => number;
  /** The metric that reports its mean over the tokens of all updates, in every run. */
  readonly metric?: string;
}

/** Counts the rows with a given sign of the advantage and zone of the ratio, or sums their pulls. */
function inZone(sign: 1 | -1, zone: SurrogateRow['zone'], counted: 'rows' | 'pulls'): RowStatistic {
  return {
    of: (row, { advantage }) =>
      row.zone === zone && sign * advantage > 0 ? (counted === 'rows' ? 1 : row.pgPull) : 0,
  };
}

const rowStatistics = {
  /** The only statistic with row weights. */
  loss: { of: (row, { weight }) => weight * row.loss },
  entropy: { of: (_, { entropy }) => entropy, metric: 'policy/entropy' },
  /** Relative to the behavior policy, like `ratio`. */
  approxKl: { of: ({ approxKl }) => approxKl, metric: 'policy/approx_kl' },
  ratio: { of: ({ ratio }) => ratio },
  clippedLow: { of: (row) => Number(row.clippedLow), metric: 'policy/clip_fraction_low' },
  clippedHigh: { of: (row) => Number(row.clippedHigh), metric: 'policy/clip_fraction_high' },
  clippedDual: { of: (row) => Number(row.clippedDual) },
  refKl: { of: ({ refKl }) => refKl },
  valueLoss: { of: ({ valueLoss }) => valueLoss },
  positiveContribution: { of: (row) => row.positiveContribution },
  negativeContribution: { of: (row) => row.negativeContribution },
  /** Index of the cause in `nonFiniteCauses`; reduced by maximum instead of sum. */
  nonFinite: { of: () => 0 },
  positiveBelow: inZone(1, 'below', 'rows'),
  positiveInside: inZone(1, 'inside', 'rows'),
  positiveAbove: inZone(1, 'above', 'rows'),
  negativeBelow: inZone(-1, 'below', 'rows'),
  negativeInside: inZone(-1, 'inside', 'rows'),
  negativeAbove: inZone(-1, 'above', 'rows'),
  positiveBelowPull: inZone(1, 'below', 'pulls'),
  positiveInsidePull: inZone(1, 'inside', 'pulls'),
  positiveAbovePull: inZone(1, 'above', 'pulls'),
  negativeBelowPull: inZone(-1, 'below', 'pulls'),
  negativeInsidePull: inZone(-1, 'inside', 'pulls'),
  negativeAbovePull: inZone(-1, 'above', 'pulls'),
} as const satisfies Readonly<Record<string, RowStatistic>>;

export type RowStatisticName = keyof typeof rowStatistics;
/** Sums over the loss rows of an update. */
export type RowSums = Readonly<Record<RowStatisticName, number>>;

export const rowStatisticNames = Object.keys(rowStatistics) as readonly RowStatisticName[];

/** The statistics that a metric reports. */
export const reportedStatistics: readonly (readonly [RowStatisticName, metric: string])[] =
  Object.entries(rowStatistics as Readonly<Record<RowStatisticName, RowStatistic>>).flatMap(
    ([name, { metric }]) => (metric === undefined ? [] : [[name as RowStatisticName, metric]]),
  );

/** The statistics by name. @param read the value of a statistic */
export function byStatistic(read: (name: RowStatisticName, place: number) => number): RowSums {
  return Object.fromEntries(
    rowStatisticNames.map((name, place) => [name, read(name, place)]),
  ) as RowSums;
}

/** The statistics of row i. */
export function statisticsOfRow(row: SurrogateRow, rows: LossRows, i: number): RowSums {
  const inputs = {
    advantage: at(rows.advantages, i),
    weight: at(rows.weights, i),
    entropy: at(rows.entropies, i),
  };
  return byStatistic((name) => rowStatistics[name].of(row, inputs));
}
