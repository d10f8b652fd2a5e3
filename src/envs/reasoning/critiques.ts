/**
 * The language of critiques: a line a step, up to the first wrong one, then the verdict on the answer.
 *
 *     s1 4 * 2 = 8 8 ok s2 8 * 4 = 10 7 bad result 10 wrong
 *
 * A line has the critic's own step, what the solution's came to, and a label; behind `bad`, what is wrong and what it
 * should have come to. Advice that holds those back has neither in the wrong step's line.
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
import { type Due, dueValue, judge, type SeenStep, seeSteps, withValue } from './oracle.ts';

const RIGHT = 'right';
const WRONG = 'wrong';
/** In place of what the solution came to, where that cannot be read. */
const NONE = 'none';

/** Lexemes of critiques and prompts beside those of solutions. */
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

/** A line as the critic would write it itself: names are left to the solution. */
function ownLine(due: Due): string {
  return due.at === 'answer' ? writeAnswer(due.value) : `${marker(due.at)} ${writeSum(due.step)}`;
}

/** A line that is called right, be it so or not: a critic that passes over an error has made it too. */
function okLine({ due, value }: SeenStep): string {
  const own = withValue(due, value ?? dueValue(due));
  return `${ownLine(own)} ${value ?? NONE} ${OK}`;
}

/** @throws {RangeError} where the step to call wrong is not there. */
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
  const before = seen.slice(0, place ?? seen.length).map(okLine);
  if (place === null) return [...before, verdict].join(' ');
  const blamed = seen[place];
  if (blamed === undefined) {
    throw new RangeError(
      `there is no step ${place} to call wrong: this solution has ${seen.length}, counted from 0 with its answer`,
    );
  }
  const { due } = blamed;
  const kind = fault ?? blamed.fault ?? 'result';
  const advised = withValue(due, value ?? dueValue(due));
  const short = `${dueMarker(due)} ${BAD}`;
  const lines = {
    place: short,
    type: `${short} ${kind}`,
    value: `${ownLine(advised)} ${blamed.value ?? NONE} ${BAD} ${kind} ${dueValue(advised)}`,
  };
  return [...before, lines[advice], verdict].join(' ');
}

/** Takes a text's words one after the other. */
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

  /** The next word, if it is one of these. */
  takeOne<Word extends string>(words: readonly Word[]): Word | null {
    const found = words.find((word) => word === this.peek()) ?? null;
    if (found !== null) this.#at++;
    return found;
  }
}

/** How a critique's line begins: a step, or the answer to so many steps. */
type Line = { readonly kind: 'step' } | { readonly kind: 'answer'; readonly steps: number };

function readValue(notation: Notation, line: Line, words: Words): string | null {
  if (line.kind === 'answer') {
    return readAnswer(notation, words.take(notation.answerWidth(line.steps)), line.steps);
  }
  const value = words.take(valueWidth(notation)).join(' ');
  return notation.values.includes(value) ? value : null;
}

/** The critic's own step, and behind it what the solution's came to; null where they are not there as they should be. */
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

/** What stands before the verdict: remarks up to the first `bad`; null in the end of what cannot be read. */
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

/** Reads a critique by position; null for one that is malformed. */
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

/** Characters that a critique can have; more is none. */
const LONGEST_CRITIQUE = 4000;

/** Most tokens of a critique of a solution of so many steps, its end token included. */
export function longestCritique(notation: Notation, steps: number): number {
  const width = valueWidth(notation);
  const answer = notation.answerWidth(steps);
  const lines = steps * (1 + sumWidth(notation) + width + 1) + (1 + 2 * answer + 1);
  const advice = 1 + Math.max(width, answer);
  return lines + advice + 1 + 1;
}
