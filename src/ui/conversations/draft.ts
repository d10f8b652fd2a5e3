/** A visitor's critique of an answer, before it is said in the critics' language. */

import type { Advice, Criticism, FaultKind } from '../../envs/criticism.ts';
import type { Said } from './reading.ts';

export interface Draft {
  /** The step, from 0, that it calls wrong; null where it calls all of them ok. */
  readonly bad: { readonly step: number; readonly fault: FaultKind; readonly value: string } | null;
  /** What it calls the answer; null until that is said, which then follows from the steps. */
  readonly verdict: boolean | null;
}

export const emptyDraft: Draft = { bad: null, verdict: null };

/** What the answer is called: what follows from the steps, unless it is said otherwise. */
export function verdictOf({ bad, verdict }: Draft): boolean {
  return verdict ?? bad === null;
}

/** The critique as critics write it, or one sentence on what is missing. */
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
    return { problem: 'Say what the step that you call wrong should come to.' };
  }
  const { step, fault } = bad;
  const critique = criticism.critique(task, answer, { advice, step, fault, value, verdict });
  const read = criticism.read(critique);
  if (advice === 'value' && read?.value !== value) {
    const { values } = criticism;
    return {
      problem: `${JSON.stringify(value)} is nothing that this step can come to; write something like ${values[0]} or ${values.at(-1)}, with spaces as the answer has them.`,
    };
  }
  return { critique };
}
