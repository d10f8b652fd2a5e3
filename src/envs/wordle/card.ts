import type { FamilyCard } from '../types.ts';
import { wordleId, wordleOptions } from './options.ts';

export const wordleCard: FamilyCard = {
  id: wordleId,
  title: 'Wordle',
  explanation:
    'A word of five letters is hidden, and the agent has six guesses. After each it reads which letters are in their place (g), elsewhere in the word (y) or absent (b). At first an opening guess is given; the agent has to name a word that agrees with all the marks, and is evaluated on words behind openings that training never had for them. With no openings it is evaluated on words that training never hides.',
  options: wordleOptions,
};
