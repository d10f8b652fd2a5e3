/** Metrics on the scale on which they scatter evenly, so that one rule for changes fits them all. */

import { type MetricKey, metric } from '../runs/metrics.ts';

/** Below this a share or a distance counts as this, since zero has no logarithm. */
const SMALLEST = 1e-6;

const logarithm = (value: number) => Math.log(Math.max(SMALLEST, value));

/** Keys whose size spans orders of magnitude. */
const spread = /_kl$|grad_norm|\/loss$|turns$|tokens$/;

/** The value on its scale: logit of shares, logarithm of distances, norms and lengths, others as they are. */
export function prepared(key: MetricKey): (value: number) => number {
  const [least, most] = metric(key).range;
  if (least === 0 && most === 1) return (share) => logarithm(share) - logarithm(1 - share);
  return spread.test(key) && least === 0 ? logarithm : (value) => value;
}
