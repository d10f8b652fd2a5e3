/** Packs frozen matrices; frozen.wgsl documents the layout. */
import { fromHalf, toHalf } from '../files/half.ts';

/** Group sizes, which must divide `inputs`. Keys are in the order of FORMAT in frozen.wgsl. */
export const frozenGroup = { f32: 4, f16: 8, int4: 32 } as const;

export type BasePrecision = keyof typeof frozenGroup;

/** Length of a packed matrix and of its scales, in 32-bit words. */
export function packedLengths(
  precision: BasePrecision,
  outputs: number,
  inputs: number,
): { readonly words: number; readonly scales: number } {
  const elements = outputs * inputs;
  if (precision === 'f32') return { words: elements, scales: 0 };
  if (precision === 'f16') return { words: elements / 2, scales: 0 };
  return { words: elements / 8, scales: Math.ceil(elements / frozenGroup.int4 / 2) };
}

const GROUP = frozenGroup.int4;

/** Packs a row-major matrix. The length of `values` must be a multiple of the group size. */
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
    // As in GGML's q4_0, the value of largest magnitude maps to −8, which uses the full range.
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

/** Unpacks the result of `packMatrix` to float32. */
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
