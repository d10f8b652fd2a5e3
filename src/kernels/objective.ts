/**
 * The loss of an update, in the order in which its kernels run: `tokenScores`, then what the
 * surrogate needs of the whole update (`bapoSearch`, `sequenceRatios`, `pickCovariance`,
 * `preferenceCoefficients`), then `surrogate`, `logitGradient` and `sumStats`.
 *
 * Tables of the whole update have U rows, one a loss row: inputs (U, 8) and scores (U, 4) have the
 * columns of `tables.ts`; found (U, 2) and bounds (4) hold what the steps over the whole update find.
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
  /** Rows of logits. */
  readonly rows: number;
  /** Loss rows: tokens that the agent wrote. */
  readonly lossRows: number;
  readonly vocabulary: number;
  /** Elements of a row of logits, at least `vocabulary`. */
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
 * scores (·, 4) from row `first` on: log-probability of each loss row's target under
 * softmax(logits/T), entropy, and column 0 of values (rows, 4). softmax (rows, 2) keeps what
 * `logitGradient` needs. Loss rows of one row of logits (rows, stride) are consecutive; starts
 * (rows+1) says where they begin, counted within the micro-batch.
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
 * dlogits (rows, stride) and column 0 of dvalues (rows, 4), overwritten, from pulls (lossRows, 4) of
 * `surrogate`; the rest of dvalues is 0. softmax is that of `tokenScores` on the same logits.
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
