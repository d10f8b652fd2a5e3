import { add, at, type Values } from './values.ts';

export interface RmsnormSizes {
  readonly rows: number;
  readonly width: number;
  /** Added to the mean square; 1e-5 by default. */
  readonly epsilon?: number;
}

/**
 * RMSNorm (arXiv:1910.07467, Eq. 4): y (rows, width) = x · rstd · gain (width),
 * rstd (rows) = 1 / √(mean(x²) + ε).
 */
export function rmsnormReference(
  { x, gain }: { readonly x: Values; readonly gain: Values },
  { rows, width, epsilon = 1e-5 }: RmsnormSizes,
): { y: Float64Array; rstd: Float64Array } {
  const y = new Float64Array(rows * width);
  const rstd = new Float64Array(rows);
  for (let r = 0; r < rows; r++) {
    let squares = 0;
    for (let i = 0; i < width; i++) squares += at(x, r * width + i) ** 2;
    const scale = 1 / Math.sqrt(squares / width + epsilon);
    rstd[r] = scale;
    for (let i = 0; i < width; i++) y[r * width + i] = at(x, r * width + i) * scale * at(gain, i);
  }
  return { y, rstd };
}

/**
 * With x̂ = x·rstd and dx̂ = dy·gain: dx (rows, width) = rstd · (dx̂ − x̂ · mean(dx̂·x̂));
 * dgain (width) = Σ over rows of dy · x̂.
 */
export function rmsnormBackwardReference(
  { x, gain, dy }: { readonly x: Values; readonly gain: Values; readonly dy: Values },
  { rows, width, epsilon = 1e-5 }: RmsnormSizes,
): { dx: Float64Array; dgain: Float64Array } {
  const { rstd } = rmsnormReference({ x, gain }, { rows, width, epsilon });
  const dx = new Float64Array(rows * width);
  const dgain = new Float64Array(width);
  for (let r = 0; r < rows; r++) {
    const scale = at(rstd, r);
    let along = 0;
    for (let i = 0; i < width; i++) {
      along += at(dy, r * width + i) * at(gain, i) * at(x, r * width + i) * scale;
    }
    for (let i = 0; i < width; i++) {
      const xhat = at(x, r * width + i) * scale;
      const d = at(dy, r * width + i);
      dx[r * width + i] = scale * (d * at(gain, i) - (xhat * along) / width);
      add(dgain, i, d * xhat);
    }
  }
  return { dx, dgain };
}
