import shader from '../../shaders/surrogate.wgsl';
import { klEstimators } from '../algorithms/kl-penalty.ts';
import type { ObjectiveSettings } from '../algorithms/objective.ts';
import { surrogates } from '../algorithms/surrogates.ts';
import type { Dispatcher, Tensor } from '../device/index.ts';
import { bounded, expectLength, expectSize, groups } from './guards.ts';
import {
  boundColumns,
  inputColumns,
  nonFiniteCauses,
  numbered,
  scoreColumns,
  statColumns,
} from './tables.ts';

const code = /* @__PURE__ */ numbered(shader, {
  SURROGATE: surrogates,
  KL: klEstimators,
  INPUT: inputColumns,
  SCORE: scoreColumns,
  BOUND: boundColumns,
  STAT: statColumns,
  CAUSE: nonFiniteCauses,
});

/**
 * Loss, statistics and pulls of a micro-batch: loss rows first .. first+lossRows−1 of the update's
 * tables (see `objective.ts`). Writes stats (lossRows, 24) as in `statColumns`, and pulls
 * (lossRows, 4) = ∂loss/∂log π, −∂loss/∂H, ∂loss/∂value, 0, weights included.
 */
export function surrogate(
  dispatcher: Dispatcher,
  tensors: {
    readonly inputs: Tensor;
    readonly scores: Tensor;
    readonly found: Tensor;
    readonly bounds: Tensor;
    readonly stats: Tensor;
    readonly pulls: Tensor;
  },
  { first, lossRows }: { readonly first: number; readonly lossRows: number },
  settings: ObjectiveSettings,
): void {
  const name = 'surrogate.surrogate';
  expectSize(name, 'first', first);
  expectSize(name, 'lossRows', lossRows);
  const end = first + lossRows;
  expectLength(name, 'inputs', tensors.inputs, [end, inputColumns.length]);
  expectLength(name, 'scores', tensors.scores, [end, scoreColumns.length]);
  expectLength(name, 'found', tensors.found, [end, 2]);
  expectLength(name, 'bounds', tensors.bounds, [4]);
  expectLength(name, 'stats', tensors.stats, [lossRows, statColumns.length]);
  expectLength(name, 'pulls', tensors.pulls, [lossRows, 4]);
  dispatcher.dispatch(
    { kernel: 'surrogate', code, entry: 'surrogate' },
    { ...tensors },
    {
      first,
      loss_rows: lossRows,
      surrogate: surrogates.indexOf(settings.surrogate),
      kl_estimator: klEstimators.indexOf(settings.kl.estimator),
      clip_low: bounded(settings.clipLow),
      clip_high: bounded(settings.clipHigh),
      dual_clip: bounded(settings.dualClip),
      importance_cap: bounded(settings.importanceCap),
      entropy_coef: settings.entropyCoef,
      kl_coef: settings.kl.coef,
      value_coef: settings.value.coef,
      value_clip: bounded(settings.value.clip),
      penalty_coef: settings.covariance.klCoef,
      sign: settings.sign,
    },
    [groups(lossRows, 64)],
  );
}
