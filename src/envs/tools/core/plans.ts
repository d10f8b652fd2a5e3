/** How templates put plans together. */

import type { Plan } from './kit.ts';
import { type Fillings, fill } from './pattern.ts';
import type { Answer, PlannedCall } from './tool.ts';

/** The answer where a goal asks for nothing to be told. */
export const DONE = 'done';

/**
 * A goal that is reached once the calls are made.
 *
 * @param thought why that is all
 */
export function toDo(fillings: Fillings, calls: readonly PlannedCall[], thought: string): Plan {
  return { fillings, calls, answer: DONE, thought };
}

/**
 * A goal whose answer the calls find.
 *
 * @param why says in a sentence with the place `{answer}` why this is it
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
 * A goal that is reached once the calls are made, where `finish` takes no answer.
 *
 * @param thought why that is all
 */
export function toChange(fillings: Fillings, calls: readonly PlannedCall[], thought: string): Plan {
  return { fillings, calls, answer: null, thought };
}
