/** What is known of the reasoning environments before any of their problems has been drawn. */

import type { FamilyCard } from '../types.ts';
import { chainId, chainOptions, columnsId, columnsOptions, ledgerId } from './options.ts';

export const chainCard = {
  id: chainId,
  title: 'Reasoning: chain of sums',
  explanation:
    'A number and two to six operations on it, counted modulo a prime. The agent writes its whole solution in one turn, a line a step, and is rewarded if the answer is right, however it was come by. Every step can be told right or wrong where it stands, so a critic can learn to. The expert never shows the products of two large numbers, which the harder levels ask for; evaluation has problems that training never has.',
  options: chainOptions,
} as const satisfies FamilyCard;

export const ledgerCard = {
  id: ledgerId,
  title: 'Reasoning: ledger',
  explanation:
    'The sums of a chain, told of people: who has how many follows from what another has. The sentences stand in any order, and one of them is idle, so the agent has to look up what comes next. It writes its whole solution in one turn, a line a person, and is rewarded if the answer is right. Evaluation has problems that training never has.',
  options: chainOptions,
} as const satisfies FamilyCard;

export const columnsCard = {
  id: columnsId,
  title: 'Reasoning: column addition',
  explanation:
    'Two numbers of two to six digits, given column by column. The agent adds them from the units on, digit and carry, in one turn, and is rewarded if the sum is right. A carry that is forgotten spoils what stands to its left. Evaluation has pairs of numbers that training never has.',
  options: columnsOptions,
} as const satisfies FamilyCard;

export const reasoningCards: readonly FamilyCard[] = [chainCard, ledgerCard, columnsCard];
