import { pcg } from '../../algorithms/batchwide.ts';
import type { ProcessorKernels } from '../../device/processor/kernel.ts';
import { exp32, lossRowColumns } from './loss-rows.ts';

const { fround } = Math;

export const covarianceKernels: ProcessorKernels = {
  /**
   * Picks loss rows of an update by the covariance of log-probability and advantage: the highest
   * (KL-Cov), or random ones between two limits (Clip-Cov, arXiv:2505.22617):
   *   cov_i = (logp_i − mean logp)·(A_i − mean A)
   * found (rows, 2): column 0 is 1 if picked, else 0. Ties go to the smaller index.
   */
  'covariance.pick': (call) => {
    const { update_rows = 0, count = 0, seed = 0 } = call.params;
    const draw = call.params.draw === 1;
    const [clipLow, clipHigh, low, high] = (['clip_low', 'clip_high', 'low', 'high'] as const).map(
      (name) => fround(call.params[name] ?? 0),
    ) as [number, number, number, number];
    const { logp, advantage, proximalLogp } = lossRowColumns(call);

    let logps = 0;
    let advantages = 0;
    for (let i = 0; i < update_rows; i++) {
      logps += logp(i);
      advantages += advantage(i);
    }
    const meanLogp = logps / update_rows;
    const meanAdvantage = advantages / update_rows;

    /** Sort keys; the rows with the `count` smallest are picked. */
    const keys = new Float64Array(update_rows);
    const eligible: number[] = [];
    const shuffle = pcg(seed);
    for (let i = 0; i < update_rows; i++) {
      const covariance = (logp(i) - meanLogp) * (advantage(i) - meanAdvantage);
      if (draw) {
        const ratio = exp32(logp(i) - proximalLogp(i));
        const clipped =
          (advantage(i) < 0 && ratio < clipLow) || (advantage(i) > 0 && ratio > clipHigh);
        if (clipped || !(covariance > low && covariance < high)) continue;
        keys[i] = pcg(i ^ shuffle);
      } else keys[i] = Number.isNaN(covariance) ? Number.NEGATIVE_INFINITY : -covariance;
      eligible.push(i);
    }
    const order = (i: number) => keys[i] ?? 0;
    eligible.sort((i, j) => Number(order(i) > order(j)) - Number(order(i) < order(j)) || i - j);
    const found = call.floats('found');
    found.fill(0, 0, 2 * update_rows);
    for (const i of eligible.slice(0, count)) found[2 * i] = 1;
  },
};
