/**
 * Steps of an objective over whole episodes: GSPO's sequence ratios and DPO's margins. The loss
 * rows of episode e are episode_rows[episode_starts[e]] .. episode_rows[episode_starts[e+1]−1].
 */
import type { KernelCall, ProcessorKernels } from '../../device/processor/kernel.ts';
import { lossRowColumns } from './loss-rows.ts';

function episodesOf(call: KernelCall) {
  const columns = lossRowColumns(call);
  const starts = call.words('episode_starts');
  const all = call.words('episode_rows');
  const found = call.floats('found');
  const rows = (episode: number) => all.subarray(starts[episode], starts[episode + 1]);
  return {
    rows,
    /** Σ over an episode of (logp − another log-probability). */
    logratioSum: (episode: number, other: 'proximalLogp' | 'referenceLogp') =>
      rows(episode).reduce((sum, row) => sum + columns.logp(row) - columns[other](row), 0),
    give: (episode: number, first: number, second: number) => {
      for (const row of rows(episode)) {
        found[2 * row] = first;
        found[2 * row + 1] = second;
      }
    },
  };
}

export const episodesKernels: ProcessorKernels = {
  /** GSPO (arXiv:2507.18071): log s = mean of the log ratios. */
  'episodes.sequence_ratios': (call) => {
    const { count = 0 } = call.params;
    const { rows, logratioSum, give } = episodesOf(call);
    for (let episode = 0; episode < count; episode++) {
      const mean = logratioSum(episode, 'proximalLogp') / Math.max(rows(episode).length, 1);
      give(episode, mean, 0);
    }
  },
  /**
   * DPO (arXiv:2305.18290, Eq. 7): the pair's loss is −log σ(m) with the margin
   * m = β·[Σ_better(logp − ref) − Σ_worse(logp − ref)]. Each row gets ±β·σ(−m) and an equal share
   * of the loss.
   */
  'episodes.preference': (call) => {
    const { count = 0 } = call.params;
    const beta = Math.fround(call.params.beta ?? 0);
    const { rows, logratioSum, give } = episodesOf(call);
    for (let pair = 0; pair < count; pair++) {
      const better = 2 * pair;
      const worse = better + 1;
      const margin =
        beta * (logratioSum(better, 'referenceLogp') - logratioSum(worse, 'referenceLogp'));
      // Cannot overflow: the exponent is at most 0.
      const e = Math.exp(-Math.abs(margin));
      const loss = Math.max(-margin, 0) + Math.log1p(e);
      const sigmoid = (margin > 0 ? e : 1) / (1 + e);
      const share = loss / Math.max(rows(better).length + rows(worse).length, 1);
      give(better, beta * sigmoid, share);
      give(worse, -beta * sigmoid, share);
    }
  },
};
