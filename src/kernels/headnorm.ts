import code from '../../shaders/headnorm.wgsl';
import type { Dispatcher, Tensor } from '../device/index.ts';
import { expectLength, expectSize, groups } from './guards.ts';
import { sumParts } from './reduce.ts';

export interface HeadnormSizes {
  readonly rows: number;
  /** Number of normalized heads, the first ones of each row. */
  readonly heads: number;
  /** Total heads per row; those from `heads` on are copied unchanged. */
  readonly slots: number;
  /** A multiple of 4. */
  readonly headDim: number;
}

function check(name: string, { rows, heads, slots, headDim }: HeadnormSizes): void {
  expectSize(name, 'rows', rows);
  expectSize(name, 'heads', heads, { least: 1 });
  expectSize(name, 'slots', slots, { least: heads });
  expectSize(name, 'headDim', headDim, { least: 4, multiple: 4 });
}

/**
 * y (rows, slots·headDim) = x with RMSNorm applied to each of the first `heads` heads, with one
 * gain (headDim) shared by all heads. Stores rstd (rows, heads) for the backward pass.
 */
export function headnormForward(
  dispatcher: Dispatcher,
  tensors: { readonly x: Tensor; readonly gain: Tensor; readonly y: Tensor; readonly rstd: Tensor },
  sizes: HeadnormSizes,
  epsilon: number,
): void {
  const name = 'headnorm.forward';
  const { rows, heads, slots, headDim } = sizes;
  check(name, sizes);
  expectLength(name, 'x', tensors.x, [rows, slots, headDim]);
  expectLength(name, 'gain', tensors.gain, [headDim]);
  expectLength(name, 'y', tensors.y, [rows, slots, headDim]);
  expectLength(name, 'rstd', tensors.rstd, [rows, heads]);
  const { x, gain, y, rstd } = tensors;
  dispatcher.dispatch(
    { kernel: 'headnorm', code, entry: 'forward', constants: { HEAD_DIM: headDim } },
    { x, gain, y, rstd_out: rstd },
    { rows, heads, slots, chunk: 0, epsilon },
    [groups(rows * slots, 64)],
  );
}

/** Rows per partial sum of the gain gradient. */
const CHUNK = 32;

/** Scratch elements needed by `headnormBackward`. */
export function headnormScratch({ rows, headDim }: HeadnormSizes): number {
  return Math.max(1, groups(rows, CHUNK)) * headDim;
}

/** Replaces dy (rows, slots·headDim) with dx; adds the gradient of the gain to dgain (headDim). */
export function headnormBackward(
  dispatcher: Dispatcher,
  tensors: {
    readonly x: Tensor;
    readonly gain: Tensor;
    readonly rstd: Tensor;
    readonly dy: Tensor;
    readonly dgain: Tensor | null;
    /** `headnormScratch` elements. */
    readonly scratch: Tensor;
  },
  sizes: HeadnormSizes,
): void {
  const name = 'headnorm.backward';
  const { rows, heads, slots, headDim } = sizes;
  const parts = groups(rows, CHUNK);
  check(name, sizes);
  expectLength(name, 'x', tensors.x, [rows, slots, headDim]);
  expectLength(name, 'gain', tensors.gain, [headDim]);
  expectLength(name, 'rstd', tensors.rstd, [rows, heads]);
  expectLength(name, 'dy', tensors.dy, [rows, slots, headDim]);
  const { x, gain, rstd, dy, dgain, scratch } = tensors;
  const kernel = { kernel: 'headnorm', code, constants: { HEAD_DIM: headDim } } as const;
  const params = { rows, heads, slots, chunk: CHUNK, epsilon: 0 };
  if (dgain) {
    expectLength(name, 'dgain', dgain, [headDim]);
    expectLength(name, 'scratch', scratch, [parts, headDim]);
    dispatcher.dispatch(
      { ...kernel, entry: 'backward_gain' },
      { x, rstd, dy_in: dy, dgain_partial: scratch },
      params,
      [groups((parts * headDim) / 4, 64)],
    );
    sumParts(dispatcher, { partial: scratch, y: dgain }, { length: headDim, parts }, true);
  }
  dispatcher.dispatch({ ...kernel, entry: 'backward' }, { x, gain, rstd, dy }, params, [
    groups(rows * heads, 64),
  ]);
}
