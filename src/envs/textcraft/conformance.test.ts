import { testConformance } from '../testing/conformance.ts';
import { textCraft } from './index.ts';

/** The options of the preset. */
const eightWoods = { depth: 2, distractors: 1, book: 'wood', names: 'plain', lexemes: 'words' };

testConformance(textCraft, {
  reward: 'success',
  fingerprints: {
    '{"book":"wood","depth":1,"names":"plain","inventory":"always"}': '08c8bdbc',
    '{"book":"wood"}': '66f0e614',
    '{"depth":1}': '838b1eec',
    '{"depth":4,"distractors":10}': '4fe50c96',
    '{"depth":4,"goals":"exact-depth"}': '5e8a754c',
    '{"depth":4}': 'c43bb5e4',
    '{"distractors":0}': 'b62c1e7c',
    '{"distractors":10}': '4d486aad',
    '{"goals":"exact-depth"}': 'eba6265d',
    '{"inventory":"always"}': '341ef61f',
    '{"lexemes":"words"}': 'a3ec4a4d',
    '{"names":"plain"}': 'a824b6b9',
    '{}': 'a3ec4a4d',
    '{"depth":2,"distractors":1,"book":"wood","names":"plain","lexemes":"words"}': '8082d445',
  },
  // With whole names as lexemes, a held-out item is a token that training never writes; `lexemes: words`
  // avoids this.
  unwritten: {
    '{}': 132,
    '{"distractors":0}': 132,
    '{"distractors":10}': 132,
    '{"inventory":"always"}': 132,
    '{"names":"plain"}': 132,
    '{"depth":1}': 20,
    '{"depth":4}': 208,
    '{"depth":4,"distractors":10}': 208,
    '{"goals":"exact-depth"}': 120,
    '{"book":"wood"}': 60,
    '{"book":"wood","depth":1,"names":"plain","inventory":"always"}': 4,
    '{"depth":4,"goals":"exact-depth"}': 8,
  },
  documented: [eightWoods, { depth: 4 }],
  optionSets: [
    { book: 'wood', depth: 1, names: 'plain', inventory: 'always' },
    { depth: 4, distractors: 10 },
    { depth: 4, goals: 'exact-depth' },
  ],
});
