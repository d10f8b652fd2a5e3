import { testConformance } from '../testing/conformance.ts';
import { families } from './index.ts';
import { templates } from './templates.ts';

const codeOf = (title: string) => templates.find(({ name }) => name === title)?.code ?? '';
const bandit = { code: codeOf('Bandit with four arms') };
const adventure = { code: codeOf('Text adventure') };
/** Without an expert, demonstrations come from a search. */
const searched = {
  code: codeOf('Guess the number').replace('export function expert', 'function expert'),
};

for (const family of families) {
  testConformance(
    family,
    {
      reward: 'shaped',
      fingerprints: {
        '{}': '5857fa4d',
        [JSON.stringify(bandit)]: '7e2b0dd1',
        [JSON.stringify(adventure)]: '383f4055',
        [JSON.stringify(searched)]: '50a884c7',
      },
      optionSets: [bandit, adventure, searched],
      // A few wrong guesses lose a task.
      recoversAfter: 0,
    },
    { tasks: 60, episodes: 8, actions: 500, table: true },
  );
}
