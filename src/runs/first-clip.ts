/** What clipping held back before an iteration made any step: from its updates, as its metrics are means over them. */

import type { UpdateDetail } from './details.ts';
import type { MetricKey, MetricRow } from './metrics.ts';
import type { Row } from './row.ts';

export const FIRST_CLIP = 'policy/first_clip_fraction' satisfies MetricKey;

/** Of the first update; undefined where there is no record of it, or it was skipped. */
export function firstClipFraction(
  updates: readonly UpdateDetail[] | undefined,
): number | undefined {
  const [first] = updates ?? [];
  return first === undefined || first.skipped ? undefined : first.clippedLow + first.clippedHigh;
}

/** An iteration's metrics, this one with them where its updates are known. */
export function withFirstClip({ metrics, details }: Pick<Row, 'metrics' | 'details'>): MetricRow {
  const share = firstClipFraction(details.updates);
  return share === undefined ? metrics : { ...metrics, [FIRST_CLIP]: share };
}
