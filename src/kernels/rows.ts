import code from '../../shaders/rows.wgsl';
import type { Dispatcher, Tensor } from '../device/index.ts';
import { expectLength, expectSize, groups } from './guards.ts';

/**
 * Moves `count` rows of `width` elements by index:
 * `gather` y = x[index]; `scatter` y[index] = x; `scatter_add` y[index] += x.
 * The indices of a scatter must be distinct.
 */
export function moveRows(
  dispatcher: Dispatcher,
  move: 'gather' | 'scatter' | 'scatter_add',
  tensors: { readonly index: Tensor; readonly x: Tensor; readonly y: Tensor },
  { count, width }: { readonly count: number; readonly width: number },
): void {
  const name = `rows.${move}`;
  expectSize(name, 'count', count);
  expectSize(name, 'width', width, { least: 4, multiple: 4 });
  expectLength(name, 'index', tensors.index, [count]);
  expectLength(name, move === 'gather' ? 'y' : 'x', move === 'gather' ? tensors.y : tensors.x, [
    count,
    width,
  ]);
  dispatcher.dispatch(
    { kernel: 'rows', code, entry: move, constants: { WIDTH: width } },
    { ...tensors },
    { count },
    [groups((count * width) / 4, 64)],
  );
}
