/**
 * The loss of an update. Its kernels run in this order: `tokenScores`; the step over the whole
 * update that the surrogate needs, if any (`bapoSearch`, `sequenceRatios`, `pickCovariance`,
 * `preferenceCoefficients`); `surrogate`, `logitGradient` and `sumStats`.
 *
 * Tables of the whole update have U rows, one per loss row. `tables.ts` defines the columns of
 * inputs (U, 8) and scores (U, 4); found (U, 2) and bounds (4) hold the result of the step over the
 * whole update.
 */

import shader from '../../shaders/objective.wgsl';
import type { Dispatcher, Tensor } from '../device/index.ts';
import { expectLength, expectSize, groups } from './guards.ts';
import { numbered, scoreColumns } from './tables.ts';

export { bapoSearch } from './bapo.ts';
export { pickCovariance } from './covariance.ts';
export { preferenceCoefficients, sequenceRatios } from './episodes.ts';
export { sumStats } from './statistics.ts';
export { surrogate } from './surrogate.ts';

const code = /* @__PURE__ */ numbered(shader, { SCORE: scoreColumns });

export interface LogitSizes {
  /** Number of rows of logits. */
  readonly rows: number;
  /** Number of loss rows, one per token written by the agent. */
  readonly lossRows: number;
  readonly vocabulary: number;
  /** Row stride of the logits in elements, at least `vocabulary`. */
  readonly stride: number;
}

/** Softmax temperature; logits are divided by it. */
interface Softened {
  readonly temperature: number;
}

function expectSizes(name: string, { rows, lossRows, vocabulary, stride }: LogitSizes): void {
  expectSize(name, 'rows', rows);
  expectSize(name, 'lossRows', lossRows);
  expectSize(name, 'vocabulary', vocabulary, { least: 1 });
  expectSize(name, 'stride', stride, { least: vocabulary });
}

/**
 * Writes scores (·, 4) from row `first` on: log-probability of each loss row's target under
 * softmax(logits/T), entropy, and column 0 of values (rows, 4). Also writes softmax (rows, 2) for
 * `logitGradient`. The loss rows of one row of logits (rows, stride) are consecutive and begin at
 * starts (rows+1), counted within the micro-batch.
 */
export function tokenScores(
  dispatcher: Dispatcher,
  tensors: {
    readonly logits: Tensor;
    readonly values: Tensor;
    readonly starts: Tensor;
    readonly targets: Tensor;
    readonly softmax: Tensor;
    readonly scores: Tensor;
  },
  sizes: LogitSizes & { readonly first: number },
  { temperature }: Softened,
): void {
  const name = 'objective.token_scores';
  const { rows, lossRows, first, vocabulary, stride } = sizes;
  expectSizes(name, sizes);
  expectSize(name, 'first', first);
  expectLength(name, 'logits', tensors.logits, [rows, stride]);
  expectLength(name, 'values', tensors.values, [rows, 4]);
  expectLength(name, 'starts', tensors.starts, [rows + 1]);
  expectLength(name, 'targets', tensors.targets, [lossRows]);
  expectLength(name, 'softmax', tensors.softmax, [rows, 2]);
  expectLength(name, 'scores', tensors.scores, [first + lossRows, 4]);
  dispatcher.dispatch(
    { kernel: 'objective', code, entry: 'token_scores' },
    { ...tensors },
    { rows, first, vocabulary, stride, temperature },
    [groups(rows, 64)],
  );
}

/**
 * Overwrites dlogits (rows, stride) and dvalues (rows, 4), whose columns 1 to 3 are 0, given pulls
 * (lossRows, 4) from `surrogate` and softmax from `tokenScores` on the same logits.
 */
export function logitGradient(
  dispatcher: Dispatcher,
  tensors: {
    readonly logits: Tensor;
    readonly softmax: Tensor;
    readonly starts: Tensor;
    readonly targets: Tensor;
    readonly pulls: Tensor;
    readonly dlogits: Tensor;
    readonly dvalues: Tensor;
  },
  sizes: LogitSizes,
  { temperature }: Softened,
): void {
  const name = 'objective.logit_gradient';
  const { rows, lossRows, vocabulary, stride } = sizes;
  expectSizes(name, sizes);
  expectLength(name, 'logits', tensors.logits, [rows, stride]);
  expectLength(name, 'softmax', tensors.softmax, [rows, 2]);
  expectLength(name, 'starts', tensors.starts, [rows + 1]);
  expectLength(name, 'targets', tensors.targets, [lossRows]);
  expectLength(name, 'pulls', tensors.pulls, [lossRows, 4]);
  expectLength(name, 'dlogits', tensors.dlogits, [rows, stride]);
  expectLength(name, 'dvalues', tensors.dvalues, [rows, 4]);
  dispatcher.dispatch(
    { kernel: 'objective', code, entry: 'logit_gradient' },
    { ...tensors },
    { rows, first: 0, vocabulary, stride, temperature },
    [groups(rows, 64)],
  );
}
