/** Conversion between float32 and float16 (IEEE 754 binary16). */

const floats = new Float32Array(1);
const bits = new Uint32Array(floats.buffer);

/** Bits of the nearest float16. Out-of-range values and infinities are clamped to ±65504. */
export function toHalf(value: number): number {
  floats[0] = value;
  const word = bits[0] ?? 0;
  const sign = (word >>> 16) & 0x8000;
  const magnitude = word & 0x7fffffff;
  if (magnitude > 0x7f800000) return sign | 0x7e00;
  // 65520 and above would round to infinity.
  if (magnitude >= 0x477ff000) return sign | 0x7bff;
  if (magnitude < 0x38800000) {
    // Subnormal: multiples of 2⁻²⁴, rounded to even.
    const scaled = Math.abs(value) * 2 ** 24;
    const floor = Math.floor(scaled);
    const rest = scaled - floor;
    const up = rest > 0.5 || (rest === 0.5 && floor % 2 === 1);
    return sign | (floor + (up ? 1 : 0));
  }
  const rounded = magnitude + 0xfff + ((magnitude >>> 13) & 1);
  return sign | ((rounded - 0x38000000) >>> 13);
}

/** The value of a float16 from its bits. */
export function fromHalf(half: number): number {
  const sign = half & 0x8000 ? -1 : 1;
  const exponent = (half >>> 10) & 31;
  const mantissa = half & 0x3ff;
  if (exponent === 0) return sign * mantissa * 2 ** -24;
  if (exponent === 31) return mantissa ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return sign * (1 + mantissa / 1024) * 2 ** (exponent - 15);
}
