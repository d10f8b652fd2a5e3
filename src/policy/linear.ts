import type { Recorder, Tensor } from '../device/index.ts';
import { keepBlocks, scale } from '../kernels/elementwise.ts';
import { frozenBackward, frozenForward } from '../kernels/frozen.ts';
import { linearGradients } from '../kernels/layer.ts';
import {
  type MatmulSizes,
  matmul,
  matmulTransposed,
  matmulWeightGradient,
} from '../kernels/matmul.ts';
import { sumParts } from '../kernels/reduce.ts';
import { type AdaptedLinear, adapterNames } from './layout.ts';
import { type GradientParts, type Network, type ParameterTensors, parameter } from './network.ts';

interface LinearSizes {
  readonly rows: number;
  readonly inputs: number;
  readonly outputs: number;
}

/**
 * c (rows, outputs) = a (rows, inputs) · W [+ residual]. With an adapter, W is frozen and
 * (alpha / rank) · (a·A)·B is added (LoRA, arXiv:2106.09685, Eq. 3).
 */
export function linear(
  d: Recorder,
  net: Network,
  weights: ParameterTensors,
  name: string,
  { a, c, residual }: { readonly a: Tensor; readonly c: Tensor; readonly residual?: Tensor },
  { rows, inputs, outputs }: LinearSizes,
): void {
  const w = net.frozen?.matrices.get(name);
  if (!w) {
    const tensors = { a, b: parameter(weights, name), c, ...(residual && { residual }) };
    matmul(d, tensors, { rows, inner: inputs, columns: outputs });
    return;
  }
  const adapted = net.adapted.get(name);
  if (adapted) {
    const low = lowRank(d, net, weights, name, adapted, a, rows);
    const tensors = { a: low, b: parameter(weights, adapterNames(name).b), c };
    matmul(
      d,
      { ...tensors, ...(residual && { residual }) },
      { rows, inner: adapted.ranks, columns: outputs },
    );
  } else if (residual) d.copy(residual, 0, c, rows * outputs);
  frozenForward(
    d,
    { a, w, c },
    { rows, inputs, outputs },
    adapted !== undefined || residual !== undefined,
  );
}

/** (rows, ranks) = (alpha / rank) · a·A, in a buffer that the next call overwrites. */
function lowRank(
  d: Recorder,
  net: Network,
  weights: ParameterTensors,
  name: string,
  { inputs, ranks }: AdaptedLinear,
  a: Tensor,
  rows: number,
): Tensor {
  const low = needed(net.work.low);
  matmul(
    d,
    { a, b: parameter(weights, adapterNames(name).a), c: low },
    { rows, inner: inputs, columns: ranks },
  );
  scale(d, { x: low }, { rows, columns: ranks }, scaling(net));
  return low;
}

function scaling({ shape: { adapter } }: Network): number {
  return adapter ? adapter.alpha / adapter.rank : 0;
}

function needed(tensor: Tensor | undefined): Tensor {
  if (!tensor) throw new RangeError('this network has no adapter');
  return tensor;
}

/**
 * Backward pass of `linear` for input x: dx (rows, inputs) (+)= dy · Wᵀ. Adds the gradients of trained
 * parameters to the existing ones; with `parts`, writes partial sums of them to `parts` and overwrites dx. With
 * `gateUp` as well, dx is the gradient with respect to gate and up.
 */
export function linearBackward(
  d: Recorder,
  net: Network,
  parts: GradientParts | null,
  name: string,
  tensors: {
    readonly x: Tensor;
    readonly dy: Tensor;
    readonly dx: Tensor;
    readonly gateUp?: Tensor;
  },
  { rows, inputs, outputs }: LinearSizes,
  accumulate: boolean,
): void {
  const { x, dy, dx } = tensors;
  if (parts) {
    const sizes = { rows, inner: inputs, columns: outputs };
    const partial = parameter(parts, name);
    linearGradients(d, { ...tensors, weights: net.weight(name), partial }, sizes, parts);
    return;
  }
  const w = net.frozen?.matrices.get(name);
  if (!w) {
    matmulTransposed(
      d,
      { a: dy, b: net.weight(name), c: dx },
      { rows, inner: outputs, columns: inputs },
      accumulate,
    );
    addGradient(d, net, name, x, dy, { rows: inputs, inner: rows, columns: outputs });
    return;
  }
  frozenBackward(d, { a: dy, w, c: dx }, { rows, inputs, outputs }, accumulate);
  const adapted = net.adapted.get(name);
  if (!adapted) return;
  const { ranks, parts: modules } = adapted;
  const { a, b } = adapterNames(name);
  const low = lowRank(d, net, net.parameters, name, adapted, x, rows);
  addGradient(d, net, b, low, dy, { rows: ranks, inner: rows, columns: outputs });
  const blocks = { rows: ranks, columns: outputs, blockRows: ranks / modules.length };
  if (modules.some(({ begin, end }) => end - begin < outputs)) {
    keepBlocks(d, { x: net.gradient(b) }, blocks, modules);
  }
  const dlow = needed(net.work.dlow);
  matmulTransposed(
    d,
    { a: dy, b: net.weight(b), c: dlow },
    { rows, inner: outputs, columns: ranks },
    false,
  );
  scale(d, { x: dlow }, { rows, columns: ranks }, scaling(net));
  addGradient(d, net, a, x, dlow, { rows: inputs, inner: rows, columns: ranks });
  matmulTransposed(
    d,
    { a: dlow, b: net.weight(a), c: dx },
    { rows, inner: ranks, columns: inputs },
    true,
  );
}

/** name's gradient += aᵀ · b over `sizes.inner` rows. */
export function addGradient(
  d: Recorder,
  net: Network,
  name: string,
  a: Tensor,
  b: Tensor,
  sizes: MatmulSizes,
): void {
  const partial = net.scratch;
  const parts = matmulWeightGradient(d, { a, b, partial }, sizes);
  const length = sizes.rows * sizes.columns;
  sumParts(d, { partial, y: net.gradient(name) }, { length, parts }, true);
}
