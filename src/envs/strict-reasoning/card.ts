import { chainOptions } from '../reasoning/options.ts';
import type { FamilyCard } from '../types.ts';

export const strictChainCard = {
  id: 'reasoning/strict-chain-v1',
  title: 'Reasoning: strict chain of sums',
  explanation:
    'The chain of sums for training critics: the actor learns that a rejected answer must change, so a false alarm breaks a correct one.',
  options: chainOptions,
} as const satisfies FamilyCard;
