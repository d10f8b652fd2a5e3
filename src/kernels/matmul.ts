import source from '../../shaders/matmul.wgsl';
import panelSource from '../../shaders/panel.wgsl';
import type { DeviceKind, Dispatcher, KernelEntry, Tensor } from '../device/index.ts';
import { expectLength, expectSize, groups } from './guards.ts';
import { unrolled } from './unroll.ts';

const code = /* @__PURE__ */ unrolled(source, {});

export interface MatmulSizes {
  readonly rows: number;
  readonly inner: number;
  readonly columns: number;
}

interface ProductTensors {
  readonly a: Tensor;
  readonly b: Tensor;
  readonly c: Tensor;
  readonly residual?: Tensor;
}

/** @throws {KernelArgumentError} if a size is invalid or a tensor is too short for the product. */
function expectProduct(
  name: string,
  { a, b, c, residual }: ProductTensors,
  { rows, inner, columns }: MatmulSizes,
): void {
  expectSize(name, 'rows', rows);
  expectSize(name, 'inner', inner, { least: 4, multiple: 4 });
  expectSize(name, 'columns', columns, { least: 4, multiple: 4 });
  expectLength(name, 'a', a, [rows, inner]);
  expectLength(name, 'b', b, [inner, columns]);
  expectLength(name, 'c', c, [rows, columns]);
  if (residual) expectLength(name, 'residual', residual, [rows, columns]);
}

/** c (rows, columns) = a (rows, inner) · b (inner, columns) [+ residual (rows, columns)]. */
export function matmul(dispatcher: Dispatcher, tensors: ProductTensors, sizes: MatmulSizes): void {
  const { rows, inner, columns } = sizes;
  expectProduct('matmul.nn', tensors, sizes);
  if (dispatcher.kind === 'quads') {
    const strides = { aRow: inner, aInner: 1, bInner: columns, bColumn: 1 };
    panelProduct(dispatcher, tensors, sizes, { strides });
    return;
  }
  dispatcher.dispatch(
    { kernel: 'matmul', code, entry: 'nn' },
    // Every binding needs a buffer; without a residual this one is unused.
    { residual: tensors.a, ...tensors },
    { rows, inner, columns, mode: tensors.residual ? 1 : 0 },
    [groups(columns, 32), groups(rows, 128)],
  );
}

/** c (rows, columns) (+)= a (rows, inner) · b (columns, inner)ᵀ. */
export function matmulTransposed(
  dispatcher: Dispatcher,
  tensors: { readonly a: Tensor; readonly b: Tensor; readonly c: Tensor },
  sizes: MatmulSizes,
  accumulate: boolean,
): void {
  const { rows, inner, columns } = sizes;
  expectProduct('matmul.nt', tensors, sizes);
  if (dispatcher.kind === 'quads') {
    const strides = { aRow: inner, aInner: 1, bInner: 1, bColumn: inner };
    panelProduct(dispatcher, tensors, sizes, { strides, accumulate });
    return;
  }
  dispatcher.dispatch(
    { kernel: 'matmul', code, entry: 'nt' },
    { ...tensors },
    { rows, inner, columns, mode: accumulate ? 1 : 0 },
    [groups(columns, 32), groups(rows, 64)],
  );
}

/** Splits the token dimension, so that a product with few outputs fills a GPU. */
export function weightGradientSplits(
  tokens: number,
  kind: DeviceKind = 'gpu',
): { splits: number; length: number } {
  if (kind === 'processor') return { splits: 1, length: tokens };
  const length = Math.max(64, Math.ceil(tokens / 64));
  return { splits: Math.max(1, Math.ceil(tokens / length)), length };
}

/**
 * Writes partial (splits, rows, columns): each split's share of Σ_t a (t, rows)ᵀ · b (t, columns)
 * over t = 0 .. inner-1. Sum the parts with `sumParts`. Returns the number of splits, which may be
 * less than `weightGradientSplits`.
 */
export function matmulWeightGradient(
  dispatcher: Dispatcher,
  tensors: { readonly a: Tensor; readonly b: Tensor; readonly partial: Tensor },
  sizes: MatmulSizes,
): number {
  const { rows, inner, columns } = sizes;
  const name = 'matmul.tn';
  expectSize(name, 'inner', inner);
  expectSize(name, 'rows', rows, { least: 4, multiple: 4 });
  expectSize(name, 'columns', columns, { least: 4, multiple: 4 });
  const { splits, length } = weightGradientSplits(inner, dispatcher.kind);
  expectLength(name, 'a', tensors.a, [inner, rows]);
  expectLength(name, 'b', tensors.b, [inner, columns]);
  expectLength(name, 'partial', tensors.partial, [splits, rows, columns]);
  const { a, b, partial: c } = tensors;
  if (dispatcher.kind === 'quads') {
    const strides = { aRow: 1, aInner: rows, bInner: columns, bColumn: 1 };
    return panelProduct(dispatcher, { a, b, c }, sizes, {
      strides,
      length: panelSplits(inner).length,
    });
  }
  dispatcher.dispatch(
    { kernel: 'matmul', code, entry: 'tn' },
    { a, b, c },
    { rows, inner, columns, mode: length },
    [groups(columns, 32), groups(rows, 32), splits],
  );
  return splits;
}

/** Maximum panel size, except for large products: larger panels take longer to compile than they save. */
const PANEL_INNER = 64;
const PANEL_COLUMNS = 32;
/** With at least this many multiply–adds, panels with twice the inner indices are worth compiling. */
const LARGE_PRODUCT = 2 ** 26;
/** Rows per panel: enough to amortize copying the panel, few enough to occupy several cores. */
const PANEL_BLOCK = { least: 256, most: 1024 };
const PANEL_GROUPS = 32;
/** Maximum splits of a weight gradient. Each costs another pass over the outputs. */
const PANEL_SPLITS = 4;

/** Splits for the panel kernel, in whole panels; never more than `weightGradientSplits`. */
export function panelSplits(tokens: number): { splits: number; length: number } {
  const length = PANEL_INNER * Math.max(1, Math.ceil(tokens / PANEL_SPLITS / PANEL_INNER));
  return { splits: groups(tokens, length), length };
}

/** Panel kernels, keyed by the constants they are unrolled for. */
const panelKernels = new Map<string, KernelEntry>();

function panelKernel(steps: number, vectors: number, exact: boolean): KernelEntry {
  const key = [steps, vectors, exact].join();
  const known = panelKernels.get(key);
  if (known) return known;
  const constants = { STEPS: steps, VECTORS: vectors, EXACT: exact ? 1 : 0 };
  const made = {
    kernel: 'panel',
    code: unrolled(panelSource, constants),
    entry: 'product',
    constants,
    directives: 'enable subgroups;\n',
  };
  panelKernels.set(key, made);
  return made;
}

/** Strides along each dimension, in elements. */
interface ProductStrides {
  readonly aRow: number;
  readonly aInner: number;
  readonly bInner: number;
  readonly bColumn: number;
}

/**
 * c (splits, rows, columns) (+)= Σ_i a (row, i) · b (i, column) [+ residual (rows, columns)], where
 * split s sums over i = s·length .. (s+1)·length - 1. For dispatchers of kind `quads`.
 * Returns the number of splits. Callers check the arguments.
 */
function panelProduct(
  dispatcher: Dispatcher,
  tensors: ProductTensors,
  { rows, inner, columns }: MatmulSizes,
  {
    strides,
    accumulate = false,
    length = inner,
  }: {
    readonly strides: ProductStrides;
    readonly accumulate?: boolean;
    readonly length?: number;
  },
): number {
  const splits = groups(inner, length);
  const large = rows * inner * columns >= LARGE_PRODUCT;
  // Panels of equal size, so that the last one is nearly full.
  const steps = Math.ceil(
    length / 16 / Math.ceil(length / (large ? 2 * PANEL_INNER : PANEL_INNER)),
  );
  const vectors = Math.ceil(columns / 16 / Math.ceil(columns / PANEL_COLUMNS));
  const exact = length % (16 * steps) === 0 && inner % length === 0;
  const abreast = groups(columns, 16 * vectors);
  const { least, most } = PANEL_BLOCK;
  const block = Math.min(most, Math.max(least, groups(rows * abreast * splits, PANEL_GROUPS)));
  dispatcher.dispatch(
    panelKernel(steps, vectors, exact),
    { residual: tensors.a, ...tensors },
    {
      rows,
      inner,
      columns,
      a_row: strides.aRow,
      a_inner: strides.aInner,
      b_inner: strides.bInner,
      b_column: strides.bColumn,
      length,
      block,
      accumulate: accumulate ? 1 : 0,
      add_residual: tensors.residual ? 1 : 0,
    },
    [abreast, groups(rows, block), splits],
  );
  return splits;
}
