/** A number and a sequence of operations on it, modulo a prime. */

import { uniformInt } from 'pure-rand/distribution/uniformInt';
import type { RandomGenerator } from 'pure-rand/types/RandomGenerator';
import { type Arithmetic, marker, type Problem, type Step } from './notation.ts';
import { type ChainSettings, FEWEST_STEPS } from './options.ts';
import { oneOf, type Split } from './tasks.ts';

const PLUS = '+';
const MINUS = '-';
const TIMES = '*';

/** Operations as worded in questions. */
export const operationWords: Readonly<Record<string, string>> = {
  [PLUS]: 'plus',
  [MINUS]: 'minus',
  [TIMES]: 'times',
};
const operations = Object.keys(operationWords);

const START = 'start';

/** The operation of one step. */
export interface Operation {
  readonly operation: string;
  readonly by: number;
}

export interface Chain {
  readonly start: number;
  readonly operations: readonly Operation[];
}

/** Probability of a hard step in percent, from level 1 on; levels beyond the list use its last value. */
const HARD_PERCENT = [3, 8, 16, 22, 33, 40, 45] as const;

const hardPercent = (level: number): number => HARD_PERCENT[level - 1] ?? HARD_PERCENT[6];

/**
 * Whether a step multiplies two numbers from the upper half: 6 to 10 modulo 11. A product with a factor from
 * the lower half is not hard, because the expert shows it with that factor second.
 */
const isHard = (prime: number, operation: string, operands: readonly number[]): boolean =>
  operation === TIMES && operands.every((operand) => 2 * operand > prime);

/** Draws a random chain of the given level. A chain that the expert may show has no hard step. */
export function drawChain(
  { prime, hard }: Pick<ChainSettings, 'prime' | 'hard'>,
  level: number,
  split: Split,
  random: RandomGenerator,
): Chain {
  const p = Number(prime);
  const half = (p - 1) / 2;
  const withheld = hard === 'withheld';
  const factor = (from: number, to: number) => ({
    operation: TIMES,
    by: uniformInt(random, from, to),
  });
  const step = (value: number): Operation => {
    // Only numbers in the upper half can have a hard step, so they get one at a proportionally higher rate.
    const can = withheld && split !== 'shown' && value > half;
    if (can && uniformInt(random, 1, 100 * half) <= hardPercent(level) * p) {
      return factor(half + 1, p - 1);
    }
    const operation = oneOf(operations, random);
    if (operation === TIMES) return factor(1, withheld ? half : p - 1);
    return { operation, by: uniformInt(random, 0, p - 1) };
  };
  const start = uniformInt(random, 0, p - 1);
  const drawn: Operation[] = [];
  for (let value = start; drawn.length < level + FEWEST_STEPS - 1; ) {
    const next = step(value);
    value = modular(p, next.operation, value, next.by);
    drawn.push(next);
  }
  return { start, operations: drawn };
}

/** The result of an operation on a number. */
function modular(prime: number, operation: string, a: number, b: number): number {
  const result = operation === TIMES ? a * b : operation === PLUS ? a + b : a - b;
  return ((result % prime) + prime) % prime;
}

/** A chain as a question: `start 4 s1 times 2 s2 plus 5`. */
export function chainQuestion({ start, operations }: Chain): string {
  const steps = operations.map(
    ({ operation, by }, i) => `${marker(i)} ${operationWords[operation]} ${by}`,
  );
  return [START, start, ...steps].join(' ');
}

/** Lexemes of questions that solutions do not contain. */
export const chainQuestionLexicon: readonly string[] = [START, ...Object.values(operationWords)];

export const longestChainQuestion = (steps: number): number => 2 + 3 * steps;

/** Arithmetic on two numbers modulo a prime. */
export function modularArithmetic(prime: number, names: readonly string[] = []): Arithmetic {
  const numbers = Array.from({ length: prime }, (_, n) => String(n));
  const calculate = (operation: string, operands: readonly string[]): string => {
    const [a = 0, b = 0] = operands.map(Number);
    return String(modular(prime, operation, a, b));
  };
  return {
    names,
    operands: [numbers, numbers],
    operations,
    values: numbers,
    answerWidth: () => 1,
    digits: numbers,
    calculate,
    /** Off by one, and a product replaced by a sum. */
    slips({ operation, operands, value }: Step) {
      const near = [calculate(PLUS, [value, '1']), calculate(MINUS, [value, '1'])];
      const sum = operation === TIMES ? [calculate(PLUS, operands)] : [];
      return [...new Set([...near, ...sum])].filter((slip) => slip !== value);
    },
  };
}

/** A chain as a problem; the steps get these names, if any. */
export function chainProblem(
  arithmetic: Arithmetic,
  { prime, hard }: Pick<ChainSettings, 'prime' | 'hard'>,
  chain: Chain,
  question: string,
  names: readonly string[] = [],
): Problem {
  const { start, operations } = chain;
  const p = Number(prime);
  const withheld: number[] = [];
  let value = start;
  for (const [i, { operation, by }] of operations.entries()) {
    if (hard === 'withheld' && isHard(p, operation, [value, by])) withheld.push(i);
    value = modular(p, operation, value, by);
  }
  return {
    question,
    level: operations.length - FEWEST_STEPS + 1,
    length: operations.length,
    withheld,
    due(index, before) {
      const { operation = PLUS, by = 0 } = operations[index] ?? {};
      const operands = [before ?? String(start), String(by)];
      const value = arithmetic.calculate(operation, operands);
      return { name: names[index] ?? '', operands, operation, value };
    },
    answer: (_, last) => last,
  };
}

/** A chain as text. */
export const chainKey = ({ start, operations }: Chain): string =>
  [start, ...operations.map(({ operation, by }) => `${operation}${by}`)].join(' ');

/** The operations of a chain, without its number. */
export const operationsKey = ({ operations }: Chain): string =>
  operations.map(({ operation, by }) => `${operation}${by}`).join(' ');
