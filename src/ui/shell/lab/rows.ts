/** Updates to the rows of a run. */

import type { Row } from '../../../runs/row.ts';

/** Drops the token samples, which are large; the page keeps those of the newest diagnoses separately. */
function withoutSamples({ details: { diagnosis: _, ...details }, ...row }: Row): Row {
  return { ...row, details };
}

/** A row for the charts, which read training and evaluation metrics from one table. */
export function chartRow(row: Row): Row {
  return withoutSamples({ ...row, metrics: { ...row.metrics, ...row.evaluation?.metrics } });
}

/** Items up to and including an iteration. */
export const upTo = <Item extends { readonly iteration: number }>(
  items: readonly Item[],
  last: number,
): readonly Item[] => items.filter(({ iteration }) => iteration <= last);
