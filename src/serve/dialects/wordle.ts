import { wordleId, wordleSettings } from '../../envs/wordle/options.ts';
import { readWords } from '../../envs/wordle/own-words.ts';
import { INVALID_WORD } from '../../envs/wordle/text.ts';
import { wordLists } from '../../envs/wordle/words.ts';
import { type Dialect, withTexts } from '../dialect.ts';

export const wordle: Dialect = {
  path: 'wordle',
  choices: [wordleId],
  environments: [wordleId],
  options: { feedback: 'original', openings: 0 },
  taskKey: 'seed',
  // In the original, any number is a seed.
  wraps: true,
  parseAction: (sent) => sent.trim(),
  original: withTexts(
    (welcome) => welcome,
    (feedback) => (feedback === INVALID_WORD ? feedback : `${feedback}\n`),
  ),
  idKey: 'id',
  created: (id) => ({ id }),
  began: (id, { result }) => ({ id, observation: result.observation }),
  stepped: ({ result }) => ({ ...result }),
  asks: {
    filtered_vocab({ options }) {
      const { words, list } = wordleSettings(options);
      return words === '' ? wordLists[list] : readWords(words);
    },
  },
};
