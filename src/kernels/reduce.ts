import code from '../../shaders/reduce.wgsl';
import type { Dispatcher, Tensor } from '../device/index.ts';
import { expectLength, expectSize, groups } from './guards.ts';

/** y (length) (+)= Σ over parts of the first `length` columns of partial (parts, stride). */
export function sumParts(
  dispatcher: Dispatcher,
  tensors: { readonly partial: Tensor; readonly y: Tensor },
  {
    length,
    parts,
    stride = length,
  }: { readonly length: number; readonly parts: number; readonly stride?: number },
  accumulate: boolean,
): void {
  const name = 'reduce.sum_parts';
  expectSize(name, 'length', length);
  expectSize(name, 'parts', parts);
  expectSize(name, 'stride', stride, { least: length });
  expectLength(name, 'partial', tensors.partial, [parts > 0 ? (parts - 1) * stride + length : 0]);
  expectLength(name, 'y', tensors.y, [length]);
  dispatcher.dispatch(
    { kernel: 'reduce', code, entry: 'sum_parts' },
    { ...tensors },
    { length, parts, stride, accumulate: accumulate ? 1 : 0 },
    [groups(length, 64)],
  );
}
