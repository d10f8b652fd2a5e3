import code from '../../shaders/rope.wgsl';
import type { Dispatcher, Tensor } from '../device/index.ts';
import { expectLength, expectSize, groups } from './guards.ts';

/**
 * Turns the first `heads` heads of each row of x (rows, stride) by its position, in place.
 * The backward pass is the same with `direction` −1.
 */
export function rotate(
  dispatcher: Dispatcher,
  tensors: { readonly positions: Tensor; readonly x: Tensor },
  {
    rows,
    heads,
    headDim,
    stride,
  }: {
    readonly rows: number;
    readonly heads: number;
    readonly headDim: number;
    readonly stride: number;
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
    { rows, heads, stride, direction },
    [groups((rows * headDim) / 2, 64)],
  );
}
