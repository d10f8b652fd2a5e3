import { testConformance } from '../testing/conformance.ts';
import { searchqa } from './index.ts';

testConformance(searchqa, {
  reward: 'success',
  fingerprints: {
    '{}': '32597295',
    '{"hops":"single"}': '78694d32',
    '{"hops":"two"}': '47439d68',
    '{"documents":1}': '0eebda60',
    '{"documents":5}': 'a53b22d1',
    '{"passage":"long"}': 'c3ec6f48',
    '{"wrong_answer":"retry"}': '32597295',
    '{"hops":"single","documents":1}': 'df4d451c',
    '{"hops":"two","documents":5,"passage":"long","wrong_answer":"retry"}': 'b58329ab',
  },
  optionSets: [
    { hops: 'single', documents: 1 },
    { hops: 'two', documents: 5, passage: 'long', wrong_answer: 'retry' },
  ],
  // By default one wrong answer loses the task.
  recoversAfter: 0,
});
