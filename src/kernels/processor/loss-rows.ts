/** The tables of an update's loss rows, for kernels that compute in TypeScript. */
import type { KernelCall } from '../../device/processor/kernel.ts';
import { inputColumns, scoreColumns } from '../tables.ts';

/** A column of a table, by row. */
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

/** eˣ in float32: what overflows there is infinite here. */
export function exp32(x: number): number {
  return Math.fround(Math.exp(x));
}
