/** Helpers that build plans for templates. */

import type { Plan } from './kit.ts';
import { type Fillings, fill } from './pattern.ts';
import type { Answer, PlannedCall } from './tool.ts';

/** The answer to give if the goal asks no question. */
export const DONE = 'done';

/**
 * A plan for a goal that only asks for changes; `finish` then takes the answer `done`.
 * @param thought why nothing is left to do
 */
export function toDo(fillings: Fillings, calls: readonly PlannedCall[], thought: string): Plan {
  return { fillings, calls, answer: DONE, thought };
}

/**
 * A plan for a goal that asks a question, which the calls answer.
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
 * Like `toDo`, for a kit whose `finish` takes no answer.
 * @param thought why nothing is left to do
 */
export function toChange(fillings: Fillings, calls: readonly PlannedCall[], thought: string): Plan {
  return { fillings, calls, answer: null, thought };
}
