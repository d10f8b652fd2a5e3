/** What diagnosis says of a kept run, by its rows: rules may change without a run being played again. */

import { asOf, diagnose } from '../diagnosis/diagnose.ts';
import type { Diagnosed } from '../experiments/kept-diagnosis.ts';
import { type ExperimentRun, measuredRows } from '../experiments/run.ts';

/**
 * Diagnoses the run after each of its iterations, as somebody who watches it does.
 *
 * @returns nothing where several iterations share a row
 */
export function diagnosed({
  rows,
  config,
}: Pick<ExperimentRun, 'rows' | 'config'>): Diagnosed | null {
  if (rows?.window !== 1) return null;
  const evidence = { rows: measuredRows(rows), evaluations: [], facts: config };
  const said: Diagnosed['said'][number][] = [];
  for (const { iteration } of evidence.rows) {
    const mode = diagnose(asOf(evidence, iteration)).findings[0]?.mode ?? null;
    if (mode !== (said.at(-1)?.mode ?? null)) said.push({ mode, after: iteration });
  }
  const [first] = diagnose(evidence).findings;
  if (first === undefined) return { found: null, said };
  const { mode, onset, known } = first;
  return { found: { mode, onset, known }, said };
}
