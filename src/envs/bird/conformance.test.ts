import { testConformance } from '../testing/conformance.ts';
import { bird } from './index.ts';

testConformance(bird, {
  reward: 'success',
  fingerprints: {
    '{}': '3c5f1996',
    '{"rung":"one"}': 'afa0cdb1',
    '{"rung":"two"}': '78932b83',
    '{"rung":"three"}': 'bd315c2a',
    '{"rung":"four"}': '255c5ce5',
    '{"turns":5}': 'c53214c6',
  },
  documented: [{ rung: 'one' }],
  // A wrong statement ends the task.
  recoversAfter: 0,
});
