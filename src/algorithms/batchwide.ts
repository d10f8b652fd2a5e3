import { bapoSearch } from './bapo.ts';
import { at, type Batchwide, type LossRows, type ObjectiveSettings } from './objective.ts';
import { traitsOf } from './surrogates.ts';

/**
 * The part of the loss that needs all rows of an update at once, by what the surrogate depends on:
 *
 * - bounds: by Algorithm 1 of arXiv:2510.18927.
 * - episode: log s = 1/|y|·Σ_t log rₜ for each episode (arXiv:2507.18071, Eq. 7).
 * - covariance: covᵢ = (log πᵢ − mean)(Aᵢ − mean) (arXiv:2505.22617, §4). Selects max(1,
 *   ⌊fraction·U⌋) tokens: at random among those with low < cov < high that PPO does not clip, or
 *   those with the highest covariance.
 * - pair: margin = β·[Σ_better(log π − log π_ref) − Σ_worse(log π − log π_ref)], pair loss
 *   −log σ(margin) (arXiv:2305.18290, Eq. 7).
 *
 * @param known bounds already in effect, which are then not searched for
 */
export function batchwide(
  rows: LossRows,
  settings: ObjectiveSettings,
  known: Pick<Batchwide, 'clipLow' | 'clipHigh'> | null = null,
): Batchwide {
  const { clipLow, clipHigh } = known ?? settings;
  const { looksAt } = traitsOf(settings.surrogate);
  const U = rows.advantages.length;
  const none = (): [number, number][] => Array.from({ length: U }, () => [0, 0]);
  const plain = { clipLow, clipHigh, rho: Number.NaN };
  switch (looksAt) {
    case 'bounds': {
      if (known !== null) return { ...plain, found: none() };
      const ratios = Float64Array.from({ length: U }, (_, i) =>
        Math.exp(at(rows.logps, i) - at(rows.proximalLogps, i)),
      );
      const { advantages, behaviorLogps } = rows;
      const bounds = bapoSearch({ ratios, advantages, behaviorLogps }, settings.bapo);
      const { clipLow, clipHigh, rho } = bounds;
      return { clipLow, clipHigh, rho, found: none() };
    }
    case 'episode': {
      const means = episodeSums(rows, (i) => at(rows.logps, i) - at(rows.proximalLogps, i)).map(
        ({ sum, length }) => sum / length,
      );
      return { ...plain, found: none().map((_, i) => [at(means, at(rows.episodes, i)), 0]) };
    }
    case 'covariance': {
      const picked = pickCovariance(rows, settings);
      return { ...plain, found: none().map((_, i) => [picked.has(i) ? 1 : 0, 0]) };
    }
    case 'pair':
      return { ...plain, found: preferences(rows, settings.dpoBeta) };
    case 'row':
      return { ...plain, found: none() };
    default:
      return looksAt satisfies never;
  }
}

/** Sum over the rows of each episode, and the number of its rows. */
function episodeSums(
  { episodes }: LossRows,
  term: (row: number) => number,
): { sum: number; length: number }[] {
  const sums: { sum: number; length: number }[] = [];
  for (let i = 0; i < episodes.length; i++) {
    const e = at(episodes, i);
    while (sums.length <= e) sums.push({ sum: 0, length: 0 });
    const episode = sums[e];
    if (episode === undefined) throw new RangeError(`episode ${e} of row ${i} is not a number`);
    episode.sum += term(i);
    episode.length++;
  }
  return sums;
}

/** Indices of the rows selected by covariance. */
function pickCovariance(rows: LossRows, settings: ObjectiveSettings): ReadonlySet<number> {
  const { surrogate, clipLow, clipHigh } = settings;
  const { fraction, low, high, seed } = settings.covariance;
  const logps = Array.from(rows.logps);
  const advantages = Array.from(rows.advantages);
  const meanLogp = mean(logps);
  const meanAdvantage = mean(advantages);
  const tokens = logps.map((logp, i) => {
    const A = at(advantages, i);
    const ratio = Math.exp(logp - at(rows.proximalLogps, i));
    return {
      i,
      cov: (logp - meanLogp) * (A - meanAdvantage),
      clipped: (A < 0 && ratio < clipLow) || (A > 0 && ratio > clipHigh),
      key: pcg((i ^ pcg(seed)) >>> 0),
    };
  });
  const count = Math.max(1, Math.floor(fraction * tokens.length));
  // Sorting is stable, so among equal keys the smaller index comes first.
  const sorted =
    traitsOf(surrogate).picks === 'drawn'
      ? tokens
          .filter(({ cov, clipped }) => cov > low && cov < high && !clipped)
          .sort((a, b) => a.key - b.key)
      : tokens.sort((a, b) => b.cov - a.cov);
  return new Set(sorted.slice(0, count).map(({ i }) => i));
}

/** PCG hash of a 32-bit number (Jarzynski and Olano, JCGT 2020), the same as on the GPU. */
export function pcg(input: number): number {
  const state = (Math.imul(input, 747796405) + 2891336453) >>> 0;
  const word = Math.imul((state >>> ((state >>> 28) + 4)) ^ state, 277803737) >>> 0;
  return ((word >>> 22) ^ word) >>> 0;
}

/** For each row, DPO's gradient coefficient and the row's share of the pair loss. */
function preferences(rows: LossRows, beta: number): [number, number][] {
  const sums = episodeSums(rows, (i) => at(rows.logps, i) - at(rows.referenceLogps, i));
  return Array.from(rows.episodes, (e) => {
    const better = sums[e - (e % 2)];
    const worse = sums[e - (e % 2) + 1];
    if (better === undefined || worse === undefined) {
      throw new RangeError(`episode ${e} has no other to be preferred to, or less than`);
    }
    const margin = beta * (better.sum - worse.sum);
    const coefficient = beta / (1 + Math.exp(margin));
    const share = softplus(-margin) / (better.length + worse.length);
    return [e % 2 === 0 ? coefficient : -coefficient, share];
  });
}

/** log(1 + eˣ), which is −log σ(−x), without overflow. */
function softplus(x: number): number {
  return Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)));
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, x) => sum + x, 0) / values.length;
}
