/** Softmax sums shared by sampler and objective, so that the same logits give the same bits. */
import {
  type Body,
  type F32,
  greatestLane,
  type I32,
  sumOfLanes,
  type V128,
} from '../../device/processor/assembler.ts';
import { exp } from './maths.ts';
import { steps } from './vectors.ts';

/** A row of logits z: `bytes` bytes from address `row`, and β = 1/T in every lane. */
export interface LogitRow {
  readonly row: I32;
  readonly bytes: I32;
  readonly beta: V128;
}

/** max z·β, in every lane. */
export function highestLogit(f: Body, { row, bytes, beta }: LogitRow): V128 {
  const highest = f.v128(-3e38);
  steps(f, 0, bytes, (at, { load }) => {
    highest.set(highest.max(load(row.add(at)).mul(beta)));
  });
  return f.v128(greatestLane(f, highest).splat());
}

export interface Sums {
  /** Σ e with s = z·β − highest and e = exp(s), summed token by token, as in a draw. */
  readonly total: F32;
  /** Σ e·s, summed within each lane, then over the lanes. */
  readonly weighted: F32;
}

/** @param each called after each step with the total so far and the byte offset of the step */
export function softmaxSums(
  f: Body,
  { row, bytes, beta }: LogitRow,
  highest: V128,
  each: (total: F32, at: I32) => void = () => {},
): Sums {
  const total = f.f32(0);
  const weighted = f.v128(0);
  const rest = f.f32(0);
  steps(f, 0, bytes, (at, { lanes, load }) => {
    const shifted = f.v128(load(row.add(at)).mul(beta).sub(highest));
    const e = exp(f, shifted);
    const product = e.mul(shifted);
    if (lanes.length === 4) weighted.set(weighted.add(product));
    else rest.set(rest.add(product.lane(0)));
    for (const lane of lanes) total.set(total.add(e.lane(lane)));
    each(total, at);
  });
  return { total, weighted: f.f32(sumOfLanes(f, weighted).add(rest)) };
}

/** β = 1/T, rounded as the kernels expect it. */
export function inverse(temperature: number): number {
  return Math.fround(1 / Math.fround(temperature));
}
