import { testConformance } from '../testing/conformance.ts';
import { bird } from './index.ts';

testConformance(bird, {
  reward: 'success',
  fingerprints: {
    '{}': '38448796',
    '{"rung":"one"}': '8d5bddb5',
    '{"rung":"two"}': '78932b83',
    '{"rung":"three"}': '08b56a73',
    '{"rung":"four"}': 'bee9c082',
    '{"turns":5}': '5bc5c7a4',
  },
  documented: [{ rung: 'one' }],
  // A wrong statement ends the task.
  recoversAfter: 0,
});
