import { testConformance } from '../testing/conformance.ts';
import { families } from './index.ts';
import { webshopId } from './options.ts';

const known: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'pages/webshop-v1': {
    '{}': 'be9c4f4f',
    '{"rung":"one"}': 'ae46a986',
    '{"rung":"two"}': 'a9df21e8',
    '{"rung":"three"}': '98045d34',
    '{"rung":"four"}': 'c746a26e',
  },
  'pages/webarena-v1': {
    '{}': '02fdb98e',
    '{"rung":"one"}': '9bedd2a1',
    '{"rung":"two"}': '1bf55c64',
    '{"rung":"three"}': '5c217765',
    '{"rung":"four"}': 'ab0893ff',
  },
};

for (const family of families) {
  testConformance(family, {
    reward: family.id === webshopId ? 'shaped' : 'success',
    fingerprints: known[family.id] ?? {},
    documented: [{ rung: 'one' }],
    // Buying something else, or stopping, ends the task.
    recoversAfter: 0,
  });
}
