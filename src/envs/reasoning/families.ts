import { aspect } from '../holdout.ts';
import type { EnvironmentFamily, EnvironmentOptions } from '../types.ts';
import { chainCard } from './cards.ts';
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
import { type Course, createReasoning, type ReasoningState } from './environment.ts';
import { chainId, chainSettings, FEWEST_STEPS } from './options.ts';
import { drawTasks } from './tasks.ts';

const HOW_TO_WRITE =
  'Write your whole solution at once: each step as its name, the sum and what it comes to, then the answer.';

/** What sets the chains of evaluation apart. */
function chainHoldout(taskOf: (id: string) => Chain) {
  return {
    sentence:
      'Evaluation asks no problem that training has, though many with the same operations on another number.',
    sameTasks: false,
    aspects: [
      aspect('problems', true, (task) => chainKey(taskOf(task))),
      aspect('operations, whatever they begin with', false, (task) => operationsKey(taskOf(task))),
    ],
  } as const;
}

export function chainCourse(options?: EnvironmentOptions): Course<Chain> {
  const settings = chainSettings(chainId, options);
  const { prime, steps, hard } = settings;
  const arithmetic = modularArithmetic(Number(prime));
  const levels = steps - FEWEST_STEPS + 1;
  return {
    id: chainId,
    name: 'chain',
    arithmetic,
    drawn: drawTasks(
      levels,
      (level, split, random) => drawChain(settings, level, split, random),
      chainKey,
    ),
    problemOf: (chain) => chainProblem(arithmetic, settings, chain, chainQuestion(chain)),
    withholds: hard === 'withheld',
    steps,
    levels,
    questionLexicon: chainQuestionLexicon,
    longestQuestion: longestChainQuestion(steps),
    instruction: `You are given a number and what to do with it, step by step. Numbers are counted modulo ${prime}: after ${Number(prime) - 1} comes 0.
${HOW_TO_WRITE} For start 4 s1 times 2 s2 plus 5, for example:
s1 4 * 2 = 8 s2 8 + 5 = ${arithmetic.calculate('+', ['8', '5'])} answer ${arithmetic.calculate('+', ['8', '5'])}`,
    holdout: chainHoldout,
  };
}

export const families: readonly EnvironmentFamily<ReasoningState>[] = [
  { ...chainCard, create: (options) => createReasoning(chainCourse(options)) },
];
