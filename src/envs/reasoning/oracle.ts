/** Which steps of a solution hold. */

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

/** Solutions are at most a quarter as long; more is no solution, and nobody need read it. */
export const LONGEST_TEXT = 2000;

/** What stands next in a solution: a step, or the answer. */
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

/** How far a solution has come. */
export interface Progress {
  /** The step that comes next, from 0; the number of steps where the answer does. */
  readonly next: number;
  /** What steps came to, by index; null for what is missing or cannot be read. */
  readonly values: readonly (string | null)[];
  /** What the last step came to that can be read; null before the first. */
  readonly last: string | null;
  /** The last step came to nothing that can be read. */
  readonly unread: boolean;
  /** The answer has been given. */
  readonly answered: boolean;
}

export const begun: Progress = {
  next: 0,
  values: [],
  last: null,
  unread: false,
  answered: false,
};

/** What the steps of a problem come to. */
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

/**
 * What comes next. Where the step before came to nothing that can be read, it is taken to have come to what
 * is right.
 */
export function dueAfter(problem: Problem, { next, values, last, unread }: Progress): Due {
  const before = unread ? (trueValues(problem)[next - 1] ?? null) : last;
  return next < problem.length
    ? { at: next, step: problem.due(next, before) }
    : { at: 'answer', value: problem.answer(values, before ?? '') };
}

/** A part of a solution as the oracle sees it, and what it sees it by. */
export interface SeenStep extends JudgedStep {
  /** What is right here after what stands before. */
  readonly due: Due;
  /** What the solution comes to here; null where that cannot be read, and where the line that is due is left out. */
  readonly value: string | null;
}

/** A step whose operands can be, after one of which it cannot be read what it came to. */
function follows(notation: Notation, problem: Problem, at: Progress, step: Step): boolean {
  const befores = at.unread ? notation.values : [at.last];
  return befores.some((before) => {
    const due = problem.due(at.next, before);
    return (
      step.name === due.name && step.operands.every((operand, i) => operand === due.operands[i])
    );
  });
}

/** What is wrong with a part, and where it leads. */
function look(
  notation: Notation,
  problem: Problem,
  at: Progress,
  part: Part,
): { fault: FaultKind | null; value: string | null; after: Progress } {
  if (part.at === 'answer') {
    const value = readAnswer(notation, part.words, problem.length);
    const after = { ...at, answered: true };
    if (at.answered) return { fault: 'form', value, after };
    if (at.next < problem.length) return { fault: 'missing', value, after };
    if (value === null) return { fault: 'form', value, after };
    const due = dueAfter(problem, at);
    // An answer to steps that cannot be read may be any.
    const known = !at.unread && !at.values.includes(null);
    return { fault: known && value !== dueValue(due) ? 'answer' : null, value, after };
  }
  const step = readStep(notation, part.words);
  const value = step?.value ?? statedValue(notation, part.words);
  // Words before the first marker are no step.
  const index = part.at ?? -1;
  const inOrder = !at.answered && index >= at.next && index < problem.length;
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

/** What a step that cannot be read says it comes to; null where it does not. */
function statedValue(notation: Notation, words: readonly string[]): string | null {
  const value = words.slice(words.lastIndexOf(EQUALS) + 1).join(' ');
  return words.includes(EQUALS) && notation.values.includes(value) ? value : null;
}

/** Follows a solution part by part. */
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

/** A solution as the oracle sees it; a last line that is not there is seen as missing. */
export function seeSteps(notation: Notation, problem: Problem, text: string): SeenStep[] {
  const { seen, end } = walk(notation, problem, partsOf(text.slice(0, LONGEST_TEXT)));
  if (!end.answered) {
    const due = dueAfter(problem, end);
    seen.push({ text: '', verdict: 'wrong', fault: 'missing', value: null, due });
  }
  return seen;
}

/**
 * What a text comes to as an answer to any number of steps; null where it is no solution: it has a word that none
 * has, or does not end in its one answer.
 */
export function finalAnswer(notation: Notation, text: string): string | null {
  if (text.length > LONGEST_TEXT) return null;
  const parts = partsOf(text);
  const last = parts.at(-1);
  const sound =
    parts.every(
      ({ at, words }) => at !== null && words.every((word) => notation.words.has(word)),
    ) &&
    parts.filter(({ at }) => at === 'answer').length === 1 &&
    last?.at === 'answer';
  if (!sound) return null;
  const readings = markers.map((_, i) => readAnswer(notation, last.words, i + 1));
  return readings.find((value) => value !== null) ?? null;
}

/** The answer that a text gives to a problem; null where it is no solution that the problem could have. */
export function givenAnswer(notation: Notation, problem: Problem, text: string): string | null {
  const value = finalAnswer(notation, text);
  const fits = value?.split(' ').length === notation.answerWidth(problem.length);
  return fits ? value : null;
}

/** Whether a text gives the right answer, however it came by it. */
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
