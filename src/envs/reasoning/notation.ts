/**
 * How solutions are written: a line a step, `s3 7 + 5 = 1`, with everything in it that makes it right or
 * wrong, then the answer, `answer 1`. All of it is words with single spaces between them.
 */

/** Most steps that a solution can have: each has a lexeme of its own. */
export const MOST_STEPS = 8;

export const ANSWER = 'answer';
export const EQUALS = '=';

/** The word that begins a step, counted from 0. */
export const marker = (index: number): string => `s${index + 1}`;

export const markers: readonly string[] = Array.from({ length: MOST_STEPS }, (_, i) => marker(i));

/** A sum: what is put together, how, and what comes of it. */
export interface Step {
  /** Whose sum it is; empty where steps have no names. */
  readonly name: string;
  readonly operands: readonly string[];
  /** Stands between every two operands. */
  readonly operation: string;
  /** One word or several. */
  readonly value: string;
}

/** What the steps of a family are made of, and what they come to. */
export interface Arithmetic {
  /** What steps are called; empty where they have no names. */
  readonly names: readonly string[];
  /** By place, what an operand can be. */
  readonly operands: readonly (readonly string[])[];
  readonly operations: readonly string[];
  /** What a step can come to; all of the same number of words. */
  readonly values: readonly string[];
  /** Words of the answer after so many steps, each one of `digits`. */
  answerWidth(steps: number): number;
  readonly digits: readonly string[];
  /** What a sum comes to. */
  calculate(operation: string, operands: readonly string[]): string;
  /** What somebody who slips might take a sum to come to; nothing right among it. */
  slips(step: Step): readonly string[];
}

/** How the solutions of a family are written. */
export interface Notation extends Arithmetic {
  /** Every word that a solution can have. */
  readonly words: ReadonlySet<string>;
}

export function notationOf(arithmetic: Arithmetic): Notation {
  const { names, operands, operations, values, digits } = arithmetic;
  const spelled = [...operands.flat(), ...digits, ...values.flatMap((value) => value.split(' '))];
  const words = new Set([...spelled, ...names, ...operations, EQUALS, ...markers, ANSWER]);
  return { ...arithmetic, words };
}

/** A question whose answer takes several steps, each from what the one before came to. */
export interface Problem {
  readonly question: string;
  /** From 1. */
  readonly level: number;
  /** The number of steps. */
  readonly length: number;
  /** Steps that need what the expert never shows, from 0. */
  readonly withheld: readonly number[];
  /** The step that is due after one that came to `before`; null stands before the first. */
  due(index: number, before: string | null): Step;
  /**
   * The answer after steps that came to `values`, by index, null for one that did not come to anything, the last
   * of them to `last`.
   */
  answer(values: readonly (string | null)[], last: string): string;
}

/** Words of a value. */
export function valueWidth({ values }: Notation): number {
  return values[0]?.split(' ').length ?? 0;
}

/** Words of a sum with its value, but for its marker and its name. */
export function sumWidth(notation: Notation): number {
  return 2 * notation.operands.length + valueWidth(notation);
}

/** A sum without marker and name. */
export function writeSum({ operands, operation, value }: Step): string {
  return `${operands.join(` ${operation} `)} ${EQUALS} ${value}`;
}

export function writeStep(index: number, step: Step): string {
  const named = step.name === '' ? '' : `${step.name} `;
  return `${marker(index)} ${named}${writeSum(step)}`;
}

export const writeAnswer = (value: string): string => `${ANSWER} ${value}`;

/** The sum that words spell, `7 + 5 = 1`; null where they spell none. */
export function readSum(notation: Notation, words: readonly string[], name = ''): Step | null {
  const { operands: places, operations, values } = notation;
  if (words.length !== sumWidth(notation)) return null;
  const equals = 2 * places.length - 1;
  const operation = words[1] ?? '';
  const value = words.slice(equals + 1).join(' ');
  const operands = places.map((_, place) => words[2 * place] ?? '');
  const spelled =
    words[equals] === EQUALS &&
    operations.includes(operation) &&
    places.every((numbers, place) => numbers.includes(operands[place] ?? '')) &&
    places.slice(1).every((_, place) => words[2 * place + 1] === operation) &&
    values.includes(value);
  return spelled ? { name, operands, operation, value } : null;
}

/** The step that words spell after its marker; null where they spell none. */
export function readStep(notation: Notation, words: readonly string[]): Step | null {
  if (notation.names.length === 0) return readSum(notation, words);
  const [name = '', ...sum] = words;
  return notation.names.includes(name) ? readSum(notation, sum, name) : null;
}

/** The value that words spell, of an answer after so many steps; null where they spell none. */
export function readAnswer(
  { digits, answerWidth }: Notation,
  words: readonly string[],
  steps: number,
): string | null {
  const spelled =
    words.length === answerWidth(steps) && words.every((word) => digits.includes(word));
  return spelled ? words.join(' ') : null;
}

/** A stretch of a solution from one marker to the next. */
export interface Part {
  readonly text: string;
  /** The words after the marker. */
  readonly words: readonly string[];
  /** Which step it says it is, from 0, or the answer; null for words before any marker. */
  readonly at: number | 'answer' | null;
}

/** Behind a step of a monologue: what its author thinks of it. A step that is called bad is taken back. */
export const OK = 'ok';
export const BAD = 'bad';

/**
 * Cuts a text before every marker. Of a monologue, which has behind each step whether it holds and after
 * a bad one the step once more, what was not taken back is left, without what was thought of it.
 */
export function partsOf(text: string): Part[] {
  const parts: { at: Part['at']; words: string[] }[] = [];
  for (const word of text === '' ? [] : text.split(' ')) {
    const index = markers.indexOf(word);
    const last = parts.at(-1);
    if (word === ANSWER) parts.push({ at: 'answer', words: [] });
    else if (index >= 0) parts.push({ at: index, words: [] });
    else if (last === undefined) parts.push({ at: null, words: [word] });
    else last.words.push(word);
  }
  const left = parts.filter(({ words }) => words.at(-1) !== BAD);
  return left.map(({ at, words: written }) => {
    const words = written.at(-1) === OK ? written.slice(0, -1) : written;
    const begun = at === null ? [] : [at === 'answer' ? ANSWER : marker(at)];
    return { at, words, text: [...begun, ...words].join(' ') };
  });
}

/** Most tokens of a solution of so many steps, its end token included. */
export function longestSolution(notation: Notation, steps: number): number {
  const step = 1 + Number(notation.names.length > 0) + sumWidth(notation);
  return steps * step + 1 + notation.answerWidth(steps) + 1;
}
