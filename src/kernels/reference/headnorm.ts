import type { HeadnormSizes } from '../headnorm.ts';
import { rmsnormBackwardReference, rmsnormReference } from './rmsnorm.ts';
import { add, at, float64, type Values } from './values.ts';

/** The normalized heads of x (rows, slots·headDim), reshaped to (rows·heads, headDim). */
function headsOf(x: Values, { rows, heads, slots, headDim }: HeadnormSizes): Float64Array {
  return Float64Array.from({ length: rows * heads * headDim }, (_, i) => {
    const row = Math.floor(i / (heads * headDim));
    return at(x, row * slots * headDim + (i % (heads * headDim)));
  });
}

/** x with its normalized heads replaced by `changed` (rows·heads, headDim). */
function withHeads(
  x: Values,
  changed: Values,
  { rows, heads, slots, headDim }: HeadnormSizes,
): Float64Array {
  const y = float64(x);
  for (let row = 0; row < rows; row++) {
    for (let i = 0; i < heads * headDim; i++) {
      y[row * slots * headDim + i] = at(changed, row * heads * headDim + i);
    }
  }
  return y;
}

/** RMSNorm (arXiv:1910.07467, Eq. 4) of the first `heads` heads; see `headnormForward`. */
export function headnormReference(
  { x, gain }: { readonly x: Values; readonly gain: Values },
  sizes: HeadnormSizes,
  epsilon: number,
): { y: Float64Array; rstd: Float64Array } {
  const rows = { rows: sizes.rows * sizes.heads, width: sizes.headDim, epsilon };
  const { y, rstd } = rmsnormReference({ x: headsOf(x, sizes), gain }, rows);
  return { y: withHeads(x, y, sizes), rstd };
}

/** dx (rows, slots·headDim) and dgain (headDim). */
export function headnormBackwardReference(
  { x, gain, dy }: { readonly x: Values; readonly gain: Values; readonly dy: Values },
  sizes: HeadnormSizes,
  epsilon: number,
): { dx: Float64Array; dgain: Float64Array } {
  const rows = { rows: sizes.rows * sizes.heads, width: sizes.headDim, epsilon };
  const { dx, dgain } = rmsnormBackwardReference(
    { x: headsOf(x, sizes), gain, dy: headsOf(dy, sizes) },
    rows,
  );
  return { dx: withHeads(dy, dx, sizes), dgain };
}

/** Σ over rows of dy (rows, columns). */
export function biasGradientReference(dy: Values, columns: number): Float64Array {
  const sum = new Float64Array(columns);
  for (let i = 0; i < dy.length; i++) add(sum, i % columns, at(dy, i));
  return sum;
}
