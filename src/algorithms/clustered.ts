/**
 * 95% confidence intervals for correlated trials: tasks of the same goal, mazes with the same
 * walls. They carry less information than the same number of independent trials.
 */
import { type Bounds, type Estimate, studentT, wilson, withinBounds } from './confidence.ts';

/** Sums by cluster, in the order in which clusters first occur. */
function sumsBy(
  clusters: readonly string[],
  value: (trial: number) => number,
): readonly { readonly size: number; readonly sum: number }[] {
  const found = new Map<string, { size: number; sum: number }>();
  for (const [trial, cluster] of clusters.entries()) {
    const entry = found.get(cluster) ?? { size: 0, sum: 0 };
    entry.size += 1;
    entry.sum += value(trial);
    found.set(cluster, entry);
  }
  return [...found.values()];
}

const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);

/**
 * The mean of trials with its cluster-robust interval (Liang and Zeger 1986). With G clusters of
 * the N trials, the deviations from the mean are summed within each cluster i, e_i = Σ_j (y_ij −
 * ȳ), and
 *
 *     V = G/(G − 1) · Σ_i e_i² / N²,   ȳ ± t(G − 1) · √V.
 *
 * If every trial is its own cluster, this is Student's interval. A single cluster has no interval:
 * the bounds are NaN.
 *
 * @param values of each trial, at least one
 * @param clusters the cluster of each trial
 * @param bounds of the values; if given, the interval stays within them (`withinBounds`)
 */
export function clusteredMean(
  values: readonly number[],
  clusters: readonly string[],
  bounds?: Bounds,
): Estimate {
  const n = values.length;
  const mean = sumOf(values) / n;
  const sums = sumsBy(clusters, (trial) => (values[trial] ?? 0) - mean);
  const count = sums.length;
  if (count < 2) return { mean, low: Number.NaN, high: Number.NaN };
  const variance = ((count / (count - 1)) * sumOf(sums.map(({ sum }) => sum ** 2))) / n ** 2;
  const halfWidth = studentT(count - 1) * Math.sqrt(variance);
  return bounds === undefined
    ? { mean, low: mean - halfWidth, high: mean + halfWidth }
    : withinBounds(mean, halfWidth, bounds);
}

/**
 * The effective number of independent trials among N clustered trials: N divided by the design
 * effect (Kish 1965), the ratio of the cluster-robust variance to the variance of independent
 * trials.
 *
 * It is estimated from the summed deviations of the clusters, e_i, and the deviations of the
 * trials, r_ij, as [Σ e_i² · G/(G − 1)] / [Σ r_ij² · N/(N − 1)]. If few trials fail, the data
 * cannot show whether failures are correlated. The estimate therefore adds one successful and one
 * failed cluster of mean size, as Agresti and Coull (1998) add two trials of each kind. The result
 * is at most N, as for independent trials, and at least N²/Σ m_i² with cluster sizes m_i, as if
 * each cluster were one trial.
 *
 * @param values of each trial, in [0, 1], at least one
 * @param clusters the cluster of each trial
 */
export function effectiveTrials(values: readonly number[], clusters: readonly string[]): number {
  const n = values.length;
  const sizes = sumsBy(clusters, () => 0).map(({ size }) => size);
  const least = n ** 2 / sumOf(sizes.map((size) => size ** 2));
  const added = n / sizes.length;
  const total = n + 2 * added;
  const mean = (sumOf(values) + added) / total;
  const own = sumsBy(clusters, (trial) => (values[trial] ?? 0) - mean).map(({ sum }) => sum);
  const sums = [...own, added * (1 - mean), -added * mean];
  const between = sumOf(sums.map((sum) => sum ** 2)) * (sums.length / (sums.length - 1));
  const squares =
    sumOf(values.map((value) => (value - mean) ** 2)) + added * ((1 - mean) ** 2 + mean ** 2);
  const within = squares * (total / (total - 1));
  return Math.min(n, Math.max(least, (n * within) / between));
}

/**
 * The mean of trials in [0, 1] with Wilson's interval for `effectiveTrials` trials. If every trial
 * is its own cluster, this is Wilson's interval.
 */
export function clusteredShare(values: readonly number[], clusters: readonly string[]): Estimate {
  return wilson(sumOf(values) / values.length, effectiveTrials(values, clusters));
}
