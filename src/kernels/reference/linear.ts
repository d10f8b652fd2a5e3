import { add, at, float64, type Values } from './values.ts';

export interface LinearSizes {
  readonly rows: number;
  readonly inputs: number;
  readonly outputs: number;
}

/** y (rows, outputs) = x (rows, inputs) · w (inputs, outputs). */
export function linearForward(
  { x, w }: { readonly x: Values; readonly w: Values },
  { rows, inputs, outputs }: LinearSizes,
): Float64Array {
  const [xs, ws] = [doubles(x, rows * inputs), doubles(w, inputs * outputs)];
  const y = new Float64Array(rows * outputs);
  for (let r = 0; r < rows; r++) {
    for (let i = 0; i < inputs; i++) {
      const input = at(xs, r * inputs + i);
      for (let o = 0, k = r * outputs, j = i * outputs; o < outputs; o++, k++, j++) {
        y[k] = (y[k] ?? 0) + input * (ws[j] ?? 0);
      }
    }
  }
  return y;
}

/** dx (rows, inputs) = dy (rows, outputs) · wᵀ; dw (inputs, outputs) = xᵀ · dy. */
export function linearBackward(
  { x, w, dy }: { readonly x: Values; readonly w: Values; readonly dy: Values },
  { rows, inputs, outputs }: LinearSizes,
): { dx: Float64Array; dw: Float64Array } {
  const [xs, ws] = [doubles(x, rows * inputs), doubles(w, inputs * outputs)];
  const dys = doubles(dy, rows * outputs);
  const dx = new Float64Array(rows * inputs);
  const dw = new Float64Array(inputs * outputs);
  for (let r = 0; r < rows; r++) {
    for (let i = 0; i < inputs; i++) {
      const input = at(xs, r * inputs + i);
      let sum = 0;
      for (let o = 0, k = r * outputs, j = i * outputs; o < outputs; o++, k++, j++) {
        const d = dys[k] ?? 0;
        sum += d * (ws[j] ?? 0);
        dw[j] = (dw[j] ?? 0) + d * input;
      }
      dx[r * inputs + i] = sum;
    }
  }
  return { dx, dw };
}

/** In float64. Checks the length only once, because the loops above dominate the time of the tests. */
function doubles(values: Values, length: number): Float64Array {
  if (values.length < length) {
    throw new RangeError(`expected at least ${length} elements, got ${values.length}`);
  }
  return values instanceof Float64Array ? values : float64(values);
}

/** y (length) = Σ over `parts` of partial (parts, length). */
export function sumPartsReference(
  partial: Values,
  { length, parts }: { readonly length: number; readonly parts: number },
): Float64Array {
  const y = new Float64Array(length);
  for (let p = 0; p < parts; p++) {
    for (let i = 0; i < length; i++) add(y, i, at(partial, p * length + i));
  }
  return y;
}
