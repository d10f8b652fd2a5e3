/**
 * The share of tokens clipped in the first update of an iteration, before any of its steps. It is
 * computed from the update records, because the iteration's metrics are means over all updates.
 */

import type { UpdateDetail } from './details.ts';
import type { MetricKey, MetricRow } from './metrics.ts';
import type { Row } from './row.ts';

export const FIRST_CLIP = 'policy/first_clip_fraction' satisfies MetricKey;

/** Clip fraction of the first update; undefined if it has no record or was skipped. */
export function firstClipFraction(
  updates: readonly UpdateDetail[] | undefined,
): number | undefined {
  const [first] = updates ?? [];
  return first === undefined || first.skipped ? undefined : first.clippedLow + first.clippedHigh;
}

/** Adds the first clip fraction to an iteration's metrics if its updates are recorded. */
export function withFirstClip({ metrics, details }: Pick<Row, 'metrics' | 'details'>): MetricRow {
  const share = firstClipFraction(details.updates);
  return share === undefined ? metrics : { ...metrics, [FIRST_CLIP]: share };
}
