import source from '../../shaders/rope.wgsl';
import rotation from '../../shaders/rotation.wgsl';
import type { Dispatcher, Tensor } from '../device/index.ts';
import { expectLength, expectSize, groups } from './guards.ts';
import { withLibrary } from './unroll.ts';

const code = withLibrary(rotation, source);

/**
 * Rotates the first `heads` heads of each row of x (rows, stride) in place by the row's position:
 * dimensions i and i + headDim/2 of a head by the angle position · theta^(−2i/headDim).
 * `direction` −1 rotates back, which is the backward pass.
 */
export function rotate(
  dispatcher: Dispatcher,
  tensors: { readonly positions: Tensor; readonly x: Tensor },
  {
    rows,
    heads,
    headDim,
    stride,
    theta = 10_000,
  }: {
    readonly rows: number;
    readonly heads: number;
    readonly headDim: number;
    readonly stride: number;
    readonly theta?: number;
  },
  direction: 1 | -1,
): void {
  const name = 'rope.rotate';
  expectSize(name, 'rows', rows);
  expectSize(name, 'heads', heads, { least: 1 });
  expectSize(name, 'headDim', headDim, { least: 2, multiple: 2 });
  expectSize(name, 'stride', stride, { least: heads * headDim });
  expectLength(name, 'positions', tensors.positions, [rows]);
  expectLength(name, 'x', tensors.x, [rows, stride]);
  dispatcher.dispatch(
    { kernel: 'rope', code, entry: 'rotate', constants: { HEAD_DIM: headDim } },
    { ...tensors },
    { rows, heads, stride, direction, theta, log2_theta: Math.log2(theta) },
    [groups((rows * headDim) / 2, 64)],
  );
}
