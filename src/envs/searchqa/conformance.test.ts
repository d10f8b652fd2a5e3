import { testConformance } from '../testing/conformance.ts';
import { searchqa } from './index.ts';

testConformance(searchqa, {
  reward: 'success',
  fingerprints: {
    '{}': '1289879e',
    '{"hops":"single"}': '10d9363f',
    '{"hops":"two"}': '40bd2df5',
    '{"documents":1}': 'b612a911',
    '{"documents":5}': '127079b2',
    '{"passage":"long"}': '2306e1c3',
    '{"wrong_answer":"retry"}': '1289879e',
    '{"hops":"single","documents":1}': '0a46395c',
    '{"hops":"two","documents":5,"passage":"long","wrong_answer":"retry"}': '8a871bf0',
  },
  optionSets: [
    { hops: 'single', documents: 1 },
    { hops: 'two', documents: 5, passage: 'long', wrong_answer: 'retry' },
  ],
  documented: [{ hops: 'single', documents: 1 }, { hops: 'two' }],
  // By default a wrong answer loses the task.
  recoversAfter: 0,
});
