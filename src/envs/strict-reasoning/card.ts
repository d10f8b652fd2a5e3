import { chainOptions } from '../reasoning/options.ts';
import type { FamilyCard } from '../types.ts';

export const strictChainCard = {
  id: 'reasoning/strict-chain-v1',
  title: 'Reasoning: chain of sums, rejected answers change',
  explanation:
    'The same questions as in the chain of sums, for training critics. Here the actor learns that an answer called wrong must change: if a critique gives the result that the step already has, the actor writes another. A false alarm therefore breaks a correct answer, so verdicts matter as much as advice.',
  options: chainOptions,
} as const satisfies FamilyCard;
