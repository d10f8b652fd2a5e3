import { testConformance } from '../testing/conformance.ts';
import { textCraft } from './index.ts';

testConformance(textCraft, {
  reward: 'success',
  fingerprints: {
    '{"book":"wood","depth":1,"names":"plain","inventory":"always"}': '08c8bdbc',
    '{"book":"wood"}': 'f32a7ec5',
    '{"depth":1}': '838b1eec',
    '{"depth":4,"distractors":10}': 'bc299e50',
    '{"depth":4,"goals":"exact-depth"}': '5e8a754c',
    '{"depth":4}': '0bfa02f6',
    '{"distractors":0}': '841cd9fb',
    '{"distractors":10}': '43cd0255',
    '{"goals":"exact-depth"}': 'eba6265d',
    '{"inventory":"always"}': '602a90c9',
    '{"lexemes":"words"}': '6fa009bd',
    '{"names":"plain"}': '6db70cb9',
    '{}': '6fa009bd',
  },
  optionSets: [
    { book: 'wood', depth: 1, names: 'plain', inventory: 'always' },
    { depth: 4, distractors: 10 },
    { depth: 4, goals: 'exact-depth' },
  ],
});
