import { testConformance } from '../testing/conformance.ts';
import { mazeFamily } from './environment.ts';
import { doubleT, doubleTPartial, generated, generatedFirst } from './variants.ts';

testConformance(mazeFamily(doubleT), { reward: 'success', fingerprints: { '{}': '9fdd0091' } });

testConformance(mazeFamily(doubleTPartial), {
  reward: 'success',
  fingerprints: { '{}': '5dd1ca3b' },
});

const corners = [
  { size: 5, loops: 100 },
  { size: 15, loops: 100 },
];

testConformance(mazeFamily(generated), {
  reward: 'success',
  fingerprints: {
    '{}': 'fdfc60f7',
    '{"size":5}': '789b6df4',
    '{"size":15}': '45472917',
    '{"loops":100}': '6ef0447a',
    '{"size":5,"loops":100}': '52a7ab3b',
    '{"size":15,"loops":100}': 'b5ff8b33',
    '{"size":7,"loops":75}': '9d6c5d83',
  },
  optionSets: corners,
  documented: [{ size: 7, loops: 75 }, { loops: 100 }],
});

testConformance(mazeFamily(generatedFirst), {
  reward: 'success',
  fingerprints: {
    '{}': '4ee43d6f',
    '{"size":5}': 'c1edbc48',
    '{"size":15}': '8703070c',
    '{"loops":100}': '6ef0447a',
    '{"size":5,"loops":100}': '52a7ab3b',
    '{"size":15,"loops":100}': 'b5ff8b33',
    '{"size":7,"loops":75}': '1861157b',
  },
  optionSets: corners,
  documented: [{ size: 7, loops: 75 }],
});
