/** The tables of an update's loss rows, for kernels that compute in TypeScript. */
import type { KernelCall } from '../../device/processor/kernel.ts';
import { inputColumns, scoreColumns } from '../tables.ts';

/** Reads a column of a table at a row. */
type Column = (row: number) => number;

function columnsOf<Name extends string>(
  table: Float32Array,
  names: readonly Name[],
): Record<Name, Column> {
  const width = names.length;
  return Object.fromEntries(
    names.map((name, place): [Name, Column] => [name, (row) => table[width * row + place] ?? 0]),
  ) as Record<Name, Column>;
}

/** The columns of inputs (rows, 8) and scores (rows, 4). */
export function lossRowColumns(call: KernelCall) {
  return {
    ...columnsOf(call.floats('inputs'), inputColumns),
    ...columnsOf(call.floats('scores'), scoreColumns),
  };
}

/** eˣ rounded to float32; infinite on overflow. */
export function exp32(x: number): number {
  return Math.fround(Math.exp(x));
}
