/** What is known of the reasoning environments before any of their problems has been drawn. */

import type { FamilyCard } from '../types.ts';
import { chainId, chainOptions } from './options.ts';

export const chainCard = {
  id: chainId,
  title: 'Chain of sums',
  explanation:
    'A number and two to six operations on it, counted modulo a prime. The agent writes its whole solution in one turn, a line a step, and is rewarded if the answer is right, however it was come by. Every step can be told right or wrong where it stands, so a critic can learn to. The expert never shows how to multiply by large factors, which the harder levels ask for; evaluation has problems that training never has.',
  options: chainOptions,
} as const satisfies FamilyCard;

export const reasoningCards: readonly FamilyCard[] = [chainCard];
