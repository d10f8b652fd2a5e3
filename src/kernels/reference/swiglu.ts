import { at, type Values } from './values.ts';

export interface SwigluSizes {
  readonly rows: number;
  readonly ffnWidth: number;
  /** SiLU by default. */
  readonly activation?: 'silu' | 'gelu_pytorch_tanh';
}

/** a(g) and a'(g). GELU's tanh form: arXiv:1606.08415, section 2. */
const activations = {
  silu: (g: number) => {
    const s = sigmoid(g);
    return { value: g * s, slope: s + g * s * (1 - s) };
  },
  gelu_pytorch_tanh: (g: number) => {
    const root = Math.sqrt(2 / Math.PI);
    const t = Math.tanh(root * (g + 0.044715 * g ** 3));
    const inner = root * (1 + 3 * 0.044715 * g ** 2);
    return { value: 0.5 * g * (1 + t), slope: 0.5 * (1 + t) + 0.5 * g * (1 - t * t) * inner };
  },
} as const;

function sigmoid(x: number): number {
  return 1 / (1 + Math.exp(-x));
}

/**
 * SwiGLU and GEGLU (arXiv:2002.05202, Eq. 5): h (rows, ffnWidth) = a(gate) · up, from
 * gateUp (rows, 2·ffnWidth).
 */
export function swigluReference(
  gateUp: Values,
  { rows, ffnWidth, activation = 'silu' }: SwigluSizes,
): Float64Array {
  const h = new Float64Array(rows * ffnWidth);
  for (let r = 0; r < rows; r++) {
    for (let i = 0; i < ffnWidth; i++) {
      const gate = at(gateUp, 2 * r * ffnWidth + i);
      const up = at(gateUp, (2 * r + 1) * ffnWidth + i);
      h[r * ffnWidth + i] = activations[activation](gate).value * up;
    }
  }
  return h;
}

/** dgateUp (rows, 2·ffnWidth) from dh. */
export function swigluBackwardReference(
  { gateUp, dh }: { readonly gateUp: Values; readonly dh: Values },
  { rows, ffnWidth, activation = 'silu' }: SwigluSizes,
): Float64Array {
  const dgateUp = new Float64Array(2 * rows * ffnWidth);
  for (let r = 0; r < rows; r++) {
    for (let i = 0; i < ffnWidth; i++) {
      const atGate = 2 * r * ffnWidth + i;
      const atUp = atGate + ffnWidth;
      const gate = at(gateUp, atGate);
      const { value, slope } = activations[activation](gate);
      const d = at(dh, r * ffnWidth + i);
      dgateUp[atGate] = d * at(gateUp, atUp) * slope;
      dgateUp[atUp] = d * value;
    }
  }
  return dgateUp;
}
