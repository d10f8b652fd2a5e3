import { bapoReadings } from '../../algorithms/objective.ts';
import type { ProcessorKernels } from '../../device/processor/kernel.ts';
import { exp32, lossRowColumns } from './loss-rows.ts';

const { fround } = Math;

export const bapoKernels: ProcessorKernels = {
  /**
   * BAPO's bound search (arXiv:2510.18927, Algorithm 1) over all loss rows of an update: raises the
   * bounds, one step at a time, until tokens with positive advantage contribute enough.
   * bounds (4) = low, high, ρ at these bounds (0 if no row contributes), steps taken.
   */
  'bapo.search': (call) => {
    const { update_rows = 0, high_first = 0, low_steps = 0, high_steps = 0 } = call.params;
    const { low_min = 0, high_min = 0, low_step = 0, high_step = 0 } = call.params;
    const reading = bapoReadings[call.params.reading ?? 0];
    const target = fround(call.params.target_rho ?? 0);
    const columns = lossRowColumns(call);

    // Values that do not depend on the bounds.
    const advantages = new Float32Array(update_rows);
    const ratios = new Float32Array(update_rows);
    const weights = new Float64Array(update_rows);
    for (let i = 0; i < update_rows; i++) {
      advantages[i] = columns.advantage(i);
      ratios[i] = exp32(columns.logp(i) - columns.proximalLogp(i));
      weights[i] = reading === 'pn_ratio' ? 1 : Math.exp(columns.behaviorLogp(i));
    }
    /** Contributions of tokens with positive and with negative advantage. */
    const contributions = (low: number, high: number) => {
      let positive = 0;
      let negative = 0;
      for (let i = 0; i < update_rows; i++) {
        const advantage = advantages[i] ?? 0;
        const ratio = ratios[i] ?? 0;
        const outside = (advantage > 0 && ratio > high) || (advantage < 0 && ratio < low);
        if (reading === 'active_gradient_share' && outside) continue;
        const clipped = Math.min(Math.max(ratio, low), high);
        const value =
          Math.abs(Math.min(ratio * advantage, clipped * advantage)) * (weights[i] ?? 0);
        if (advantage > 0) positive += value;
        if (advantage < 0) negative += value;
      }
      return { positive, negative };
    };

    /** A bound after `steps` steps, in float32 like the surrogate's comparison. */
    const after = (least: number, steps: number, step: number) =>
      fround(fround(least) + fround(steps * fround(step)));
    const taken = { low: 0, high: 0 };
    for (;;) {
      const low = after(low_min, taken.low, low_step);
      const high = after(high_min, taken.high, high_step);
      const { positive, negative } = contributions(low, high);
      // If no row contributes, there is nothing to balance, and the search stops.
      const nothing = positive + negative === 0;
      let rho = 0;
      if (!nothing && reading === 'pn_ratio') rho = negative > 0 ? positive / negative : 3e38;
      else if (!nothing) rho = positive / (positive + negative);
      const lowMoves = taken.low < low_steps;
      const highMoves = taken.high < high_steps;
      if (nothing || !(rho < target) || (!lowMoves && !highMoves)) {
        call.floats('bounds').set([low, high, rho, taken.low + taken.high]);
        return;
      }
      if (highMoves && (high_first === 1 || !lowMoves)) taken.high += 1;
      else taken.low += 1;
    }
  },
};
