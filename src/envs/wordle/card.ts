import type { FamilyCard } from '../types.ts';
import { wordleId, wordleOptions } from './options.ts';

export const wordleCard: FamilyCard = {
  id: wordleId,
  title: 'Wordle',
  explanation:
    'The agent has six guesses to find a hidden word of five letters. After each guess it reads which letters are in place (g), elsewhere in the word (y) or absent (b). By default an opening guess is given. The agent has to name a word that fits all marks. It is evaluated on combinations of hidden word and opening that do not occur in training or, without openings, on words that training never hides.',
  options: wordleOptions,
};
