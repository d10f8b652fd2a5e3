import { testConformance } from '../testing/conformance.ts';
import { mazeFamily } from './environment.ts';
import { doubleT, doubleTPartial, generated } from './variants.ts';

testConformance(mazeFamily(doubleT), { reward: 'success', fingerprints: { '{}': '9fdd0091' } });

testConformance(mazeFamily(doubleTPartial), {
  reward: 'success',
  fingerprints: { '{}': '5dd1ca3b' },
});

testConformance(mazeFamily(generated), {
  reward: 'success',
  fingerprints: {
    '{}': '4ee43d6f',
    '{"size":5}': 'c1edbc48',
    '{"size":15}': '8703070c',
    '{"loops":100}': '6ef0447a',
    '{"size":5,"loops":100}': '52a7ab3b',
    '{"size":15,"loops":100}': 'b5ff8b33',
  },
  optionSets: [
    { size: 5, loops: 100 },
    { size: 15, loops: 100 },
  ],
});
