import { at, float64, type Values } from './values.ts';

/**
 * RoPE (arXiv:2104.09864, Eq. 15) with Llama's pairing: in the first `heads` heads of
 * each row of x (rows, stride), dimensions i and i + headDim/2 are rotated by the angle
 * direction · position · theta^(−2i/headDim). Returns a rotated copy. A rotation is orthogonal, so
 * its backward pass is the inverse rotation (direction −1).
 */
export function rotateReference(
  { x, positions }: { readonly x: Values; readonly positions: Values },
  {
    rows,
    heads,
    headDim,
    stride,
    theta = 10_000,
  }: {
    readonly rows: number;
    readonly heads: number;
    readonly headDim: number;
    readonly stride: number;
    readonly theta?: number;
  },
  direction: 1 | -1,
): Float64Array {
  const y = float64(x);
  const half = headDim / 2;
  for (let r = 0; r < rows; r++) {
    for (let h = 0; h < heads; h++) {
      for (let i = 0; i < half; i++) {
        const angle = direction * at(positions, r) * theta ** (-i / half);
        const low = r * stride + h * headDim + i;
        const high = low + half;
        y[low] = at(x, low) * Math.cos(angle) - at(x, high) * Math.sin(angle);
        y[high] = at(x, high) * Math.cos(angle) + at(x, low) * Math.sin(angle);
      }
    }
  }
  return y;
}
