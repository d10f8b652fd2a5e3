/** What sampler and objective compute of a row of logits, in one order of operations: the same logits give the same bits. */
import {
  type Body,
  type F32,
  greatestLane,
  type I32,
  type V128,
} from '../../device/processor/assembler.ts';
import { exp } from './maths.ts';
import { steps } from './vectors.ts';

/** A row of logits z: `bytes` of them from address `row`, and β = 1/T in every lane. */
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
  /** Σ e and Σ e·s with s = z·β − highest and e = exp(s), added up token by token. */
  readonly total: F32;
  readonly weighted: F32;
}

/** @param each is told the total so far after each step, and the bytes before the step. */
export function softmaxSums(
  f: Body,
  { row, bytes, beta }: LogitRow,
  highest: V128,
  each: (total: F32, at: I32) => void = () => {},
): Sums {
  const total = f.f32(0);
  const weighted = f.f32(0);
  steps(f, 0, bytes, (at, { lanes, load }) => {
    const shifted = f.v128(load(row.add(at)).mul(beta).sub(highest));
    const e = exp(f, shifted);
    const product = f.v128(e.mul(shifted));
    for (const lane of lanes) {
      total.set(total.add(e.lane(lane)));
      weighted.set(weighted.add(product.lane(lane)));
    }
    each(total, at);
  });
  return { total, weighted };
}

/** β as the kernels take it. */
export function inverse(temperature: number): number {
  return Math.fround(1 / Math.fround(temperature));
}
