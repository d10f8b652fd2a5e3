/** Diagnoses a kept run from its rows, so that changed rules apply without a rerun. */

import { asOf, diagnose } from '../diagnosis/diagnose.ts';
import type { Diagnosed } from '../experiments/kept-diagnosis.ts';
import { type ExperimentRun, measuredRows } from '../experiments/run.ts';

/**
 * Diagnoses the run after each of its iterations, as a monitor would.
 *
 * @returns null if each row covers several iterations
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
