import { wordleId, wordleSettings } from '../../envs/wordle/options.ts';
import { readWords } from '../../envs/wordle/own-words.ts';
import { INVALID_WORD } from '../../envs/wordle/text.ts';
import { wordLists } from '../../envs/wordle/words.ts';
import { type Dialect, retold } from '../dialect.ts';

export const wordle: Dialect = {
  path: 'wordle',
  choices: [wordleId],
  environments: [wordleId],
  options: { feedback: 'original', openings: 0 },
  taskKey: 'seed',
  // There any number seeds a generator.
  wraps: true,
  hears: (sent) => sent.trim(),
  original: retold(
    (welcome) => welcome,
    (feedback) => (feedback === INVALID_WORD ? feedback : `${feedback}\n`),
  ),
  idKey: 'id',
  created: (id) => ({ id }),
  began: (id, { told }) => ({ id, observation: told.observation }),
  stepped: ({ told }) => ({ ...told }),
  asks: {
    filtered_vocab({ options }) {
      const { words, list } = wordleSettings(options);
      return words === '' ? wordLists[list] : readWords(words);
    },
  },
};
