import code from '../../shaders/reduce.wgsl';
import type { Dispatcher, Tensor } from '../device/index.ts';
import { expectLength, expectSize, groups } from './guards.ts';

/** y (length) (+)= Σ over `parts` of partial (parts, length). */
export function sumParts(
  dispatcher: Dispatcher,
  tensors: { readonly partial: Tensor; readonly y: Tensor },
  { length, parts }: { readonly length: number; readonly parts: number },
  accumulate: boolean,
): void {
  const name = 'reduce.sum_parts';
  expectSize(name, 'length', length);
  expectSize(name, 'parts', parts);
  expectLength(name, 'partial', tensors.partial, [parts, length]);
  expectLength(name, 'y', tensors.y, [length]);
  dispatcher.dispatch(
    { kernel: 'reduce', code, entry: 'sum_parts' },
    { ...tensors },
    { length, parts, stride: length, accumulate: accumulate ? 1 : 0 },
    [groups(length, 64)],
  );
}
