/**
 * Matrix products of a transformer layer, fused with the operations around them, for devices of
 * kind `gpu`. They need fewer dispatches than the separate kernels and give the same bits for each
 * row.
 */

import source from '../../shaders/layer.wgsl';
import rotation from '../../shaders/rotation.wgsl';
import type { Dispatcher, KernelEntry, Tensor } from '../device/index.ts';
import type { AttentionHeads } from './attention.ts';
import { expectLength, expectSize, groups } from './guards.ts';
import { unrolled, withLibrary } from './unroll.ts';

const text = /* @__PURE__ */ withLibrary(rotation, source);

/** Alignment of slices, in elements; see `Device.slice`. */
const ALIGNMENT = 64;

/** Offset from one matrix of the parameter layout to the next, in elements. */
export function alignedLength(length: number): number {
  return ALIGNMENT * Math.ceil(length / ALIGNMENT);
}

/** Workgroups that fill a large GPU twice; with at least this many, the larger tile saves reads. */
const MANY_GROUPS = 256;

/** Rows and column vectors per invocation; a workgroup has 8 × 8 invocations. */
interface Tile {
  readonly rows: 4 | 8;
  readonly columns: 1 | 2;
}

const SMALL: Tile = { rows: 4, columns: 1 };
const LARGE: Tile = { rows: 8, columns: 2 };

interface Variant {
  readonly heads?: AttentionHeads;
  readonly ffnWidth?: number;
  readonly cached?: boolean;
  readonly swiglu?: boolean;
}

const kernels = new Map<string, KernelEntry>();

function kernel(
  entry: 'query_key_value' | 'gate_up' | 'gradients',
  { rows: ROWS, columns: COLUMNS }: Tile,
  { heads, ffnWidth: FFN = 0, cached = false, swiglu = false }: Variant,
): KernelEntry {
  const { heads: HEADS, kvHeads: KV_HEADS, headDim: HEAD_DIM } = heads ?? NO_HEADS;
  const constants = {
    ...{ ROWS, COLUMNS, HEADS, KV_HEADS, HEAD_DIM, FFN },
    CACHED: cached ? 1 : 0,
    SWIGLU: swiglu ? 1 : 0,
  };
  const key = [entry, ...Object.values(constants)].join();
  const known = kernels.get(key);
  if (known) return known;
  const code = unrolled(text, { ...constants, ROWS4: ROWS / 4 });
  const made = { kernel: 'layer', code, entry, constants };
  kernels.set(key, made);
  return made;
}

const NO_HEADS: AttentionHeads = { heads: 0, kvHeads: 0, headDim: 0 };

/** Defaults for parameters that an entry point does not read. */
const UNUSED = {
  columns: 0,
  columns2: 0,
  second: 0,
  length: 0,
  stride: 0,
  input_groups: 0,
  weight_groups: 0,
};

/** Whether `queryKeyValue` supports this headDim: it rotates four pairs of dimensions at once. */
export function turnsInProduct({ headDim }: AttentionHeads): boolean {
  return headDim % 8 === 0;
}

/** Workgroups across and down, and the tile: the larger one if it still fills the device. */
function paired(rows: number, pairs: number): { tile: Tile; workgroups: [number, number] } {
  const across = groups(pairs, 8);
  const tile = across * groups(rows, 8 * LARGE.rows) >= MANY_GROUPS ? LARGE : SMALL;
  return { tile, workgroups: [across, groups(rows, 8 * tile.rows)] };
}

/**
 * q (rows, heads·headDim) and kv = x (rows, inner) · weights, with queries and keys rotated by
 * positions (rows). `weights` holds the query matrix and, aligned, the key–value matrix. Row r of
 * the keys and values goes to row `destination[r]` of kv, or to r without `destination`.
 */
export function queryKeyValue(
  dispatcher: Dispatcher,
  tensors: {
    readonly x: Tensor;
    readonly weights: Tensor;
    readonly positions: Tensor;
    readonly destination?: Tensor;
    readonly q: Tensor;
    readonly kv: Tensor;
  },
  { rows, inner }: { readonly rows: number; readonly inner: number },
  heads: AttentionHeads,
): void {
  const name = 'layer.query_key_value';
  const { x, weights, positions, destination, q, kv } = tensors;
  expectSize(name, 'rows', rows);
  expectSize(name, 'inner', inner, { least: 4, multiple: 4 });
  expectSize(name, 'kvHeads', heads.kvHeads, { least: 1 });
  expectSize(name, 'heads', heads.heads, { least: heads.kvHeads, multiple: heads.kvHeads });
  expectSize(name, 'headDim', heads.headDim, { least: 8, multiple: 8 });
  const width = heads.heads * heads.headDim;
  const kvColumns = 2 * heads.kvHeads * heads.headDim;
  const second = alignedLength(inner * width);
  expectLength(name, 'x', x, [rows, inner]);
  expectLength(name, 'weights', weights, [second + inner * kvColumns]);
  expectLength(name, 'positions', positions, [rows]);
  expectLength(name, 'q', q, [rows, width]);
  if (destination) expectLength(name, 'destination', destination, [rows]);
  else expectLength(name, 'kv', kv, [rows, kvColumns]);
  const { tile, workgroups } = paired(rows, (width + kvColumns) / 8);
  dispatcher.dispatch(
    kernel('query_key_value', tile, { heads, cached: destination !== undefined }),
    // Every binding needs a buffer; without a destination this one is unused.
    { x, weights, positions, destination: destination ?? positions, q, kv },
    { ...UNUSED, rows, inner, second: second / 4 },
    workgroups,
  );
}

/** gateUp (rows, 2·ffnWidth) = x (rows, inner) · weights; h (rows, ffnWidth) = silu(gate) · up. */
export function gateUp(
  dispatcher: Dispatcher,
  tensors: {
    readonly x: Tensor;
    readonly weights: Tensor;
    readonly gateUp: Tensor;
    readonly h: Tensor;
  },
  {
    rows,
    inner,
    ffnWidth,
  }: { readonly rows: number; readonly inner: number; readonly ffnWidth: number },
): void {
  const name = 'layer.gate_up';
  expectSize(name, 'rows', rows);
  expectSize(name, 'inner', inner, { least: 4, multiple: 4 });
  expectSize(name, 'ffnWidth', ffnWidth, { least: 4, multiple: 4 });
  expectLength(name, 'x', tensors.x, [rows, inner]);
  expectLength(name, 'weights', tensors.weights, [inner, 2 * ffnWidth]);
  expectLength(name, 'gateUp', tensors.gateUp, [rows, 2 * ffnWidth]);
  expectLength(name, 'h', tensors.h, [rows, ffnWidth]);
  const { x, weights, h } = tensors;
  const { tile, workgroups } = paired(rows, ffnWidth / 4);
  dispatcher.dispatch(
    kernel('gate_up', tile, { ffnWidth }),
    { x, weights, gate_up_out: tensors.gateUp, h },
    { ...UNUSED, rows, inner },
    workgroups,
  );
}

/** Splits of a weight gradient over its rows; their partial sums are `stride` elements apart. */
export interface GradientSplits {
  readonly splits: number;
  readonly stride: number;
}

/**
 * Gradients of y = x · W, or of y = x · W and y2 = x · W2 if `dy2` is given. W2 follows W, aligned,
 * in `weights` and in `partial`.
 *
 * dx (rows, inner) = dy (rows, columns) · Wᵀ [+ dy2 (rows, columns2) · W2ᵀ]. If `gateUp`
 * (rows, 2·inner) is given, x is h = silu(gate) · up, and dx (rows, 2·inner) is the gradient with
 * respect to gate and up.
 *
 * partial (splits, stride): each split's share of xᵀ · dy, for `sumGradients`.
 */
export function linearGradients(
  dispatcher: Dispatcher,
  tensors: {
    readonly x: Tensor;
    readonly weights: Tensor;
    readonly dy: Tensor;
    readonly dy2?: Tensor;
    readonly gateUp?: Tensor;
    readonly dx: Tensor;
    readonly partial: Tensor;
  },
  {
    rows,
    inner,
    columns,
    columns2 = 0,
  }: {
    readonly rows: number;
    readonly inner: number;
    readonly columns: number;
    readonly columns2?: number;
  },
  { splits, stride }: GradientSplits,
): void {
  const name = 'layer.gradients';
  const { x, weights, dy, dy2, dx, partial } = tensors;
  expectSize(name, 'rows', rows);
  expectSize(name, 'inner', inner, { least: 4, multiple: 4 });
  expectSize(name, 'columns', columns, { least: 4, multiple: 4 });
  expectSize(name, 'columns2', columns2, { least: dy2 ? 4 : 0, multiple: 4 });
  expectSize(name, 'splits', splits, { least: 1 });
  const second = alignedLength(inner * columns);
  const span = dy2 ? second + inner * columns2 : inner * columns;
  expectSize(name, 'stride', stride, { least: span, multiple: 4 });
  expectLength(name, 'x', x, [rows, inner]);
  expectLength(name, 'weights', weights, [span]);
  expectLength(name, 'dy', dy, [rows, columns]);
  if (dy2) expectLength(name, 'dy2', dy2, [rows, columns2]);
  if (tensors.gateUp) expectLength(name, 'gateUp', tensors.gateUp, [rows, 2 * inner]);
  expectLength(name, 'dx', dx, [rows, tensors.gateUp ? 2 * inner : inner]);
  expectLength(name, 'partial', partial, [(splits - 1) * stride + span]);
  const work = (tile: Tile) => {
    const down = groups(inner, 8 * tile.rows);
    const across = (of: number) => groups(of, 32 * tile.columns);
    return {
      input_groups: groups(rows, 8 * tile.rows) * across(inner),
      weight_groups: down * across(columns) * splits,
      others: dy2 ? down * across(columns2) * splits : 0,
    };
  };
  const large = work(LARGE);
  const tile = large.input_groups + large.weight_groups >= MANY_GROUPS ? LARGE : SMALL;
  const { input_groups, weight_groups, others } = tile === LARGE ? large : work(SMALL);
  dispatcher.dispatch(
    kernel('gradients', tile, { swiglu: tensors.gateUp !== undefined }),
    { x, weights, dy, dy2: dy2 ?? dy, gate_up_in: tensors.gateUp ?? dy, dx, partial_sums: partial },
    {
      ...{ rows, inner, columns, columns2, input_groups, weight_groups },
      second: dy2 ? second / 4 : 0,
      length: groups(rows, splits),
      stride: stride / 4,
    },
    [input_groups + weight_groups + others],
  );
}
