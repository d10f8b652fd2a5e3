import { at, type Values } from './values.ts';

export interface SwigluSizes {
  readonly rows: number;
  readonly ffnWidth: number;
}

function sigmoid(x: number): number {
  return 1 / (1 + Math.exp(-x));
}

/** SwiGLU (arXiv:2002.05202, Eq. 5): h (rows, ffnWidth) = silu(gate) · up, gateUp (rows, 2·ffnWidth). */
export function swigluReference(gateUp: Values, { rows, ffnWidth }: SwigluSizes): Float64Array {
  const h = new Float64Array(rows * ffnWidth);
  for (let r = 0; r < rows; r++) {
    for (let i = 0; i < ffnWidth; i++) {
      const gate = at(gateUp, 2 * r * ffnWidth + i);
      const up = at(gateUp, (2 * r + 1) * ffnWidth + i);
      h[r * ffnWidth + i] = gate * sigmoid(gate) * up;
    }
  }
  return h;
}

/** dgateUp (rows, 2·ffnWidth) from dh; silu'(g) = σ(g) + g·σ(g)·(1 − σ(g)). */
export function swigluBackwardReference(
  { gateUp, dh }: { readonly gateUp: Values; readonly dh: Values },
  { rows, ffnWidth }: SwigluSizes,
): Float64Array {
  const dgateUp = new Float64Array(2 * rows * ffnWidth);
  for (let r = 0; r < rows; r++) {
    for (let i = 0; i < ffnWidth; i++) {
      const atGate = 2 * r * ffnWidth + i;
      const atUp = atGate + ffnWidth;
      const gate = at(gateUp, atGate);
      const s = sigmoid(gate);
      const d = at(dh, r * ffnWidth + i);
      dgateUp[atGate] = d * at(gateUp, atUp) * (s + gate * s * (1 - s));
      dgateUp[atUp] = d * gate * s;
    }
  }
  return dgateUp;
}
