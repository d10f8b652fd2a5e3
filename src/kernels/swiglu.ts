import code from '../../shaders/swiglu.wgsl';
import type { Dispatcher, Tensor } from '../device/index.ts';
import { expectLength, expectSize, groups } from './guards.ts';

interface SwigluSizes {
  readonly rows: number;
  readonly ffnWidth: number;
  /** Activation of the gate; SiLU by default. */
  readonly activation?: 'silu' | 'gelu_pytorch_tanh';
}

const constantsOf = ({ ffnWidth, activation = 'silu' }: SwigluSizes) => ({
  FFN: ffnWidth,
  GELU: activation === 'silu' ? 0 : 1,
});

/** h (rows, ffnWidth) = activation(gate) · up, from gateUp (rows, 2·ffnWidth). */
export function swigluForward(
  dispatcher: Dispatcher,
  tensors: { readonly gateUp: Tensor; readonly h: Tensor },
  sizes: SwigluSizes,
): void {
  const { rows, ffnWidth } = sizes;
  const name = 'swiglu.forward';
  expectSize(name, 'rows', rows);
  expectSize(name, 'ffnWidth', ffnWidth, { least: 4, multiple: 4 });
  expectLength(name, 'gateUp', tensors.gateUp, [rows, 2 * ffnWidth]);
  expectLength(name, 'h', tensors.h, [rows, ffnWidth]);
  dispatcher.dispatch(
    { kernel: 'swiglu', code, entry: 'forward', constants: constantsOf(sizes) },
    { gate_up: tensors.gateUp, h: tensors.h },
    { rows },
    [groups((rows * ffnWidth) / 4, 64)],
  );
}

/** Overwrites dgateUp (rows, 2·ffnWidth), given dh (rows, ffnWidth). */
export function swigluBackward(
  dispatcher: Dispatcher,
  tensors: { readonly gateUp: Tensor; readonly dh: Tensor; readonly dgateUp: Tensor },
  sizes: SwigluSizes,
): void {
  const { rows, ffnWidth } = sizes;
  const name = 'swiglu.backward';
  expectSize(name, 'rows', rows);
  expectSize(name, 'ffnWidth', ffnWidth, { least: 4, multiple: 4 });
  expectLength(name, 'gateUp', tensors.gateUp, [rows, 2 * ffnWidth]);
  expectLength(name, 'dh', tensors.dh, [rows, ffnWidth]);
  expectLength(name, 'dgateUp', tensors.dgateUp, [rows, 2 * ffnWidth]);
  dispatcher.dispatch(
    { kernel: 'swiglu', code, entry: 'backward', constants: constantsOf(sizes) },
    { gate_up: tensors.gateUp, dh: tensors.dh, dgate_up: tensors.dgateUp },
    { rows },
    [groups((rows * ffnWidth) / 4, 64)],
  );
}
