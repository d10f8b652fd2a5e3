/**
 * exp and log of four floats, by range reduction and a polynomial, because WebAssembly has no
 * vector versions. The coefficients are those of expf and logf in the Cephes library (S. Moshier),
 * minimax on the reduced range.
 */
import { type Body, f32, ints, type V128 } from '../../device/processor/assembler.ts';

/** Approximate cost of one exponential, in multiply–adds. */
export const EXP_WORK = 32;

/** Horner's method; `coefficients` start with the highest power. */
function polynomial(f: Body, x: V128, coefficients: readonly number[]): V128 {
  const [first = 0, ...others] = coefficients;
  const sum = f.v128(first);
  for (const c of others) sum.set(sum.mul(x).add(c));
  return sum;
}

/** ln 2⁻¹²⁵; exp returns 0 below it. */
const LEAST = -86.643394;

/** 1.5 · 2²³: adding it rounds a float to an integer, which is in the low bits of the sum. */
const ROUNDING = 12582912;

/**
 * eˣ of each lane. The relative error against float64 is below 2e-7. exp(0) = 1; the result is 0
 * below −86.64, ∞ above 88.72 and NaN for NaN.
 */
export function exp(f: Body, value: V128): V128 {
  const given = f.v128(value);
  const x = f.v128(given.max(LEAST).min(89));
  // x = n·ln 2 + r with |r| ≤ ln 2 / 2. ln 2 is split in two; n times the first part is exact.
  const rounded = f.v128(x.mul(Math.LOG2E).add(ROUNDING));
  const n = f.v128(rounded.sub(ROUNDING));
  const r = f.v128(x.sub(n.mul(0.693359375)).sub(n.mul(-2.1219444e-4)));
  const p = polynomial(
    f,
    r,
    [1.98756915e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 0.5],
  );
  // Twice the mantissa times 2ⁿ⁻¹: n may be 128, one more than the largest exponent.
  const mantissa = p.mul(r.mul(r)).add(r).add(1).mul(2);
  const power = rounded.shl(23).addInts(ints(126 << 23));
  return f.v128(mantissa.mul(power).without(given.lt(LEAST)));
}

/**
 * ln x of each lane for normal x > 0, and −∞ for 0. The error is below 2e-7: relative, but absolute
 * near x = 1.
 */
export function log(f: Body, value: V128): V128 {
  const x = f.v128(value);
  // x = m·2ᵉ with √½ ≤ m < √2.
  const bits = f.v128(x.subInts(ints(0x3f3504f3)));
  const e = f.v128(bits.shr(23).toFloats());
  const m = f.v128(x.subInts(bits.shr(23).shl(23)).sub(1));
  const p = polynomial(
    f,
    m,
    [
      7.0376836292e-2, -1.151461031e-1, 1.167699874e-1, -1.2420140846e-1, 1.4249322787e-1,
      -1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1,
    ],
  );
  const square = f.v128(m.mul(m));
  const low = p.mul(square).mul(m).add(e.mul(-2.1219444e-4)).sub(square.mul(0.5));
  const result = m.add(low).add(e.mul(0.693359375));
  return f.v128(x.eq(0).choose(f32(Number.NEGATIVE_INFINITY).splat(), result));
}
