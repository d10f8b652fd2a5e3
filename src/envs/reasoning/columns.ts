/** Addition of two numbers by digit and carry, starting with the units. */

import { uniformInt } from 'pure-rand/distribution/uniformInt';
import type { RandomGenerator } from 'pure-rand/types/RandomGenerator';
import { type Arithmetic, marker, type Problem, type Step } from './notation.ts';
import { FEWEST_STEPS } from './options.ts';

const PLUS = '+';
const PLUS_WORD = 'plus';

const DIGITS: readonly string[] = Array.from({ length: 10 }, (_, n) => String(n));
/** The carry, as written in sums and in results. */
const CARRIES: readonly string[] = ['0', '1'];
const carryWord = (carry: number): string => `c${carry}`;

/** Two numbers of equal length by their digits, units first; neither starts with 0. */
export interface Columns {
  readonly first: readonly number[];
  readonly second: readonly number[];
}

export function drawColumns(level: number, random: RandomGenerator): Columns {
  const columns = level + FEWEST_STEPS - 1;
  const number = () =>
    Array.from({ length: columns }, (_, i) => uniformInt(random, i === columns - 1 ? 1 : 0, 9));
  return { first: number(), second: number() };
}

/** The columns one by one: 47 + 38 is `s1 7 plus 8 s2 4 plus 3`. */
function columnsQuestion({ first, second }: Columns): string {
  return first.map((digit, i) => `${marker(i)} ${digit} ${PLUS_WORD} ${second[i]}`).join(' ');
}

/** Lexemes of questions that solutions do not contain. */
export const columnsQuestionLexicon: readonly string[] = [PLUS_WORD];

export const longestColumnsQuestion = (steps: number): number => 4 * steps;

/** The result of a column: its digit and its carry, `5 c1`. */
const written = (sum: number): string => `${sum % 10} ${carryWord(Math.floor(sum / 10))}`;

const digitOf = (value: string | null): string => value?.split(' ')[0] ?? '0';
const carryOf = (value: string | null): string => value?.at(-1) ?? '0';

/** Two digits and a carry give a digit and a carry. */
export const columnArithmetic: Arithmetic = {
  names: [],
  operands: [DIGITS, DIGITS, CARRIES],
  operations: [PLUS],
  values: CARRIES.flatMap((carry) => DIGITS.map((digit) => written(Number(carry + digit)))),
  /** One digit more than the numbers have; the first is 0 without a final carry. */
  answerWidth: (steps) => steps + 1,
  digits: DIGITS,
  calculate: (_, operands) => written(operands.reduce((sum, digit) => sum + Number(digit), 0)),
  /** Off by one, or with the wrong carry. */
  slips({ value }: Step) {
    const sum = Number(carryOf(value) + digitOf(value));
    const near = [sum + 1, sum - 1].filter((slip) => slip >= 0 && slip <= 19);
    return [...near, (sum + 10) % 20].map(written);
  },
};

export function columnsProblem(columns: Columns): Problem {
  const { first, second } = columns;
  return {
    question: columnsQuestion(columns),
    level: first.length - FEWEST_STEPS + 1,
    length: first.length,
    withheld: [],
    due(index, before) {
      const operands = [String(first[index]), String(second[index]), carryOf(before)];
      const value = columnArithmetic.calculate(PLUS, operands);
      return { name: '', operands, operation: PLUS, value };
    },
    /** Digits without a readable result count as 0. */
    answer: (values, last) =>
      [carryOf(last), ...first.map((_, i) => digitOf(values[i] ?? null)).toReversed()].join(' '),
  };
}

/** The two numbers of a problem in usual notation. */
export function numbersOf({ first, second }: Columns): readonly string[] {
  return [first, second].map((digits) => digits.toReversed().join(''));
}

/** A problem as text, equal for 47 and 38 in either order. */
export const columnsKey = (columns: Columns): string => [...numbersOf(columns)].sort().join(' + ');
