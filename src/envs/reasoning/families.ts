import { aspect } from '../holdout.ts';
import type { EnvironmentFamily, EnvironmentOptions, Holdout } from '../types.ts';
import { chainCard, columnsCard, ledgerCard } from './cards.ts';
import {
  type Chain,
  chainKey,
  chainProblem,
  chainQuestion,
  chainQuestionLexicon,
  drawChain,
  longestChainQuestion,
  modularArithmetic,
  operationsKey,
} from './chain.ts';
import {
  type Columns,
  columnArithmetic,
  columnsKey,
  columnsProblem,
  columnsQuestionLexicon,
  drawColumns,
  longestColumnsQuestion,
  numbersOf,
} from './columns.ts';
import {
  type Course,
  createReasoning,
  type Desk,
  deskOf,
  type ReasoningState,
} from './environment.ts';
import {
  drawLedger,
  type Ledger,
  ledgerNames,
  ledgerQuestion,
  ledgerQuestionLexicon,
  longestLedgerQuestion,
} from './ledger.ts';
import {
  chainId,
  chainSettings,
  columnsId,
  columnsSettings,
  FEWEST_STEPS,
  ledgerId,
} from './options.ts';
import { drawTasks } from './tasks.ts';

const HOW_TO_WRITE =
  'Write your whole solution at once: each step as its name, the sum and what it comes to, then the answer.';

/** How evaluation chains differ from training chains. */
function chainHoldout<Task>(chainOf: (task: Task) => Chain) {
  return (taskOf: (id: string) => Task): Holdout => ({
    sentence:
      'No evaluation problem occurs in training, but many have the same operations on another starting number.',
    sameTasks: false,
    aspects: [
      aspect('problems', true, (task) => chainKey(chainOf(taskOf(task)))),
      aspect('operations, regardless of their starting numbers', false, (task) =>
        operationsKey(chainOf(taskOf(task))),
      ),
    ],
  });
}

const levelsOf = (steps: number): number => steps - FEWEST_STEPS + 1;

export function chainCourse(options?: EnvironmentOptions): Course<Chain> {
  const settings = chainSettings(chainId, options);
  const { prime, steps, hard } = settings;
  const arithmetic = modularArithmetic(Number(prime));
  const levels = levelsOf(steps);
  const example = arithmetic.calculate('+', ['8', '5']);
  return {
    id: chainId,
    name: 'chain',
    arithmetic,
    drawn: drawTasks(levels, (...draw) => drawChain(settings, ...draw), chainKey),
    problemOf: (chain) => chainProblem(arithmetic, settings, chain, chainQuestion(chain)),
    withholds: hard === 'withheld',
    steps,
    levels,
    questionLexicon: chainQuestionLexicon,
    longestQuestion: longestChainQuestion(steps),
    instruction: `You are given a number and what to do with it, step by step. Numbers are counted modulo ${prime}: after ${Number(prime) - 1} comes 0.
${HOW_TO_WRITE} For start 4 s1 times 2 s2 plus 5, for example:
s1 4 * 2 = 8 s2 8 + 5 = ${example} answer ${example}`,
    holdout: chainHoldout((chain) => chain),
  };
}

export function ledgerCourse(options?: EnvironmentOptions): Course<Ledger> {
  const settings = chainSettings(ledgerId, options);
  const { prime, steps, hard } = settings;
  const arithmetic = modularArithmetic(Number(prime), ledgerNames);
  const levels = levelsOf(steps);
  const example = arithmetic.calculate('+', ['8', '5']);
  return {
    id: ledgerId,
    name: 'ledger',
    arithmetic,
    drawn: drawTasks(
      levels,
      (...draw) => drawLedger(settings, ...draw),
      ({ chain }) => chainKey(chain),
    ),
    problemOf: (ledger) =>
      chainProblem(
        arithmetic,
        settings,
        ledger.chain,
        ledgerQuestion(ledger),
        ledger.people.slice(1),
      ),
    withholds: hard === 'withheld',
    steps,
    levels,
    questionLexicon: ledgerQuestionLexicon,
    longestQuestion: longestLedgerQuestion(steps),
    instruction: `You are told, in any order, how many several people have, and asked how many one of them has. One sentence does not matter. Numbers are counted modulo ${prime}: after ${Number(prime) - 1} comes 0.
${HOW_TO_WRITE} A step begins with its number and whose it is. For Dan has Bo plus 5. Ada has 4. Bo has Ada times 2. Jo has Kim plus 1. How many has Dan? for example:
s1 Bo 4 * 2 = 8 s2 Dan 8 + 5 = ${example} answer ${example}`,
    holdout: chainHoldout(({ chain }) => chain),
  };
}

export function columnsCourse(options?: EnvironmentOptions): Course<Columns> {
  const { steps } = columnsSettings(options);
  const levels = levelsOf(steps);
  return {
    id: columnsId,
    name: 'columns',
    arithmetic: columnArithmetic,
    drawn: drawTasks(levels, (level, _, random) => drawColumns(level, random), columnsKey),
    problemOf: columnsProblem,
    withholds: false,
    steps,
    levels,
    questionLexicon: columnsQuestionLexicon,
    longestQuestion: longestColumnsQuestion(steps),
    instruction: `You add two numbers that are given column by column, units first.
${HOW_TO_WRITE} A step adds the two digits and what was carried, and comes to a digit and what is carried, c0 or c1. The answer has one digit more than the numbers. For s1 7 plus 8 s2 4 plus 3, for example:
s1 7 + 8 + 0 = 5 c1 s2 4 + 3 + 1 = 8 c0 answer 0 8 5`,
    holdout: (taskOf) => ({
      sentence:
        'No evaluation sum occurs in training, in either order, although single numbers occur in both.',
      sameTasks: false,
      aspects: [
        aspect('pairs of numbers', true, (task) => columnsKey(taskOf(task))),
        {
          name: 'first numbers',
          apart: false,
          asks: (task) => numbersOf(taskOf(task))[0] ?? null,
          shows: (task) => numbersOf(taskOf(task)),
        },
      ],
    }),
  };
}

export const families: readonly EnvironmentFamily<ReasoningState>[] = [
  { ...chainCard, create: (options) => createReasoning(chainCourse(options)) },
  { ...ledgerCard, create: (options) => createReasoning(ledgerCourse(options)) },
  { ...columnsCard, create: (options) => createReasoning(columnsCourse(options)) },
];

/** The problems of a family. */
export const desks: Readonly<Record<string, (options: EnvironmentOptions) => Desk>> = {
  [chainId]: (options) => deskOf(chainCourse(options)),
  [ledgerId]: (options) => deskOf(ledgerCourse(options)),
  [columnsId]: (options) => deskOf(columnsCourse(options)),
};
