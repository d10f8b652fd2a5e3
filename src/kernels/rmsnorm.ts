import code from '../../shaders/rmsnorm.wgsl';
import type { Dispatcher, Tensor } from '../device/index.ts';
import { expectLength, expectSize, groups } from './guards.ts';
import { sumParts } from './reduce.ts';

interface RmsnormSizes {
  readonly rows: number;
  readonly width: number;
}

/** y (rows, width) = x · rstd · gain (width). Stores rstd (rows) for the backward pass. */
export function rmsnormForward(
  dispatcher: Dispatcher,
  tensors: { readonly x: Tensor; readonly gain: Tensor; readonly y: Tensor; readonly rstd: Tensor },
  { rows, width, epsilon = 1e-5 }: RmsnormSizes & { readonly epsilon?: number },
): void {
  const name = 'rmsnorm.forward';
  expectSize(name, 'rows', rows);
  expectSize(name, 'width', width, { least: 4, multiple: 4 });
  expectLength(name, 'x', tensors.x, [rows, width]);
  expectLength(name, 'gain', tensors.gain, [width]);
  expectLength(name, 'y', tensors.y, [rows, width]);
  expectLength(name, 'rstd', tensors.rstd, [rows]);
  dispatcher.dispatch(
    { kernel: 'rmsnorm', code, entry: 'forward', constants: { WIDTH: width } },
    { x: tensors.x, gain: tensors.gain, y: tensors.y, rstd_out: tensors.rstd },
    { rows, chunk: 0, accumulate: 0, epsilon },
    [groups(rows, 64)],
  );
}

/** Rows per partial sum of the gain gradient. */
const GAIN_CHUNK = 128;

/** Scratch elements needed by `rmsnormBackward`. */
export function rmsnormScratch({ rows, width }: RmsnormSizes): number {
  return Math.max(1, groups(rows, GAIN_CHUNK)) * width;
}

/** dx (rows, width) (+)= gradient of x; dgain (width) += gradient of the gain. */
export function rmsnormBackward(
  dispatcher: Dispatcher,
  tensors: {
    readonly x: Tensor;
    readonly gain: Tensor;
    readonly rstd: Tensor;
    readonly dy: Tensor;
    readonly dx: Tensor;
    /** Null if the gain is frozen. */
    readonly dgain: Tensor | null;
    /** `rmsnormScratch` elements. */
    readonly scratch: Tensor;
  },
  { rows, width }: RmsnormSizes,
  accumulate: boolean,
): void {
  const name = 'rmsnorm.backward';
  const parts = groups(rows, GAIN_CHUNK);
  expectSize(name, 'rows', rows);
  expectSize(name, 'width', width, { least: 4, multiple: 4 });
  expectLength(name, 'x', tensors.x, [rows, width]);
  expectLength(name, 'gain', tensors.gain, [width]);
  expectLength(name, 'dy', tensors.dy, [rows, width]);
  expectLength(name, 'dx', tensors.dx, [rows, width]);
  expectLength(name, 'rstd', tensors.rstd, [rows]);
  const constants = { WIDTH: width };
  const { x, gain, rstd, dy, dx } = tensors;
  dispatcher.dispatch(
    { kernel: 'rmsnorm', code, entry: 'backward', constants },
    { x, gain, rstd, dy, dx },
    { rows, chunk: GAIN_CHUNK, accumulate: accumulate ? 1 : 0, epsilon: 0 },
    [groups(rows, 64)],
  );
  const { dgain, scratch } = tensors;
  if (dgain === null) return;
  expectLength(name, 'dgain', dgain, [width]);
  expectLength(name, 'scratch', scratch, [parts, width]);
  dispatcher.dispatch(
    { kernel: 'rmsnorm', code, entry: 'backward_gain', constants },
    { x, rstd, dy, dgain_partial: scratch },
    { rows, chunk: GAIN_CHUNK, accumulate: 0, epsilon: 0 },
    [groups((parts * width) / 4, 64)],
  );
  sumParts(dispatcher, { partial: scratch, y: dgain }, { length: width, parts }, true);
}

/** Rows per partial sum of `rmsnormBackwardParts`. */
export const PART_ROWS = 32;

/**
 * `rmsnormBackward` in one dispatch, for GPUs. Overwrites dgain (parts, stride) with one partial
 * sum per PART_ROWS rows, zero for parts without rows. Add them up with `sumParts`.
 */
export function rmsnormBackwardParts(
  dispatcher: Dispatcher,
  tensors: {
    readonly x: Tensor;
    readonly gain: Tensor;
    readonly rstd: Tensor;
    readonly dy: Tensor;
    readonly dx: Tensor;
    readonly dgain: Tensor;
  },
  { rows, width }: RmsnormSizes,
  { parts, stride }: { readonly parts: number; readonly stride: number },
  accumulate: boolean,
): void {
  const name = 'rmsnorm.backward_parts';
  expectSize(name, 'rows', rows);
  expectSize(name, 'width', width, { least: 4, multiple: 4 });
  expectSize(name, 'parts', parts, { least: groups(rows, PART_ROWS) });
  expectSize(name, 'stride', stride, { least: width, multiple: 4 });
  for (const key of ['x', 'dy', 'dx'] as const)
    expectLength(name, key, tensors[key], [rows, width]);
  expectLength(name, 'gain', tensors.gain, [width]);
  expectLength(name, 'rstd', tensors.rstd, [rows]);
  expectLength(name, 'dgain', tensors.dgain, [parts > 0 ? (parts - 1) * stride + width : 0]);
  const { x, gain, rstd, dy, dx, dgain } = tensors;
  dispatcher.dispatch(
    { kernel: 'rmsnorm', code, entry: 'backward_parts', constants: { WIDTH: width } },
    { x, gain, rstd, dy, dx, dgain_partial: dgain },
    { rows, chunk: stride / 4, accumulate: accumulate ? 1 : 0, epsilon: 0 },
    [parts],
  );
}
