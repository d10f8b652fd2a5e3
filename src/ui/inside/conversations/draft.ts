/** The user's critique of an answer before it is written in the critics' language. */

import type { Advice, Criticism, FaultKind } from '../../../envs/criticism.ts';
import type { Said } from './reading.ts';

export interface Draft {
  /** Index of the step it calls wrong; null if it calls all of them ok. */
  readonly bad: { readonly step: number; readonly fault: FaultKind; readonly value: string } | null;
  /**
   * Its verdict on the answer. Null if not chosen explicitly; the verdict then follows from the
   * steps.
   */
  readonly verdict: boolean | null;
}

export const emptyDraft: Draft = { bad: null, verdict: null };

/** The verdict: chosen explicitly, or derived from the steps. */
export function verdictOf({ bad, verdict }: Draft): boolean {
  return verdict ?? bad === null;
}

/** The critique in the critics' language, or one sentence on what is missing. */
export function written(
  criticism: Criticism,
  { task, answer }: Pick<Said, 'task' | 'answer'>,
  draft: Draft,
  advice: Advice,
): { readonly critique: string } | { readonly problem: string } {
  const { bad } = draft;
  const verdict = verdictOf(draft);
  if (bad === null) {
    return { critique: criticism.critique(task, answer, { advice, step: null, verdict }) };
  }
  const value = bad.value.trim();
  if (advice === 'value' && value === '') {
    return { problem: 'Enter the correct value of the step that you call wrong.' };
  }
  const { step, fault } = bad;
  const critique = criticism.critique(task, answer, { advice, step, fault, value, verdict });
  const read = criticism.read(critique);
  if (advice === 'value' && read?.value !== value) {
    const { values } = criticism;
    return {
      problem: `${JSON.stringify(value)} is not a possible value of this step; enter a value such as ${values[0]} or ${values.at(-1)}, with spaces as in the answer.`,
    };
  }
  return { critique };
}
