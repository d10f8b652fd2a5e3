import code from '../../shaders/matmul.wgsl';
import type { Dispatcher, Tensor } from '../gpu/index.ts';
import { expectLength, expectSize, groups } from './guards.ts';

export interface MatmulSizes {
  readonly rows: number;
  readonly inner: number;
  readonly columns: number;
}

/** c (rows, columns) = a (rows, inner) · b (inner, columns) [+ residual (rows, columns)]. */
export function matmul(
  dispatcher: Dispatcher,
  tensors: {
    readonly a: Tensor;
    readonly b: Tensor;
    readonly c: Tensor;
    readonly residual?: Tensor;
  },
  { rows, inner, columns }: MatmulSizes,
): void {
  const entry = tensors.residual ? 'nn_residual' : 'nn';
  const name = `matmul.${entry}`;
  expectSize(name, 'rows', rows);
  expectSize(name, 'inner', inner, { least: 4, multiple: 4 });
  expectSize(name, 'columns', columns, { least: 4, multiple: 4 });
  expectLength(name, 'a', tensors.a, [rows, inner]);
  expectLength(name, 'b', tensors.b, [inner, columns]);
  expectLength(name, 'c', tensors.c, [rows, columns]);
  if (tensors.residual) expectLength(name, 'residual', tensors.residual, [rows, columns]);
  dispatcher.dispatch(
    { kernel: 'matmul', code, entry },
    { ...tensors },
    { rows, inner, columns, mode: 0 },
    [groups(columns, 32), groups(rows, 128)],
  );
}

/** c (rows, columns) (+)= a (rows, inner) · b (columns, inner)ᵀ. */
export function matmulTransposed(
  dispatcher: Dispatcher,
  tensors: { readonly a: Tensor; readonly b: Tensor; readonly c: Tensor },
  { rows, inner, columns }: MatmulSizes,
  accumulate: boolean,
): void {
  const name = 'matmul.nt';
  expectSize(name, 'rows', rows);
  expectSize(name, 'inner', inner, { least: 4, multiple: 4 });
  expectSize(name, 'columns', columns, { least: 4, multiple: 4 });
  expectLength(name, 'a', tensors.a, [rows, inner]);
  expectLength(name, 'b', tensors.b, [columns, inner]);
  expectLength(name, 'c', tensors.c, [rows, columns]);
  dispatcher.dispatch(
    { kernel: 'matmul', code, entry: 'nt' },
    { ...tensors },
    { rows, inner, columns, mode: accumulate ? 1 : 0 },
    [groups(columns, 32), groups(rows, 64)],
  );
}

/** Splits of the token dimension, so that a product with few outputs fills the device. */
export function weightGradientSplits(tokens: number): { splits: number; length: number } {
  const length = Math.max(64, Math.ceil(tokens / 64));
  return { splits: Math.max(1, Math.ceil(tokens / length)), length };
}

/**
 * partial (splits, rows, columns): each split's share of Σ_t a (t, rows)ᵀ · b (t, columns) over
 * t = 0 .. inner-1. Add the parts up with `sumParts`. Returns the number of splits.
 */
export function matmulWeightGradient(
  dispatcher: Dispatcher,
  tensors: { readonly a: Tensor; readonly b: Tensor; readonly partial: Tensor },
  { rows, inner, columns }: MatmulSizes,
): number {
  const name = 'matmul.tn';
  expectSize(name, 'inner', inner);
  expectSize(name, 'rows', rows, { least: 4, multiple: 4 });
  expectSize(name, 'columns', columns, { least: 4, multiple: 4 });
  const { splits, length } = weightGradientSplits(inner);
  expectLength(name, 'a', tensors.a, [inner, rows]);
  expectLength(name, 'b', tensors.b, [inner, columns]);
  expectLength(name, 'partial', tensors.partial, [splits, rows, columns]);
  dispatcher.dispatch(
    { kernel: 'matmul', code, entry: 'tn' },
    { a: tensors.a, b: tensors.b, c: tensors.partial },
    { rows, inner, columns, mode: length },
    [groups(columns, 32), groups(rows, 32), splits],
  );
  return splits;
}
