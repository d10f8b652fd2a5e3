/**
 * The language of critiques: one line per step up to the first wrong one, then the verdict on the answer, as
 * in `s1 4 * 2 = 8 8 ok s2 8 * 4 = 10 7 bad result 10 wrong`. A line has the critic's own step, the
 * solution's result, and a label. After `bad` come the kind of error and the correct result, unless the
 * advice level excludes them.
 */

import {
  type CritiqueOptions,
  faultKinds,
  promptLexemes,
  type ReadCritique,
  type Remark,
} from '../criticism.ts';
import {
  ANSWER,
  BAD,
  marker,
  markers,
  type Notation,
  OK,
  type Problem,
  readAnswer,
  readSum,
  sumWidth,
  valueWidth,
  writeAnswer,
  writeSum,
} from './notation.ts';
import {
  type Due,
  dueValue,
  judge,
  type SeenStep,
  seeSteps,
  statedValues,
  withValue,
} from './oracle.ts';

const RIGHT = 'right';
const WRONG = 'wrong';
/** Replaces a result that cannot be parsed. */
const NONE = 'none';

/** Lexemes of critiques and prompts that solutions do not contain. */
export const critiqueLexicon: readonly string[] = [
  OK,
  BAD,
  ...faultKinds.filter((kind) => kind !== ANSWER),
  NONE,
  RIGHT,
  WRONG,
  ...Object.values(promptLexemes),
];

const dueMarker = (due: Due): string => (due.at === 'answer' ? ANSWER : marker(due.at));

/** A recomputed line of the solution, without the names of people. */
function ownLine(due: Due): string {
  return due.at === 'answer' ? writeAnswer(due.value) : `${marker(due.at)} ${writeSum(due.step)}`;
}

/** A line with the label `ok`. If the step is wrong, the critic makes the same error. */
function okLine({ due, value }: Pick<SeenStep, 'due' | 'value'>): string {
  const own = withValue(due, value ?? dueValue(due));
  return `${ownLine(own)} ${value ?? NONE} ${OK}`;
}

/**
 * One line for each step due before index `end` of the solution's parts, in order. A critic that ignores a
 * misplaced part writes nothing about it, and an omitted step gets a line without a result.
 */
function okLines(
  problem: Problem,
  seen: readonly SeenStep[],
  values: readonly (string | null)[],
  end: number,
): string[] {
  const lines: string[] = [];
  const lineOf = (due: Due) => (due.at === 'answer' ? problem.length : due.at);
  const upTo = (next: number) => {
    while (lines.length < next) {
      const i = lines.length;
      const due: Due = { at: i, step: problem.due(i, values[i - 1] ?? null) };
      lines.push(okLine({ due, value: values[i] ?? null }));
    }
  };
  for (const step of seen.slice(0, end)) {
    const line = lineOf(step.due);
    upTo(line);
    lines[line] = okLine(step);
  }
  const blamed = seen[end];
  if (blamed === undefined) return lines;
  const line = lineOf(blamed.due);
  upTo(line);
  return lines.slice(0, line);
}

/** The line with the given value, or unchanged if such a line cannot have that value. */
function withAdvice(notation: Notation, problem: Problem, due: Due, value: string): Due {
  const fits =
    due.at === 'answer'
      ? readAnswer(notation, value.split(' '), problem.length) !== null
      : notation.values.includes(value);
  return fits ? withValue(due, value) : due;
}

/** @throws {RangeError} if the solution has no step at `options.step`. */
export function writeCritique(
  notation: Notation,
  problem: Problem,
  solution: string,
  { advice, step, fault, value, verdict: called }: CritiqueOptions,
): string {
  const seen = seeSteps(notation, problem, solution);
  const { right, firstWrong } = judge(notation, problem, solution);
  const place = step === undefined ? firstWrong : step;
  const verdict = (called ?? (step === undefined ? right : step === null)) ? RIGHT : WRONG;
  if (advice === 'verdict') return verdict;
  const values = statedValues(notation, problem, solution);
  const before = okLines(problem, seen, values, place ?? seen.length);
  if (place === null) return [...before, verdict].join(' ');
  const blamed = seen[place];
  if (blamed === undefined) {
    throw new RangeError(
      `Step ${place} does not exist: this solution has ${seen.length} steps, counted from 0 and including its answer.`,
    );
  }
  const { due } = blamed;
  const kind = fault ?? blamed.fault ?? 'result';
  const advised = value === undefined ? due : withAdvice(notation, problem, due, value);
  const short = `${dueMarker(due)} ${BAD}`;
  const lines = {
    place: short,
    type: `${short} ${kind}`,
    value: `${ownLine(advised)} ${blamed.value ?? NONE} ${BAD} ${kind} ${dueValue(advised)}`,
  };
  return [...before, lines[advice], verdict].join(' ');
}

/** Consumes a text word by word. */
class Words {
  readonly #words: readonly string[];
  #at = 0;

  constructor(text: string) {
    this.#words = text.split(' ');
  }

  get left(): number {
    return this.#words.length - this.#at;
  }

  peek(): string {
    return this.#words[this.#at] ?? '';
  }

  take(count: number): readonly string[] {
    const taken = this.#words.slice(this.#at, this.#at + count);
    this.#at += count;
    return taken;
  }

  /** The next word if it is one of these. */
  takeOne<Word extends string>(words: readonly Word[]): Word | null {
    const found = words.find((word) => word === this.peek()) ?? null;
    if (found !== null) this.#at++;
    return found;
  }
}

/** The start of a critique's line: a step, or the answer after a number of steps. */
type Line = { readonly kind: 'step' } | { readonly kind: 'answer'; readonly steps: number };

function readValue(notation: Notation, line: Line, words: Words): string | null {
  if (line.kind === 'answer') {
    return readAnswer(notation, words.take(notation.answerWidth(line.steps)), line.steps);
  }
  const value = words.take(valueWidth(notation)).join(' ');
  return notation.values.includes(value) ? value : null;
}

/** The critic's own step and the solution's result; null if they are malformed. */
function readBody(notation: Notation, line: Line, words: Words): string | null {
  const width = line.kind === 'answer' ? notation.answerWidth(line.steps) : sumWidth(notation);
  const own = words.take(width);
  const sound =
    line.kind === 'answer'
      ? readAnswer(notation, own, line.steps) !== null
      : readSum(notation, own) !== null;
  if (!sound) return null;
  const came = words.takeOne([NONE]) !== null || readValue(notation, line, words) !== null;
  return came ? own.join(' ') : null;
}

/** The remarks before the verdict, up to the first `bad`; ends with null if the rest cannot be parsed. */
function* remarksOf(notation: Notation, words: Words): Generator<Remark | null> {
  let answered = false;
  for (let place = 0; ; place++) {
    const begins = words.takeOne([...markers, ANSWER]);
    if (begins === null) return;
    if (answered) return yield null;
    answered = begins === ANSWER;
    const line: Line = answered ? { kind: 'answer', steps: place } : { kind: 'step' };
    const short = words.peek() === BAD;
    const own = short ? null : readBody(notation, line, words);
    const label = short || own !== null ? words.takeOne([OK, BAD]) : null;
    if (label === null) return yield null;
    if (label === OK) {
      yield { label, own, fault: null, value: null };
      continue;
    }
    const fault = words.takeOne(faultKinds);
    const advised = fault !== null && words.left > 1;
    const value = advised ? readValue(notation, line, words) : null;
    yield { label, own, fault, value };
    if (advised && value === null) yield null;
    return;
  }
}

/** Parses a critique by position; null if it is malformed. */
export function readCritique(notation: Notation, critique: string): ReadCritique | null {
  const words = new Words(critique.slice(0, LONGEST_CRITIQUE));
  const remarks = [...remarksOf(notation, words)];
  if (remarks.includes(null)) return null;
  const verdict = words.takeOne([RIGHT, WRONG]);
  if (verdict === null || words.left > 0) return null;
  const step = remarks.findIndex((remark) => remark?.label === 'bad');
  const { fault = null, value = null } = remarks[step] ?? {};
  return { right: verdict === RIGHT, step: step < 0 ? null : step, fault, value };
}

export function readRemarks(notation: Notation, critique: string): readonly Remark[] {
  const words = new Words(critique.slice(0, LONGEST_CRITIQUE));
  return [...remarksOf(notation, words)].filter((remark) => remark !== null);
}

/** Maximum length of a critique in characters. */
const LONGEST_CRITIQUE = 4000;

/** Maximum number of tokens of a critique of a solution with this many steps, including its end token. */
export function longestCritique(notation: Notation, steps: number): number {
  const width = valueWidth(notation);
  const answer = notation.answerWidth(steps);
  const lines = steps * (1 + sumWidth(notation) + width + 1) + (1 + 2 * answer + 1);
  const advice = 1 + Math.max(width, answer);
  return lines + advice + 1 + 1;
}
