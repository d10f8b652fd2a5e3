/**
 * The notation of solutions: one line per step, `s3 7 + 5 = 1`, which contains everything needed to judge it,
 * then the answer, `answer 1`. All words are separated by single spaces.
 */

/** Maximum number of steps of a solution; each step has its own lexeme. */
export const MOST_STEPS = 8;

export const ANSWER = 'answer';
export const EQUALS = '=';

/** The word that starts the step with this index, from 0. */
export const marker = (index: number): string => `s${index + 1}`;

export const markers: readonly string[] = Array.from({ length: MOST_STEPS }, (_, i) => marker(i));

/** One calculation: its operands, operation and result. */
export interface Step {
  /** The person it is about; empty if steps have no names. */
  readonly name: string;
  readonly operands: readonly string[];
  /** The operation between adjacent operands. */
  readonly operation: string;
  /** One word or several. */
  readonly value: string;
}

/** The operands and results of a family's steps. */
export interface Arithmetic {
  /** Names of steps; empty if they have none. */
  readonly names: readonly string[];
  /** Possible operands, by position. */
  readonly operands: readonly (readonly string[])[];
  readonly operations: readonly string[];
  /** Possible results of a step, all with the same number of words. */
  readonly values: readonly string[];
  /** Number of words in the answer to a question with this many steps; each word is one of `digits`. */
  answerWidth(steps: number): number;
  readonly digits: readonly string[];
  /** The result of a calculation. */
  calculate(operation: string, operands: readonly string[]): string;
  /** Plausible wrong results of a calculation. */
  slips(step: Step): readonly string[];
}

/** The notation of a family's solutions. */
export interface Notation extends Arithmetic {
  /** Every word that a solution can contain. */
  readonly words: ReadonlySet<string>;
}

export function notationOf(arithmetic: Arithmetic): Notation {
  const { names, operands, operations, values, digits } = arithmetic;
  const spelled = [...operands.flat(), ...digits, ...values.flatMap((value) => value.split(' '))];
  const words = new Set([...spelled, ...names, ...operations, EQUALS, ...markers, ANSWER]);
  return { ...arithmetic, words };
}

/** A question whose answer takes several steps, each using the result of the one before. */
export interface Problem {
  readonly question: string;
  /** From 1. */
  readonly level: number;
  /** The number of steps. */
  readonly length: number;
  /** Indices of steps whose calculations the expert never shows. */
  readonly withheld: readonly number[];
  /** The expected step, given the result `before` of the previous one; null at the start. */
  due(index: number, before: string | null): Step;
  /**
   * The expected answer.
   * @param values results of the steps, by index; null if unreadable
   * @param last the last result
   */
  answer(values: readonly (string | null)[], last: string): string;
}

/** Number of words in a value. */
export function valueWidth({ values }: Notation): number {
  return values[0]?.split(' ').length ?? 0;
}

/** Number of words in a calculation and its result, without marker and name. */
export function sumWidth(notation: Notation): number {
  return 2 * notation.operands.length + valueWidth(notation);
}

/** A calculation as text, without marker and name. */
export function writeSum({ operands, operation, value }: Step): string {
  return `${operands.join(` ${operation} `)} ${EQUALS} ${value}`;
}

export function writeStep(index: number, step: Step): string {
  const named = step.name === '' ? '' : `${step.name} `;
  return `${marker(index)} ${named}${writeSum(step)}`;
}

export const writeAnswer = (value: string): string => `${ANSWER} ${value}`;

/** Parses a calculation such as `7 + 5 = 1`; null if the words are not one. */
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

/** Parses the words after the marker of a step; null if they are not a step. */
export function readStep(notation: Notation, words: readonly string[]): Step | null {
  if (notation.names.length === 0) return readSum(notation, words);
  const [name = '', ...sum] = words;
  return notation.names.includes(name) ? readSum(notation, sum, name) : null;
}

/** Parses the words of an answer to a question with this many steps; null if they are not one. */
export function readAnswer(
  { digits, answerWidth }: Notation,
  words: readonly string[],
  steps: number,
): string | null {
  const spelled =
    words.length === answerWidth(steps) && words.every((word) => digits.includes(word));
  return spelled ? words.join(' ') : null;
}

/** A part of a solution from one marker to the next. */
export interface Part {
  readonly text: string;
  /** The words after the marker. */
  readonly words: readonly string[];
  /** The index of the step it claims to be, or the answer; null for words before any marker. */
  readonly at: number | 'answer' | null;
}

/** Labels after each step of a monologue. A step labeled bad is withdrawn. */
export const OK = 'ok';
export const BAD = 'bad';

/**
 * Splits a text before every marker. Labels and withdrawn steps of a monologue are dropped. The first answer
 * includes everything after it, so at most one part, the last, is an answer.
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
  const kept = parts
    .filter(({ words }) => words.at(-1) !== BAD)
    .map(({ at, words: written }): Part => {
      const words = written.at(-1) === OK ? written.slice(0, -1) : written;
      const begun = at === null ? [] : [at === 'answer' ? ANSWER : marker(at)];
      return { at, words, text: [...begun, ...words].join(' ') };
    });
  const end = kept.findIndex(({ at }) => at === 'answer');
  const answer = kept[end];
  if (answer === undefined || end === kept.length - 1) return kept;
  const rest = kept.slice(end + 1).map((part) => part.text);
  const words = [...answer.words, ...rest.flatMap((part) => part.split(' '))];
  return [...kept.slice(0, end), { at: 'answer', words, text: [answer.text, ...rest].join(' ') }];
}

/** Maximum number of tokens in a solution with this many steps, including its end token. */
export function longestSolution(notation: Notation, steps: number): number {
  const step = 1 + Number(notation.names.length > 0) + sumWidth(notation);
  return steps * step + 1 + notation.answerWidth(steps) + 1;
}
