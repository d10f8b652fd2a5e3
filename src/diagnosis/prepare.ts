/** Variance-stabilizing transforms of metrics, so that one change detection fits all of them. */

import { type MetricKey, metric } from '../runs/metrics.ts';

/** Smaller shares and distances are raised to this, since zero has no logarithm. */
const SMALLEST = 1e-6;

const logarithm = (value: number) => Math.log(Math.max(SMALLEST, value));

/** Metrics that span orders of magnitude. */
const spread = /_kl$|grad_norm|\/loss$|turns$|tokens$/;

/**
 * A transformed value: logit of shares, logarithm of distances, norms and lengths, others
 * unchanged.
 */
export function prepared(key: MetricKey): (value: number) => number {
  const [least, most] = metric(key).range;
  if (least === 0 && most === 1) return (share) => logarithm(share) - logarithm(1 - share);
  return spread.test(key) && least === 0 ? logarithm : (value) => value;
}
