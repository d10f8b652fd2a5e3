import code from '../../shaders/swiglu.wgsl';
import type { Dispatcher, Tensor } from '../device/index.ts';
import { expectLength, expectSize, groups } from './guards.ts';

interface SwigluSizes {
  readonly rows: number;
  readonly ffnWidth: number;
}

/** h (rows, ffnWidth) = silu(gate) · up, from gateUp (rows, 2·ffnWidth). */
export function swigluForward(
  dispatcher: Dispatcher,
  tensors: { readonly gateUp: Tensor; readonly h: Tensor },
  { rows, ffnWidth }: SwigluSizes,
): void {
  const name = 'swiglu.forward';
  expectSize(name, 'rows', rows);
  expectSize(name, 'ffnWidth', ffnWidth, { least: 4, multiple: 4 });
  expectLength(name, 'gateUp', tensors.gateUp, [rows, 2 * ffnWidth]);
  expectLength(name, 'h', tensors.h, [rows, ffnWidth]);
  dispatcher.dispatch(
    { kernel: 'swiglu', code, entry: 'forward', constants: { FFN: ffnWidth } },
    { gate_up: tensors.gateUp, h: tensors.h },
    { rows },
    [groups((rows * ffnWidth) / 4, 64)],
  );
}

/** dgateUp (rows, 2·ffnWidth) from dh (rows, ffnWidth), overwritten. */
export function swigluBackward(
  dispatcher: Dispatcher,
  tensors: { readonly gateUp: Tensor; readonly dh: Tensor; readonly dgateUp: Tensor },
  { rows, ffnWidth }: SwigluSizes,
): void {
  const name = 'swiglu.backward';
  expectSize(name, 'rows', rows);
  expectSize(name, 'ffnWidth', ffnWidth, { least: 4, multiple: 4 });
  expectLength(name, 'gateUp', tensors.gateUp, [rows, 2 * ffnWidth]);
  expectLength(name, 'dh', tensors.dh, [rows, ffnWidth]);
  expectLength(name, 'dgateUp', tensors.dgateUp, [rows, 2 * ffnWidth]);
  dispatcher.dispatch(
    { kernel: 'swiglu', code, entry: 'backward', constants: { FFN: ffnWidth } },
    { gate_up: tensors.gateUp, dh: tensors.dh, dgate_up: tensors.dgateUp },
    { rows },
    [groups((rows * ffnWidth) / 4, 64)],
  );
}
