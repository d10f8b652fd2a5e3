import { testConformance } from '../testing/conformance.ts';
import { families } from './index.ts';

for (const family of families) {
  testConformance(family, {
    reward: 'success',
    // An episode has one turn, so a wrong answer ends it.
    recoversAfter: 0,
    // Same as for reasoning/chain-v1.
    fingerprints: {
      '{}': '1b56e835',
      '{"prime":"23"}': '28e688ce',
      '{"steps":3}': '7be8a399',
      '{"steps":8}': '7f1f1153',
      '{"hard":"off"}': 'e08467e7',
    },
  });
}
