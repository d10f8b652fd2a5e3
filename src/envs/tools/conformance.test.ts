import { testConformance } from '../testing/conformance.ts';
import { families } from './index.ts';

const known: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'tools/todo-v1': {
    '{}': 'd78653e1',
    '{"rung":"one"}': '0af2e29b',
    '{"rung":"two"}': 'd7c1f08d',
    '{"rung":"three"}': 'c369feff',
    '{"rung":"four"}': '858c85fc',
  },
  'tools/weather-v1': {
    '{}': '81db9f8d',
    '{"rung":"one"}': '9984e673',
    '{"rung":"two"}': 'd330090f',
    '{"rung":"three"}': '080cd875',
    '{"rung":"four"}': '95a13314',
  },
  'tools/movie-v1': {
    '{}': '42f46b13',
    '{"rung":"one"}': 'aa4a8a7a',
    '{"rung":"two"}': 'f1707555',
    '{"rung":"three"}': '0e43e35d',
    '{"rung":"four"}': '6dcc0850',
  },
  'tools/academia-v1': {
    '{}': '38f840e3',
    '{"rung":"one"}': '6a88f60f',
    '{"rung":"two"}': '248a6505',
    '{"rung":"three"}': 'f974e8aa',
    '{"rung":"four"}': '1a1bf3cf',
  },
  'tools/sheet-v1': {
    '{}': '4c184e9a',
    '{"rung":"one"}': '5b350aec',
    '{"rung":"two"}': 'e0ca7270',
    '{"rung":"three"}': 'cbe0dec7',
    '{"rung":"four"}': 'e9c254b0',
  },
};

for (const family of families) {
  testConformance(family, {
    reward: 'success',
    fingerprints: known[family.id] ?? {},
    documented: [{ rung: 'one' }],
    // A wrong answer ends the task.
    recoversAfter: 0,
  });
}
