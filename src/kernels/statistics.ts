import code from '../../shaders/statistics.wgsl';
import type { Dispatcher, Tensor } from '../device/index.ts';
import { expectLength, expectSize } from './guards.ts';

/**
 * Columns of the statistics of a loss row. `loss` is weighted, all others are not; `ratio` and
 * `approxKl` are against the behaviour policy. The last twelve count rows, and add up
 * |∂loss/∂log π| of the surrogate, by the sign of the advantage and by where the ratio lies.
 */
export const statColumns = [
  'loss',
  'entropy',
  'approxKl',
  'ratio',
  'clippedLow',
  'clippedHigh',
  'clippedDual',
  'refKl',
  'valueLoss',
  'positiveContribution',
  'negativeContribution',
  'nonFinite',
  'positiveBelow',
  'positiveInside',
  'positiveAbove',
  'negativeBelow',
  'negativeInside',
  'negativeAbove',
  'positiveBelowPull',
  'positiveInsidePull',
  'positiveAbovePull',
  'negativeBelowPull',
  'negativeInsidePull',
  'negativeAbovePull',
] as const;

/**
 * What `nonFinite` says, indexed by its value: the first cause in the order advantages (or another
 * number handed in), log-probabilities (or entropies), ratios, loss. In the totals it is the
 * maximum over rows, hence the first cause of any.
 */
export const nonFiniteCauses = [null, 'loss', 'ratios', 'log-probabilities', 'advantages'] as const;

/** totals (24) (+)= Σ stats (lossRows, 24); `nonFinite` takes the maximum. */
export function sumStats(
  dispatcher: Dispatcher,
  tensors: { readonly stats: Tensor; readonly totals: Tensor },
  { lossRows }: { readonly lossRows: number },
): void {
  const name = 'statistics.sum';
  expectSize(name, 'lossRows', lossRows);
  expectLength(name, 'stats', tensors.stats, [lossRows, statColumns.length]);
  expectLength(name, 'totals', tensors.totals, [statColumns.length]);
  dispatcher.dispatch(
    { kernel: 'statistics', code, entry: 'sum' },
    { ...tensors },
    { loss_rows: lossRows },
    [statColumns.length],
  );
}
