/** The tables of an update's loss rows, for kernels that compute in TypeScript. */
import type { KernelCall } from '../../device/processor/kernel.ts';
import { inputColumns, placesOf, scoreColumns } from '../tables.ts';

const inputPlaces = placesOf(inputColumns);
const scorePlaces = placesOf(scoreColumns);

export interface LossRowTables {
  /** A column of inputs (rows, 8). */
  input(row: number, column: (typeof inputColumns)[number]): number;
  /** A column of scores (rows, 4). */
  score(row: number, column: (typeof scoreColumns)[number]): number;
}

export function lossRowTables(call: KernelCall): LossRowTables {
  const inputs = call.floats('inputs');
  const scores = call.floats('scores');
  return {
    input: (row, column) => inputs[inputColumns.length * row + inputPlaces[column]] ?? 0,
    score: (row, column) => scores[scoreColumns.length * row + scorePlaces[column]] ?? 0,
  };
}

/** eˣ in float32: what overflows there is infinite here. */
export function exp32(x: number): number {
  return Math.fround(Math.exp(x));
}
