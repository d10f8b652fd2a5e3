/** Rows as messages of a worker change them. */

import type { Row } from '../../runs/row.ts';

/** For the charts: samples of tokens are large, and only those of the newest diagnoses are shown. */
export function withoutSamples({ details: { diagnosis: _, ...details }, ...row }: Row): Row {
  return { ...row, details };
}

/** The charts read one row per iteration, its evaluation included. */
export function withEvaluation(
  rows: readonly Row[],
  iteration: number,
  evaluation: NonNullable<Row['evaluation']>,
): readonly Row[] {
  return rows.map((row) =>
    row.iteration === iteration
      ? { ...row, metrics: { ...row.metrics, ...evaluation.metrics }, evaluation }
      : row,
  );
}

/** What there was up to this iteration. */
export const upTo = <Item extends { readonly iteration: number }>(
  items: readonly Item[],
  last: number,
): readonly Item[] => items.filter(({ iteration }) => iteration <= last);
