import shader from '../../shaders/covariance.wgsl';
import type { CovarianceSettings } from '../algorithms/objective.ts';
import type { Dispatcher, Tensor } from '../device/index.ts';
import { bounded, expectLength, expectSize } from './guards.ts';
import { inputColumns, numbered, scoreColumns } from './tables.ts';

const code = /* @__PURE__ */ numbered(shader, { INPUT: inputColumns, SCORE: scoreColumns });

/**
 * Picks rows by the covariance of log-probability and advantage (arXiv:2505.22617), from inputs
 * (updateRows, 8) and scores (updateRows, 4). Writes found (updateRows, 2): column 0 is 1 if the
 * row is picked, else 0; column 1 is 0.
 */
export function pickCovariance(
  dispatcher: Dispatcher,
  tensors: { readonly inputs: Tensor; readonly scores: Tensor; readonly found: Tensor },
  { updateRows }: { readonly updateRows: number },
  settings: {
    /** Whether to draw random rows with covariance between the limits instead of picking the highest. */
    readonly draw: boolean;
    readonly clipLow: number;
    readonly clipHigh: number;
    readonly covariance: CovarianceSettings;
  },
): void {
  const name = 'covariance.pick';
  expectSize(name, 'updateRows', updateRows);
  expectLength(name, 'inputs', tensors.inputs, [updateRows, inputColumns.length]);
  expectLength(name, 'scores', tensors.scores, [updateRows, scoreColumns.length]);
  expectLength(name, 'found', tensors.found, [updateRows, 2]);
  const { fraction, low, high, seed } = settings.covariance;
  dispatcher.dispatch(
    { kernel: 'covariance', code, entry: 'pick' },
    { ...tensors },
    {
      update_rows: updateRows,
      count: Math.max(1, Math.floor(fraction * updateRows)),
      draw: settings.draw ? 1 : 0,
      seed,
      clip_low: bounded(settings.clipLow),
      clip_high: bounded(settings.clipHigh),
      low: bounded(low),
      high: bounded(high),
    },
    [updateRows === 0 ? 0 : 1],
  );
}
