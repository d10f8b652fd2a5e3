import { testConformance } from '../testing/conformance.ts';
import { textCraft } from './index.ts';

testConformance(textCraft, {
  reward: 'success',
  fingerprints: {
    '{"book":"wood","depth":1,"names":"plain","inventory":"always"}': '00c002d7',
    '{"book":"wood"}': '3dc4f7c4',
    '{"depth":1}': '24d889e8',
    '{"depth":4,"distractors":10}': '44786e62',
    '{"depth":4,"goals":"exact-depth"}': '921130bb',
    '{"depth":4}': 'e65d3758',
    '{"distractors":0}': '8c5643fe',
    '{"distractors":10}': 'fa7202dc',
    '{"goals":"exact-depth"}': '1ca22e13',
    '{"inventory":"always"}': '67c2f2f2',
    '{"lexemes":"words"}': 'd5ca9c60',
    '{"names":"plain"}': '6510786c',
    '{}': 'd5ca9c60',
  },
  optionSets: [
    { book: 'wood', depth: 1, names: 'plain', inventory: 'always' },
    { depth: 4, distractors: 10 },
    { depth: 4, goals: 'exact-depth' },
  ],
});
