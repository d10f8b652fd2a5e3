import shader from '../../shaders/bapo.wgsl';
import { type BapoSettings, bapoReadings } from '../algorithms/objective.ts';
import type { Dispatcher, Tensor } from '../device/index.ts';
import { bounded, expectLength, expectSize } from './guards.ts';
import { boundColumns, inputColumns, numbered, scoreColumns } from './tables.ts';

const code = /* @__PURE__ */ numbered(shader, {
  READING: bapoReadings,
  INPUT: inputColumns,
  SCORE: scoreColumns,
  BOUND: boundColumns,
});

/** Number of steps in the range. The tolerance includes its end despite rounding errors. */
function stepsWithin(least: number, most: number, step: number): number {
  return Math.max(0, Math.floor((most - least) / step + 1e-6));
}

/**
 * BAPO's bound search (arXiv:2510.18927, Algorithm 1) over inputs (updateRows, 8) and scores
 * (updateRows, 4). Writes bounds (4) = lower bound, upper bound, ρ at these bounds (0 if no row
 * contributes), steps taken.
 */
export function bapoSearch(
  dispatcher: Dispatcher,
  tensors: { readonly inputs: Tensor; readonly scores: Tensor; readonly bounds: Tensor },
  { updateRows }: { readonly updateRows: number },
  settings: BapoSettings,
): void {
  const name = 'bapo.search';
  expectSize(name, 'updateRows', updateRows);
  expectLength(name, 'inputs', tensors.inputs, [updateRows, inputColumns.length]);
  expectLength(name, 'scores', tensors.scores, [updateRows, scoreColumns.length]);
  expectLength(name, 'bounds', tensors.bounds, [boundColumns.length]);
  const { lowMin, lowMax, lowStep, highMin, highMax, highStep } = settings;
  dispatcher.dispatch(
    { kernel: 'bapo', code, entry: 'search' },
    { ...tensors },
    {
      update_rows: updateRows,
      reading: bapoReadings.indexOf(settings.reading),
      high_first: settings.order === 'high_first' ? 1 : 0,
      target_rho: bounded(settings.target),
      low_min: lowMin,
      high_min: highMin,
      low_step: lowStep,
      high_step: highStep,
      low_steps: stepsWithin(lowMin, lowMax, lowStep),
      high_steps: stepsWithin(highMin, highMax, highStep),
    },
    [1],
  );
}
