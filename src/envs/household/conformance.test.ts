import { testConformance } from '../testing/conformance.ts';
import { families } from './index.ts';
import { alfworldId } from './options.ts';

const known: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'household/alfworld-v1': {
    '{}': '47812a50',
    '{"rung":"one"}': 'b0285cdc',
    '{"rung":"two"}': 'f4c8c71a',
    '{"rung":"three"}': '5899dc38',
    '{"rung":"four"}': '92a1726c',
    '{"actions":"listed"}': '48ca3e4c',
  },
  'household/sciworld-v1': {
    '{}': '9d0c7158',
    '{"rung":"one"}': 'ec338cb8',
    '{"rung":"two"}': '282efcf7',
    '{"rung":"three"}': '424054f3',
    '{"rung":"four"}': '2ce58b4c',
    '{"failure":"forfeits"}': '9d0c7158',
  },
};

for (const family of families) {
  const isAlfworld = family.id === alfworldId;
  testConformance(family, {
    reward: isAlfworld ? 'success' : 'shaped',
    fingerprints: known[family.id] ?? {},
    documented: [{ rung: 'one' }],
    // ALFWorld's longest tasks take 24 of 50 turns, and more after things have been moved around; in
    // SciWorld, focusing on the wrong thing fails the task.
    recoversAfter: isAlfworld ? 0.4 : 0,
  });
}
