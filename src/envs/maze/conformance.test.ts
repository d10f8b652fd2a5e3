import { testConformance } from '../testing/conformance.ts';
import { mazeFamily } from './environment.ts';
import { doubleT, doubleTPartial, generated } from './variants.ts';

// maze/double-t-v1
testConformance(mazeFamily(doubleT), { reward: 'success', fingerprints: { '{}': '' } });

// maze/double-t-partial-v1
testConformance(mazeFamily(doubleTPartial), { reward: 'success', fingerprints: { '{}': '' } });

// maze/generated-v1
testConformance(mazeFamily(generated), {
  reward: 'success',
  fingerprints: {
    '{}': '',
    '{"size":5}': '',
    '{"size":15}': '',
    '{"loops":100}': '',
    '{"size":5,"loops":100}': '',
    '{"size":15,"loops":100}': '',
  },
  optionSets: [
    { size: 5, loops: 100 },
    { size: 15, loops: 100 },
  ],
});
