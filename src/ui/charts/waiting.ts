/** A chart's text before there are data to explain. */

import type { Config } from '../../config/schema.ts';

export const WAITING = 'Appears after the first iteration.';

/** When the first diagnosis appears, or why none does. */
export function waitingForDiagnosis({ diagnostics }: Pick<Config, 'diagnostics'>): string {
  return diagnostics.interval === 0
    ? 'Diagnoses are off. Set “Diagnose every” in the settings to enable them.'
    : `Appears after iteration ${diagnostics.interval}: every ${ordinal(diagnostics.interval)} iteration one update is diagnosed.`;
}

/** When a metric of evaluations appears, or why it does not. */
export function waitingForEvaluation({ evaluation }: Pick<Config, 'evaluation'>): string {
  return evaluation.interval === 0
    ? 'Evaluations are off. Set “Evaluate every” in the settings to evaluate the two players.'
    : `Appears with the first evaluation, after iteration ${evaluation.interval}.`;
}

export function ordinal(n: number): string {
  const last = n % 10;
  const teen = n % 100 >= 11 && n % 100 <= 13;
  return `${n}${teen || last === 0 || last > 3 ? 'th' : last === 1 ? 'st' : last === 2 ? 'nd' : 'rd'}`;
}
