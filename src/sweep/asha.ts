/**
 * Early stopping by successive halving (ASHA: Li et al. 2020, arXiv:1810.05934, in the stopping
 * variant, which never resumes a trial, like `hyperband` in W&B). At rungs min_iter · eta^k,
 * counted in measurements of the metric, a trial continues if it is among the best 1/eta of the
 * trials that reached the rung.
 *
 * Trials are judged in the order of their numbers: each is compared with earlier ones. The
 * decisions therefore depend only on results, not on timing.
 */

/** `early_terminate` of the sweep file. */
export interface Halving {
  /** Numbers of measurements of the metric after which trials are compared, ascending. */
  readonly rungs: readonly number[];
  readonly eta: number;
}

/**
 * Rungs from the first one up: min_iter · eta^k, without repetitions.
 *
 * @param most upper limit of a rung
 */
export function rungsUp(minIter: number, eta: number, most: number): readonly number[] {
  const rungs: number[] = [];
  for (let k = 0; k < MOST_POWERS && rungs.length < MOST_RUNGS; k++) {
    const at = minIter * eta ** k;
    if (at > most) break;
    const rung = Math.round(at);
    if (rung !== rungs.at(-1)) rungs.push(rung);
  }
  return rungs;
}

/** Rungs from the last one down: max_iter / eta^k for k from s to 1. */
export function rungsDown(maxIter: number, eta: number, s: number): readonly number[] {
  const rungs: number[] = [];
  for (let k = s; k >= 1; k--) {
    const at = Math.floor(maxIter / eta ** k);
    if (at >= 1 && at !== rungs.at(-1)) rungs.push(at);
  }
  return rungs;
}

/** Maximum number of rungs; no run reaches more. */
const MOST_RUNGS = 64;
/** Maximum exponent, because an eta close to 1 would repeat a rung almost without end. */
const MOST_POWERS = 100_000;

/**
 * Whether a trial is among the best 1/eta of the trials that reached its rung, itself included. The
 * best trial always is.
 *
 * @param score score of the trial; larger is better
 * @param before scores of earlier trials that reached the rung
 */
export function goesOn(score: number, before: readonly number[], eta: number): boolean {
  const places = Math.max(1, Math.floor((before.length + 1) / eta));
  const better = before.filter((other) => other > score).length;
  return better < places;
}
