/** How frozen matrices are packed; frozen.wgsl says what lies where. */
import type { BasePrecision } from './frozen.ts';

/** Elements of a group of four bits. */
const GROUP = 32;

const floats = new Float32Array(1);
const bits = new Uint32Array(floats.buffer);

/** The nearest float16's bits; what lies past its range takes its largest number. */
export function toHalf(value: number): number {
  floats[0] = value;
  const word = bits[0] ?? 0;
  const sign = (word >>> 16) & 0x8000;
  const magnitude = word & 0x7fffffff;
  if (magnitude > 0x7f800000) return sign | 0x7e00;
  // From 65520 on it would round to infinity.
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

/** The number that a float16's bits stand for. */
export function fromHalf(half: number): number {
  const sign = half & 0x8000 ? -1 : 1;
  const exponent = (half >>> 10) & 31;
  const mantissa = half & 0x3ff;
  if (exponent === 0) return sign * mantissa * 2 ** -24;
  if (exponent === 31) return mantissa ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return sign * (1 + mantissa / 1024) * 2 ** (exponent - 15);
}

/** A matrix whose rows come one after the other, in packed words; `values` must be whole groups. */
export function packMatrix(
  precision: BasePrecision,
  values: Float32Array,
): { readonly words: Uint32Array; readonly scales: Uint32Array } {
  const none = new Uint32Array(0);
  if (precision === 'f32') {
    return {
      words: new Uint32Array(values.buffer, values.byteOffset, values.length),
      scales: none,
    };
  }
  if (precision === 'f16') {
    const words = new Uint32Array(values.length / 2);
    for (let i = 0; i < words.length; i++) {
      const from = (i >> 2) * 8 + (i & 3);
      words[i] = toHalf(values[from] ?? 0) | (toHalf(values[from + 4] ?? 0) << 16);
    }
    return { words, scales: none };
  }
  const count = values.length / GROUP;
  const words = new Uint32Array(4 * count);
  const scales = new Uint32Array(Math.ceil(count / 2));
  for (let g = 0; g < count; g++) {
    // As q4_0 of GGML: the number of largest size becomes −8, so that the range is used to its end.
    let largest = 0;
    for (let i = 0; i < GROUP; i++) {
      const value = values[g * GROUP + i] ?? 0;
      if (Math.abs(value) > Math.abs(largest)) largest = value;
    }
    const half = toHalf(largest / -8);
    const scale = fromHalf(half);
    scales[g >> 1] = (scales[g >> 1] ?? 0) | (half << (16 * (g & 1)));
    for (let i = 0; i < GROUP; i++) {
      const value = values[g * GROUP + i] ?? 0;
      const level = scale === 0 ? 8 : Math.min(15, Math.max(0, Math.round(value / scale) + 8));
      const word = 4 * g + (i & 3);
      words[word] = (words[word] ?? 0) | (level << (4 * (i >> 2)));
    }
  }
  return { words, scales };
}

/** What packed words stand for. */
export function unpackMatrix(
  precision: BasePrecision,
  { words, scales }: { readonly words: Uint32Array; readonly scales: Uint32Array },
): Float32Array {
  if (precision === 'f32') return new Float32Array(words.buffer, words.byteOffset, words.length);
  if (precision === 'f16') {
    const values = new Float32Array(2 * words.length);
    words.forEach((word, i) => {
      const to = (i >> 2) * 8 + (i & 3);
      values[to] = fromHalf(word & 0xffff);
      values[to + 4] = fromHalf(word >>> 16);
    });
    return values;
  }
  const values = new Float32Array(8 * words.length);
  for (let i = 0; i < values.length; i++) {
    const g = Math.floor(i / GROUP);
    const k = i % GROUP;
    const scale = fromHalf(((scales[g >> 1] ?? 0) >>> (16 * (g & 1))) & 0xffff);
    const level = ((words[4 * g + (k & 3)] ?? 0) >>> (4 * (k >> 2))) & 15;
    values[i] = (level - 8) * scale;
  }
  return values;
}
