import type { SamplerPrecision } from '../../config/schema.ts';
import { fromHalf, toHalf } from '../../files/half.ts';
import type { WeightTensor } from '../../policy/types.ts';

/** Values that share a scale, as in GGML's q4_0. */
const GROUP = 32;

/** Rounds the values of one row of a matrix. */
type Round = (row: Float32Array) => Float32Array;

const rounding: Readonly<Record<SamplerPrecision, Round>> = {
  float32: (row) => row,
  float16: (row) => row.map((value) => fromHalf(toHalf(value))),
  bfloat16: (row) => row.map(toBfloat16),
  int8: integers(8),
  int4: integers(4),
  int3: integers(3),
  int2: integers(2),
};

/**
 * Weights as a sampler of this precision holds them. Matrices are rounded row by row, vectors (the
 * gains of RMSNorm) stay float32, as is usual in quantized models.
 */
export function rounded(
  weights: ReadonlyMap<string, WeightTensor>,
  precision: SamplerPrecision,
): ReadonlyMap<string, WeightTensor> {
  const round = rounding[precision];
  return new Map(
    [...weights].map(([name, { shape, values }]) => {
      const width = shape.at(-1) ?? values.length;
      if (shape.length < 2) return [name, { shape, values }];
      const all = new Float32Array(values.length);
      for (let from = 0; from < values.length; from += width) {
        all.set(round(values.subarray(from, from + width)), from);
      }
      return [name, { shape, values: all }];
    }),
  );
}

/**
 * Integers with one float16 scale per group. As in q4_0, the value of largest magnitude maps to the
 * lowest integer, which uses the full range.
 */
function integers(bits: number): Round {
  const lowest = -(2 ** (bits - 1));
  return (row) => {
    const result = new Float32Array(row.length);
    for (let from = 0; from < row.length; from += GROUP) {
      const group = row.subarray(from, from + GROUP);
      const largest = group.reduce((a, b) => (Math.abs(b) > Math.abs(a) ? b : a), 0);
      const scale = fromHalf(toHalf(largest / lowest));
      if (scale === 0) continue;
      for (const [i, value] of group.entries()) {
        const level = Math.round(value / scale);
        result[from + i] = scale * Math.min(-lowest - 1, Math.max(lowest, level));
      }
    }
    return result;
  };
}

const floats = new Float32Array(1);
const words = new Uint32Array(floats.buffer);

/** The nearest bfloat16, ties to even. */
function toBfloat16(value: number): number {
  floats[0] = value;
  const word = words[0] ?? 0;
  words[0] = (word + 0x7fff + ((word >>> 16) & 1)) & 0xffff0000;
  return floats[0];
}
