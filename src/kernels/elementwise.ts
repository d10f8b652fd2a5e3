import code from '../../shaders/elementwise.wgsl';
import type { Dispatcher, Tensor } from '../device/index.ts';
import { expectLength, expectSize, groups } from './guards.ts';
import { sumParts } from './reduce.ts';

interface TableSizes {
  readonly rows: number;
  /** A multiple of 4. */
  readonly columns: number;
}

type Entry = 'add_bias' | 'bias_gradient' | 'scale' | 'keep_blocks';

/** Rows per partial sum of a bias gradient. */
const CHUNK = 128;

function check(entry: Entry, { rows, columns }: TableSizes): void {
  expectSize(`elementwise.${entry}`, 'rows', rows);
  expectSize(`elementwise.${entry}`, 'columns', columns, { least: 4, multiple: 4 });
}

function dispatch(
  dispatcher: Dispatcher,
  entry: Entry,
  tensors: Readonly<Record<string, Tensor>>,
  { rows, columns }: TableSizes,
  params: Readonly<Record<string, number>> = {},
  invocations = (rows * columns) / 4,
): void {
  const none = { chunk: 0, factor: 0, begin0: 0, end0: 0, begin1: 0, end1: 0 };
  dispatcher.dispatch(
    { kernel: 'elementwise', code, entry, constants: { COLUMNS: columns } },
    tensors,
    { rows, ...none, ...params },
    [groups(invocations, 64)],
  );
}

/** x (rows, columns) += bias (columns), broadcast over rows. */
export function addBias(
  dispatcher: Dispatcher,
  { x, bias }: { readonly x: Tensor; readonly bias: Tensor },
  sizes: TableSizes,
): void {
  check('add_bias', sizes);
  expectLength('elementwise.add_bias', 'x', x, [sizes.rows, sizes.columns]);
  expectLength('elementwise.add_bias', 'bias', bias, [sizes.columns]);
  dispatch(dispatcher, 'add_bias', { x, b: bias }, sizes);
}

/** Scratch elements needed by `biasGradient`. */
export function biasScratch({ rows, columns }: TableSizes): number {
  return Math.max(1, groups(rows, CHUNK)) * columns;
}

/** dbias (columns) += Σ over rows of dy (rows, columns). */
export function biasGradient(
  dispatcher: Dispatcher,
  tensors: { readonly dy: Tensor; readonly dbias: Tensor; readonly scratch: Tensor },
  sizes: TableSizes,
): void {
  const { dy, dbias, scratch } = tensors;
  const { rows, columns } = sizes;
  const name = 'elementwise.bias_gradient';
  const parts = groups(rows, CHUNK);
  check('bias_gradient', sizes);
  expectLength(name, 'dy', dy, [rows, columns]);
  expectLength(name, 'dbias', dbias, [columns]);
  expectLength(name, 'scratch', scratch, [parts, columns]);
  const chunk = { chunk: CHUNK };
  const sums = { dy, partial_sums: scratch };
  dispatch(dispatcher, 'bias_gradient', sums, sizes, chunk, (parts * columns) / 4);
  sumParts(dispatcher, { partial: scratch, y: dbias }, { length: columns, parts }, true);
}

/** x (rows, columns) *= factor. */
export function scale(
  dispatcher: Dispatcher,
  { x }: { readonly x: Tensor },
  sizes: TableSizes,
  factor: number,
): void {
  check('scale', sizes);
  expectLength('elementwise.scale', 'x', x, [sizes.rows, sizes.columns]);
  dispatch(dispatcher, 'scale', { x }, sizes, { factor });
}

/**
 * Sets x (rows, columns) to 0 outside its blocks. Block k covers `blockRows` rows and the columns
 * begin .. end−1; `begin` and `end` are multiples of 4. There are one or two blocks, and
 * rows = blocks × blockRows.
 */
export function keepBlocks(
  dispatcher: Dispatcher,
  { x }: { readonly x: Tensor },
  sizes: TableSizes & { readonly blockRows: number },
  blocks: readonly { readonly begin: number; readonly end: number }[],
): void {
  const { rows, columns, blockRows } = sizes;
  const name = 'elementwise.keep_blocks';
  check('keep_blocks', sizes);
  expectSize(name, 'rows − blocks', rows - blocks.length * blockRows);
  for (const { begin, end } of blocks) {
    expectSize(name, 'begin', begin, { multiple: 4 });
    expectSize(name, 'end', end, { least: begin, multiple: 4 });
    expectSize(name, 'columns − end', columns - end);
  }
  expectLength(name, 'x', x, [rows, columns]);
  const [first = { begin: 0, end: 0 }, second = first] = blocks;
  const params = { begin0: first.begin, end0: first.end, begin1: second.begin, end1: second.end };
  dispatch(dispatcher, 'keep_blocks', { x }, sizes, { chunk: blockRows, ...params });
}
