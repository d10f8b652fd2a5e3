/** Principal component analysis onto two axes. */

type Values = ArrayLike<number>;

/** values[i]; NaN out of bounds, which would be a bug here. */
export const at = (values: Values, i: number): number => values[i] ?? Number.NaN;

/** Σ a·b. */
function dot(a: Values, b: Values): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += at(a, i) * at(b, i);
  return sum;
}

export interface Plane {
  /** (width) mean of the rows. */
  readonly mean: Float64Array;
  /** Two orthonormal axes (width), by decreasing variance; the largest element of each is positive. */
  readonly axes: readonly [Float64Array, Float64Array];
  /** Share of the variance along each axis. */
  readonly explained: readonly [number, number];
}

/** Power iterations; an axis converges as (λ₂/λ₁)ⁿ. */
const STEPS = 300;

/** The plane of largest variance of `rows` (N, width): eigenvectors of their covariance. */
export function principalPlane(rows: Values, width: number): Plane {
  const n = rows.length / width;
  const mean = Float64Array.from({ length: width }, (_, j) => {
    let sum = 0;
    for (let i = 0; i < n; i++) sum += at(rows, i * width + j);
    return sum / n;
  });
  const covariance = new Float64Array(width * width);
  for (let i = 0; i < n; i++) {
    for (let a = 0; a < width; a++) {
      const left = (at(rows, i * width + a) - at(mean, a)) / n;
      for (let b = 0; b < width; b++) {
        const index = a * width + b;
        covariance[index] = at(covariance, index) + left * (at(rows, i * width + b) - at(mean, b));
      }
    }
  }
  let total = 0;
  for (let a = 0; a < width; a++) total += at(covariance, a * width + a);
  const first = eigenvector(covariance, width, []);
  const second = eigenvector(covariance, width, [first.axis]);
  const share = (value: number) => (total > 0 ? value / total : 0);
  return {
    mean,
    axes: [first.axis, second.axis],
    explained: [share(first.value), share(second.value)],
  };
}

/** The eigenvector with the largest eigenvalue that is orthogonal to `others`, by power iteration. */
function eigenvector(matrix: Float64Array, width: number, others: readonly Float64Array[]) {
  let axis = cleaned(
    Float64Array.from({ length: width }, (_, i) => 1 + Math.sin(1 + 2 * i + others.length)),
    others,
  );
  let value = 0;
  for (let step = 0; step < STEPS; step++) {
    const next = Float64Array.from({ length: width }, (_, a) =>
      dot(matrix.subarray(a * width, (a + 1) * width), axis),
    );
    value = dot(next, axis);
    if (!(dot(next, next) > 0)) break;
    axis = cleaned(next, others);
  }
  const strongest = axis.reduce((most, v) => (Math.abs(v) > Math.abs(most) ? v : most), 0);
  return { axis: strongest < 0 ? axis.map((v) => -v) : axis, value };
}

/** Orthogonal to `others` and of length 1. */
function cleaned(vector: Float64Array, others: readonly Float64Array[]): Float64Array {
  let rest = vector;
  for (const other of others) {
    const along = dot(rest, other);
    rest = rest.map((v, i) => v - along * at(other, i));
  }
  const length = Math.sqrt(dot(rest, rest));
  return length > 0 ? rest.map((v) => v / length) : rest;
}

/** (N) coordinates of `rows` (N, width) on the plane. */
export function projected(rows: Values, { mean, axes }: Plane): readonly [number, number][] {
  const width = mean.length;
  return Array.from({ length: rows.length / width }, (_, i) => {
    const centered = mean.map((m, j) => at(rows, i * width + j) - m);
    return [dot(centered, axes[0]), dot(centered, axes[1])];
  });
}
