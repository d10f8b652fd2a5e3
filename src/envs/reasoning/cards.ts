/** What is known about the reasoning environments before their code is loaded. */

import type { FamilyCard } from '../types.ts';
import { chainId, chainOptions, columnsId, columnsOptions, ledgerId } from './options.ts';

export const chainCard = {
  id: chainId,
  title: 'Reasoning: chain of sums',
  explanation:
    'A number and two to six operations on it, modulo a prime. The agent writes its whole solution in one turn, one line per step, and is rewarded if the answer is right, regardless of the steps. Every step can be judged on its own, so a critic can learn to. The expert never shows products of two large numbers, which harder levels need. Evaluation problems do not occur in training.',
  options: chainOptions,
} as const satisfies FamilyCard;

export const ledgerCard = {
  id: ledgerId,
  title: 'Reasoning: ledger',
  explanation:
    'A chain told as sentences about people: how many one person has follows from what another has. The sentences are in random order and one is irrelevant, so the agent has to look up what comes next. It writes its whole solution in one turn, one line per person, and is rewarded if the answer is right. Evaluation problems do not occur in training.',
  options: chainOptions,
} as const satisfies FamilyCard;

export const columnsCard = {
  id: columnsId,
  title: 'Reasoning: column addition',
  explanation:
    'Two numbers of two to six digits, given column by column. The agent adds them from the units on, digit and carry, in one turn, and is rewarded if the sum is right. A forgotten carry makes the columns to its left wrong. Evaluation pairs of numbers do not occur in training.',
  options: columnsOptions,
} as const satisfies FamilyCard;

export const reasoningCards: readonly FamilyCard[] = [chainCard, ledgerCard, columnsCard];
