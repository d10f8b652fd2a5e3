import type { ProcessorKernels } from '../../device/processor/kernel.ts';
import { placesOf, statColumns } from '../tables.ts';

const COLUMNS = statColumns.length;
const NON_FINITE = placesOf(statColumns).nonFinite;

export const statisticsKernels: ProcessorKernels = {
  /** totals (24) (+)= Σ stats (loss rows, 24); `nonFinite` takes the maximum. */
  'statistics.sum': (call) => {
    const { loss_rows = 0 } = call.params;
    const stats = call.floats('stats');
    const totals = call.floats('totals');
    // In float64: float32 would lose digits over thousands of rows.
    const sums = new Float64Array(COLUMNS);
    let nonFinite = totals[NON_FINITE] ?? 0;
    for (let i = 0; i < loss_rows * COLUMNS; i += COLUMNS) {
      for (let c = 0; c < COLUMNS; c++) sums[c] = (sums[c] ?? 0) + (stats[i + c] ?? 0);
      nonFinite = Math.max(nonFinite, stats[i + NON_FINITE] ?? 0);
    }
    for (let c = 0; c < COLUMNS; c++) totals[c] = (totals[c] ?? 0) + (sums[c] ?? 0);
    totals[NON_FINITE] = nonFinite;
  },
};
