/** Judges the steps of a solution. */

import type { FaultKind, JudgedStep, Judgement } from '../criticism.ts';
import {
  EQUALS,
  markers,
  type Notation,
  type Part,
  type Problem,
  partsOf,
  readAnswer,
  readStep,
  type Step,
  writeAnswer,
  writeStep,
} from './notation.ts';

/** Maximum number of characters that are parsed; four times the length of the longest solution. */
export const LONGEST_TEXT = 2000;

/** What is due next in a solution: a step, or the answer. */
export type Due =
  | { readonly at: number; readonly step: Step }
  | { readonly at: 'answer'; readonly value: string };

export const dueValue = (due: Due): string => (due.at === 'answer' ? due.value : due.step.value);

/** The same line with another value. */
export function withValue(due: Due, value: string): Due {
  return due.at === 'answer'
    ? { at: 'answer', value }
    : { at: due.at, step: { ...due.step, value } };
}

export function writeDue(due: Due): string {
  return due.at === 'answer' ? writeAnswer(due.value) : writeStep(due.at, due.step);
}

/** Progress through a solution. */
export interface Progress {
  /** Index of the next step; the number of steps if the answer is next. */
  readonly next: number;
  /** Results of the steps, by index; null if missing or unreadable. */
  readonly values: readonly (string | null)[];
  /** The last readable result; null before the first. */
  readonly last: string | null;
  /** Whether the last result is unreadable. */
  readonly unread: boolean;
  /** Whether the answer has been given. */
  readonly answered: boolean;
}

export const begun: Progress = {
  next: 0,
  values: [],
  last: null,
  unread: false,
  answered: false,
};

/** The correct results of a problem's steps. */
export function trueValues(problem: Problem): readonly string[] {
  const values: string[] = [];
  for (let i = 0; i < problem.length; i++) {
    values.push(problem.due(i, values.at(-1) ?? null).value);
  }
  return values;
}

export function trueAnswer(problem: Problem): string {
  const values = trueValues(problem);
  return problem.answer(values, values.at(-1) ?? '');
}

/** What is due next. An unreadable result is replaced by the correct one. */
export function dueAfter(problem: Problem, { next, values, last, unread }: Progress): Due {
  const before = unread ? (trueValues(problem)[next - 1] ?? null) : last;
  return next < problem.length
    ? { at: next, step: problem.due(next, before) }
    : { at: 'answer', value: problem.answer(values, before ?? '') };
}

/** A judged part of a solution, with the basis of the judgment. */
export interface SeenStep extends JudgedStep {
  /** The correct line, given what precedes it. */
  readonly due: Due;
  /** The solution's result; null if it is unreadable, or if the line is missing. */
  readonly value: string | null;
}

/**
 * Whether a step has the expected name and operands. After an unreadable result, operands that fit any
 * possible result are accepted.
 */
function follows(notation: Notation, problem: Problem, at: Progress, step: Step): boolean {
  const befores = at.unread ? notation.values : [at.last];
  return befores.some((before) => {
    const due = problem.due(at.next, before);
    return (
      step.name === due.name && step.operands.every((operand, i) => operand === due.operands[i])
    );
  });
}

/** The fault of a part, and the progress after it. */
function look(
  notation: Notation,
  problem: Problem,
  at: Progress,
  part: Part,
): { fault: FaultKind | null; value: string | null; after: Progress } {
  if (part.at === 'answer') {
    const value = readAnswer(notation, part.words, problem.length);
    const after = { ...at, answered: true };
    if (at.next < problem.length) return { fault: 'missing', value, after };
    if (value === null) return { fault: 'form', value, after };
    const due = dueAfter(problem, at);
    // After unreadable steps, any answer is accepted.
    const known = !at.unread && !at.values.includes(null);
    return { fault: known && value !== dueValue(due) ? 'answer' : null, value, after };
  }
  const step = readStep(notation, part.words);
  const value = step?.value ?? statedValue(notation, part.words);
  // Words before the first marker are not a step.
  const index = part.at ?? -1;
  const inOrder = index >= at.next && index < problem.length;
  const values = [...at.values, ...new Array(Math.max(0, index - at.next)).fill(null), value];
  const after: Progress = inOrder
    ? { next: index + 1, values, last: value ?? at.last, unread: value === null, answered: false }
    : { ...at, last: value ?? at.last, unread: at.unread && value === null };
  const fault = (): FaultKind | null => {
    if (step === null || !inOrder) return 'form';
    if (index > at.next) return 'missing';
    if (!follows(notation, problem, at, step)) return 'operand';
    if (step.operation !== problem.due(index, at.last).operation) return 'operation';
    return notation.calculate(step.operation, step.operands) === step.value ? null : 'result';
  };
  return { fault: fault(), value, after };
}

/** The result that an otherwise unreadable step states; null if it states none. */
function statedValue(notation: Notation, words: readonly string[]): string | null {
  const value = words.slice(words.lastIndexOf(EQUALS) + 1).join(' ');
  return words.includes(EQUALS) && notation.values.includes(value) ? value : null;
}

/** Walks through a solution part by part. */
export function walk(
  notation: Notation,
  problem: Problem,
  parts: readonly Part[],
): { readonly seen: SeenStep[]; readonly end: Progress } {
  const seen: SeenStep[] = [];
  let end = begun;
  let astray = false;
  for (const part of parts) {
    const { fault, value, after } = look(notation, problem, end, part);
    const verdict = fault !== null ? 'wrong' : astray ? 'carried' : 'right';
    const due = dueAfter(problem, end);
    const inPlace = fault !== 'missing' && (part.at === 'answer') === (due.at === 'answer');
    seen.push({ text: part.text, verdict, fault, value: inPlace ? value : null, due });
    end = after;
    astray ||= fault !== null;
  }
  return { seen, end };
}

/** The judged steps of a solution; a missing last line is reported as missing. */
export function seeSteps(notation: Notation, problem: Problem, text: string): SeenStep[] {
  const { seen, end } = walk(notation, problem, partsOf(text.slice(0, LONGEST_TEXT)));
  if (!end.answered) {
    const due = dueAfter(problem, end);
    seen.push({ text: '', verdict: 'wrong', fault: 'missing', value: null, due });
  }
  return seen;
}

/**
 * The value that a solution states for each step, by index; null for a step that is missing or unreadable.
 */
export function statedValues(
  notation: Notation,
  problem: Problem,
  text: string,
): readonly (string | null)[] {
  return walk(notation, problem, partsOf(text.slice(0, LONGEST_TEXT))).end.values;
}

/**
 * The answer in a text with any number of steps; null if the text has an unknown word or does not end with
 * its only answer.
 */
export function finalAnswer(notation: Notation, text: string): string | null {
  if (text.length > LONGEST_TEXT) return null;
  const parts = partsOf(text);
  const last = parts.at(-1);
  const sound =
    parts.every(
      ({ at, words }) => at !== null && words.every((word) => notation.words.has(word)),
    ) && last?.at === 'answer';
  if (!sound) return null;
  const readings = markers.map((_, i) => readAnswer(notation, last.words, i + 1));
  return readings.find((value) => value !== null) ?? null;
}

/** The answer that a text gives to a problem; null if it cannot be a solution of the problem. */
export function givenAnswer(notation: Notation, problem: Problem, text: string): string | null {
  const value = finalAnswer(notation, text);
  const fits = value?.split(' ').length === notation.answerWidth(problem.length);
  return fits ? value : null;
}

/** Whether a text gives the correct answer, regardless of its steps. */
export function isRight(notation: Notation, problem: Problem, text: string): boolean {
  return givenAnswer(notation, problem, text) === trueAnswer(problem);
}

export function judge(notation: Notation, problem: Problem, text: string): Judgement {
  const steps = seeSteps(notation, problem, text).map(({ text, verdict, fault }) => ({
    text,
    verdict,
    fault,
  }));
  const firstWrong = steps.findIndex(({ verdict }) => verdict === 'wrong');
  return {
    right: isRight(notation, problem, text),
    steps,
    firstWrong: firstWrong < 0 ? null : firstWrong,
  };
}
