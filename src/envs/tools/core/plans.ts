/** Helpers that build plans for templates. */

import type { Plan } from './kit.ts';
import { type Fillings, fill } from './pattern.ts';
import type { Answer, PlannedCall } from './tool.ts';

/** The answer if nothing is asked. */
export const DONE = 'done';

/**
 * A goal that is reached once the calls are made.
 * @param thought why nothing is left to do
 */
export function toDo(fillings: Fillings, calls: readonly PlannedCall[], thought: string): Plan {
  return { fillings, calls, answer: DONE, thought };
}

/**
 * A goal whose answer the calls find.
 * @param why the reason for the answer, a sentence with the placeholder `{answer}`
 */
export function toTell(
  fillings: Fillings,
  calls: readonly PlannedCall[],
  answer: Answer,
  why: string,
): Plan {
  return { fillings, calls, answer, thought: fill(why, { answer }) };
}

/**
 * A goal that is reached once the calls are made, without an answer.
 * @param thought why nothing is left to do
 */
export function toChange(fillings: Fillings, calls: readonly PlannedCall[], thought: string): Plan {
  return { fillings, calls, answer: null, thought };
}
