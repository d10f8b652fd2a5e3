import source from '../../shaders/frozen.wgsl';
import type { Dispatcher, KernelEntry, Shader, Tensor } from '../device/index.ts';
import { type BasePrecision, frozenGroup, packedLengths } from './frozen-pack.ts';
import { expectLength, expectSize, groups } from './guards.ts';
import { unrolled } from './unroll.ts';

/** A matrix (outputs, inputs) that is never trained, packed by `packMatrix`. */
export interface FrozenMatrix {
  readonly precision: BasePrecision;
  readonly words: Tensor;
  /** Scales of int4 groups. Other precisions pass `words` again: every binding needs a buffer. */
  readonly scales: Tensor;
}

export interface FrozenSizes {
  readonly rows: number;
  readonly inputs: number;
  readonly outputs: number;
}

const precisions = Object.keys(frozenGroup);

/** Marked pure, so that bundlers drop the shader if the kernel is unused. */
const codes: Readonly<Record<BasePrecision, Shader>> = {
  f32: /* @__PURE__ */ unrolled(source, { HALF: 0, INT4: 0 }),
  f16: /* @__PURE__ */ unrolled(source, { HALF: 1, INT4: 0 }),
  int4: /* @__PURE__ */ unrolled(source, { HALF: 0, INT4: 1 }),
};

function kernel(precision: BasePrecision, entry: 'forward' | 'backward' | 'gather'): KernelEntry {
  const FORMAT = precisions.indexOf(precision);
  return { kernel: 'frozen', code: codes[precision], entry, constants: { FORMAT } };
}

function check(name: string, w: FrozenMatrix, { rows, inputs, outputs }: FrozenSizes): void {
  expectSize(name, 'rows', rows);
  expectSize(name, 'inputs', inputs, { least: 4, multiple: frozenGroup[w.precision] });
  expectSize(name, 'outputs', outputs, { least: 4, multiple: 4 });
  const lengths = packedLengths(w.precision, outputs, inputs);
  expectLength(name, 'words', w.words, [lengths.words]);
  if (lengths.scales > 0) expectLength(name, 'scales', w.scales, [lengths.scales]);
}

interface ProductTensors {
  readonly a: Tensor;
  readonly w: FrozenMatrix;
  readonly c: Tensor;
}

function product(
  entry: 'forward' | 'backward',
  dispatcher: Dispatcher,
  { a, w, c }: ProductTensors,
  sizes: FrozenSizes,
  accumulate: boolean,
): void {
  const { rows, inputs, outputs } = sizes;
  const [inner, columns] = entry === 'forward' ? [inputs, outputs] : [outputs, inputs];
  const name = `frozen.${entry}`;
  check(name, w, sizes);
  expectLength(name, 'a', a, [rows, inner]);
  expectLength(name, 'c', c, [rows, columns]);
  dispatcher.dispatch(
    kernel(w.precision, entry),
    { a, w: w.words, scales: w.scales, c },
    { rows, inputs, outputs, accumulate: accumulate ? 1 : 0 },
    [groups(columns, 32), groups(rows, 64)],
  );
}

/** c (rows, outputs) (+)= a (rows, inputs) · wᵀ. */
export function frozenForward(
  dispatcher: Dispatcher,
  tensors: ProductTensors,
  sizes: FrozenSizes,
  accumulate: boolean,
): void {
  product('forward', dispatcher, tensors, sizes, accumulate);
}

/** c (rows, inputs) (+)= a (rows, outputs) · w. */
export function frozenBackward(
  dispatcher: Dispatcher,
  tensors: ProductTensors,
  sizes: FrozenSizes,
  accumulate: boolean,
): void {
  product('backward', dispatcher, tensors, sizes, accumulate);
}

/** x (rows, inputs) = w [tokens (rows)]. Tokens must be below `outputs`, the row count of w. */
export function frozenRows(
  dispatcher: Dispatcher,
  tensors: { readonly tokens: Tensor; readonly w: FrozenMatrix; readonly x: Tensor },
  sizes: FrozenSizes,
): void {
  const { tokens, w, x } = tensors;
  const { rows, inputs, outputs } = sizes;
  check('frozen.gather', w, sizes);
  expectLength('frozen.gather', 'tokens', tokens, [rows]);
  expectLength('frozen.gather', 'x', x, [rows, inputs]);
  dispatcher.dispatch(
    kernel(w.precision, 'gather'),
    { tokens, w: w.words, scales: w.scales, c: x },
    { rows, inputs, outputs, accumulate: 0 },
    [groups((rows * inputs) / 4, 64)],
  );
}
