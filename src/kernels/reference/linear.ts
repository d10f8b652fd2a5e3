import { add, at, type Values } from './values.ts';

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
  const y = new Float64Array(rows * outputs);
  for (let r = 0; r < rows; r++) {
    for (let o = 0; o < outputs; o++) {
      let sum = 0;
      for (let i = 0; i < inputs; i++) sum += at(x, r * inputs + i) * at(w, i * outputs + o);
      y[r * outputs + o] = sum;
    }
  }
  return y;
}

/** dx (rows, inputs) = dy (rows, outputs) · wᵀ; dw (inputs, outputs) = xᵀ · dy. */
export function linearBackward(
  { x, w, dy }: { readonly x: Values; readonly w: Values; readonly dy: Values },
  { rows, inputs, outputs }: LinearSizes,
): { dx: Float64Array; dw: Float64Array } {
  const dx = new Float64Array(rows * inputs);
  const dw = new Float64Array(inputs * outputs);
  for (let r = 0; r < rows; r++) {
    for (let i = 0; i < inputs; i++) {
      for (let o = 0; o < outputs; o++) {
        const d = at(dy, r * outputs + o);
        add(dx, r * inputs + i, d * at(w, i * outputs + o));
        add(dw, i * outputs + o, d * at(x, r * inputs + i));
      }
    }
  }
  return { dx, dw };
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
