/** A solution to draw: the question, and each line with its verdict. */

import type { FaultKind, JudgedStep } from '../criticism.ts';
import { UnknownEnvironmentError } from '../errors.ts';
import { keepLatest } from '../keep-latest.ts';
import { strictChainCard } from '../strict-reasoning/card.ts';
import type { EnvironmentOptions } from '../types.ts';
import type { Desk, ReasoningState } from './environment.ts';
import { desks } from './families.ts';
import {
  type Notation,
  type Part,
  type Problem,
  partsOf,
  readAnswer,
  readStep,
  type Step,
} from './notation.ts';
import { chainId, columnsId, ledgerId } from './options.ts';
import {
  dueValue,
  givenAnswer,
  LONGEST_TEXT,
  type SeenStep,
  seeSteps,
  trueAnswer,
  trueValues,
} from './oracle.ts';

/** A line of a solution; `open` if there is no solution yet. */
export interface SceneLine {
  /** The number of the step, from 1, or `answer`; empty for words before any step. */
  readonly label: string;
  /** In usual notation: `4 × 2 = 8`. */
  readonly text: string;
  readonly verdict: JudgedStep['verdict'] | 'open';
  /** The error, or for the first carried line its cause; empty otherwise. */
  readonly note: string;
}

/** How a question is drawn. */
export type SceneQuestion =
  /** The start number and the operations on it. */
  | { readonly kind: 'chain'; readonly start: string; readonly operations: readonly string[] }
  /** The sentences and the question. */
  | { readonly kind: 'ledger'; readonly sentences: readonly string[]; readonly asked: string }
  /** Digits by column, most significant first; the sum is the solution's, with null for missing digits. */
  | {
      readonly kind: 'columns';
      readonly first: readonly string[];
      readonly second: readonly string[];
      readonly carries: readonly (string | null)[];
      readonly sum: readonly (string | null)[];
    };

export type Outcome = 'running' | 'success' | 'failure';

export interface ReasoningScene {
  readonly question: SceneQuestion;
  /** The modulus of all numbers; null for none. */
  readonly modulus: string | null;
  readonly lines: readonly SceneLine[];
  readonly outcome: Outcome;
  /** The solution's answer in usual notation; null before the solution, and if it is unreadable. */
  readonly given: string | null;
  /** The correct answer once the task is over; null before. */
  readonly answer: string | null;
}

/** An environment with the questions of another one. */
const sameQuestions: Readonly<Record<string, string>> = { [strictChainCard.id]: chainId };

const deskFor = keepLatest((environmentId: string, options: EnvironmentOptions) => {
  const desk = desks[sameQuestions[environmentId] ?? environmentId]?.(options);
  if (desk === undefined) throw new UnknownEnvironmentError(environmentId, Object.keys(desks));
  const modulus = environmentId === columnsId ? null : String(desk.notation.values.length);
  return { desk, modulus };
});

/** Whether a value from storage or a worker is a state of a reasoning environment. */
export function isReasoningState(value: unknown): value is ReasoningState {
  if (typeof value !== 'object' || value === null) return false;
  const { task, solution } = value as Partial<ReasoningState>;
  const written = typeof solution === 'string' && solution.length <= LONGEST_TEXT + 1;
  return typeof task === 'number' && (solution === null || written);
}

const SIGNS: Readonly<Record<string, string>> = { '*': '×', '-': '−' };
const sign = (operation: string): string => SIGNS[operation] ?? operation;

/** A value in usual notation: `5 carry 1`; for an answer in digits, the number. */
function spoken(value: string): string {
  const [digit, carry] = value.split(' ');
  return carry?.startsWith('c') === true ? `${digit} carry ${carry.slice(1)}` : value;
}

/** `0 8 5` is 85. */
const numberOf = (digits: string): string => digits.replaceAll(' ', '').replace(/^0+(?=.)/, '');

function sumOf({ operands, operation }: Step): string {
  return operands.join(` ${sign(operation)} `);
}

const stepText = (step: Step): string => `${sumOf(step)} = ${spoken(step.value)}`;
const named = (step: Step): string => (step.name === '' ? '' : `${step.name}: `);

/** Explains the error in a line, in one sentence. */
function noteOf(fault: FaultKind, { due, value }: SeenStep): string {
  if (due.at === 'answer') {
    const is = numberOf(due.value);
    if (fault === 'answer') return `The steps give ${is}.`;
    return fault === 'missing' ? 'There is no answer.' : `This is not an answer. Expected: ${is}.`;
  }
  const { step } = due;
  switch (fault) {
    case 'result':
      return `${sumOf(step)} is ${spoken(step.value)}${value === null ? '' : `, not ${spoken(value)}`}.`;
    case 'operand':
      return `Wrong number. Expected: ${named(step)}${sumOf(step)}.`;
    case 'operation':
      return `Wrong operation. Expected: ${sumOf(step)}.`;
    case 'missing':
      return `Step ${due.at + 1} is missing: ${named(step)}${stepText(step)}.`;
    case 'form':
      return `This is not a step. Expected: ${named(step)}${stepText(step)}.`;
    case 'answer':
      return `The steps give ${spoken(dueValue(due))}.`;
    default:
      return fault satisfies never;
  }
}

/** The lines of a solution. */
function writtenLines({ notation }: Desk, problem: Problem, solution: string): SceneLine[] {
  const parts = partsOf(solution.slice(0, LONGEST_TEXT));
  const seen = seeSteps(notation, problem, solution);
  const first = seen.findIndex(({ verdict }) => verdict === 'wrong');
  const firstCarried = seen.findIndex(({ verdict }) => verdict === 'carried');
  const cause = parts[first]?.at;
  const carried =
    typeof cause === 'number' ? `Follows from step ${cause + 1}.` : 'Follows from the error above.';
  return seen.map((line, i) => {
    const part = parts[i];
    const note = line.fault === null ? '' : noteOf(line.fault, line);
    return {
      label: part === undefined ? 'answer' : labelOf(part),
      text: part === undefined ? '' : textOf(notation, problem, part),
      verdict: line.verdict,
      note: i === firstCarried ? carried : note,
    };
  });
}

function labelOf({ at }: Part): string {
  if (at === null) return '';
  return at === 'answer' ? at : String(at + 1);
}

/** A line in usual notation; unchanged if it cannot be parsed. */
function textOf(notation: Notation, problem: Problem, { at, words }: Part): string {
  if (at === 'answer') {
    const answer = readAnswer(notation, words, problem.length);
    if (answer !== null) return numberOf(answer);
  } else {
    const step = readStep(notation, words);
    if (step !== null) return named(step) + stepText(step);
  }
  return words.join(' ');
}

/** The lines before there is a solution. */
function openLines({ length }: Problem): SceneLine[] {
  const labels = [...Array.from({ length }, (_, i) => String(i + 1)), 'answer'];
  return labels.map((label) => ({ label, text: '', verdict: 'open', note: '' }));
}

function questionOf(
  environmentId: string,
  { notation }: Desk,
  problem: Problem,
  solution: string | null,
): SceneQuestion {
  if (environmentId === ledgerId) {
    const sentences = problem.question.match(/[^.?]+[.?]/g) ?? [];
    const trimmed = sentences.map((sentence) => sentence.trim());
    return { kind: 'ledger', sentences: trimmed.slice(0, -1), asked: trimmed.at(-1) ?? '' };
  }
  const values = trueValues(problem);
  const steps = values.map((_, i) => problem.due(i, values[i - 1] ?? null));
  if (environmentId !== columnsId) {
    return {
      kind: 'chain',
      start: steps[0]?.operands[0] ?? '',
      operations: steps.map(({ operation, operands }) => `${sign(operation)} ${operands[1]}`),
    };
  }
  const operand = (place: number) => [
    '',
    ...steps.map(({ operands }) => operands[place] ?? '').toReversed(),
  ];
  const written = new Map(
    partsOf(solution ?? '').map(({ at, words }) => [at, readStep(notation, words)]),
  );
  const results = steps.map((_, i) => written.get(i)?.value.split(' ') ?? null);
  const answer = solution === null ? null : givenAnswer(notation, problem, solution);
  return {
    kind: 'columns',
    first: operand(0),
    second: operand(1),
    carries: [null, ...results.map((result) => result?.[1]?.slice(1) ?? null)].toReversed(),
    sum: answer?.split(' ') ?? [null, ...results.map((result) => result?.[0] ?? null).toReversed()],
  };
}

/**
 * The scene of an episode.
 * @param options the options that the environment was created with
 * Throws `EnvironmentOptionError`, and `UnknownTaskError` for a state of a task that these options do not
 * have.
 */
export function reasoningScene(
  environmentId: string,
  options: EnvironmentOptions,
  { task, solution }: ReasoningState,
): ReasoningScene {
  const { desk, modulus } = deskFor(environmentId, options);
  const problem = desk.problem(task);
  const given = solution === null ? null : givenAnswer(desk.notation, problem, solution);
  const answer = trueAnswer(problem);
  return {
    question: questionOf(environmentId, desk, problem, solution),
    modulus,
    lines: solution === null ? openLines(problem) : writtenLines(desk, problem, solution),
    outcome: solution === null ? 'running' : given === answer ? 'success' : 'failure',
    given: given === null ? null : numberOf(given),
    answer: solution === null ? null : numberOf(answer),
  };
}

/** The status of the task, in a sentence. */
export function verdictOf({ outcome, given, answer, lines }: ReasoningScene): string {
  if (outcome === 'running') return 'No solution yet.';
  if (given === null) return `No answer can be read. The correct answer is ${answer}.`;
  if (outcome === 'failure') return `Wrong: the answer is ${answer}, not ${given}.`;
  return lines.some(({ verdict }) => verdict === 'wrong')
    ? `Correct: ${given}, although not every step is correct.`
    : `Correct: ${given}.`;
}

/** A question in words. */
function asked(question: SceneQuestion): string {
  switch (question.kind) {
    case 'chain':
      return `Start with ${[question.start, ...question.operations].join(', ')}.`;
    case 'ledger':
      return [...question.sentences, question.asked].join(' ');
    case 'columns':
      return `${question.first.join('')} plus ${question.second.join('')}.`;
    default:
      return question satisfies never;
  }
}

/** The scene in words, for screen readers. */
export function describeScene(scene: ReasoningScene): string {
  const { question, modulus, lines } = scene;
  const sentences = lines.flatMap(({ label, text, verdict, note }) => {
    if (verdict === 'open') return [];
    const line = label === 'answer' ? `Answer ${text}` : `Step ${label}: ${text}`;
    return [`${line.trim()}, ${verdict}.${note === '' ? '' : ` ${note}`}`];
  });
  const counted = modulus === null ? [] : [`Modulo ${modulus}.`];
  return [asked(question), ...counted, ...sentences, verdictOf(scene)].join(' ');
}
