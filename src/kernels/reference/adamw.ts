import { at, type Values } from './values.ts';

/** AdamW's state, which `adamwReference` updates in place. */
export interface AdamwState {
  /** `parameters`, `m` and `v` have shape (length). */
  readonly parameters: Float64Array;
  readonly m: Float64Array;
  readonly v: Float64Array;
  /** Completed steps; skipped steps do not count. */
  steps: number;
}

export interface AdamwSettings {
  readonly learningRate: number;
  readonly beta1: number;
  readonly beta2: number;
  readonly epsilon: number;
  readonly weightDecay: number;
  readonly maxGradNorm: number;
}

/**
 * AdamW (arXiv:1711.05101, Algorithm 2) with global-norm clipping (Pascanu et al., 2013,
 * Algorithm 1). Elements from `decayEnd` on are not decayed. A non-finite gradient changes nothing.
 */
export function adamwReference(
  state: AdamwState,
  grads: Values,
  settings: AdamwSettings,
  decayEnd: number,
): { gradNorm: number; scale: number; applied: boolean } {
  const { learningRate, beta1, beta2, epsilon, weightDecay, maxGradNorm } = settings;
  let squares = 0;
  for (let i = 0; i < grads.length; i++) squares += at(grads, i) ** 2;
  const gradNorm = Math.sqrt(squares);
  if (!Number.isFinite(gradNorm)) return { gradNorm, scale: 1, applied: false };
  const scale = gradNorm > maxGradNorm ? maxGradNorm / gradNorm : 1;
  state.steps += 1;
  for (let i = 0; i < grads.length; i++) {
    const g = at(grads, i) * scale;
    const m = beta1 * at(state.m, i) + (1 - beta1) * g;
    const v = beta2 * at(state.v, i) + (1 - beta2) * g * g;
    state.m[i] = m;
    state.v[i] = v;
    const mhat = m / (1 - beta1 ** state.steps);
    const vhat = v / (1 - beta2 ** state.steps);
    const decay = i < decayEnd ? weightDecay * at(state.parameters, i) : 0;
    const step = mhat / (Math.sqrt(vhat) + epsilon) + decay;
    state.parameters[i] = at(state.parameters, i) - learningRate * step;
  }
  return { gradNorm, scale, applied: true };
}
