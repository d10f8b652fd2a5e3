import { byTier } from '../../../scripts/tier.mjs';
import { type ConformanceSizes, testConformance } from '../testing/conformance.ts';
import type { EnvironmentOptions } from '../types.ts';
import { babyaiFamilies } from './index.ts';

/** Fingerprints of every level by options. */
const fingerprints: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'babyai/goto-red-ball-v1': {
    '{}': '80a3b0aa',
    '{"room_size":5}': '734ff81a',
    '{"room_size":9}': '71419fbf',
    '{"distractors":0}': '961549b2',
    '{"distractors":12}': '35bd25f2',
    '{"goal":"always"}': '0c58cdd6',
    '{"actions":"hidden"}': 'b96d7fb2',
    '{"room_size":5,"distractors":0,"goal":"always","actions":"hidden"}': '757cb604',
    '{"room_size":9,"distractors":12,"actions":"hidden"}': 'bc7a9890',
  },
  'babyai/goto-obj-v1': {
    '{}': 'f6dc4c0d',
    '{"room_size":5}': '1bf64410',
    '{"room_size":9}': 'f7e7296f',
    '{"distractors":12}': '66e90c63',
    '{"goal":"always"}': 'b93c47b3',
    '{"actions":"hidden"}': '87d13098',
    '{"room_size":5,"distractors":0,"goal":"always","actions":"hidden"}': '5a75d538',
    '{"room_size":9,"distractors":12,"actions":"hidden"}': '09793d9f',
  },
  'babyai/goto-local-v1': {
    '{}': '1fa2aed9',
    '{"room_size":5}': '54d2b3aa',
    '{"room_size":9}': 'dbf961c0',
    '{"distractors":0}': 'f6dc4c0d',
    '{"distractors":12}': '66e90c63',
    '{"goal":"always"}': '29fdb231',
    '{"actions":"hidden"}': '2a5d8be2',
    '{"room_size":5,"distractors":0,"goal":"always","actions":"hidden"}': '5a75d538',
    '{"room_size":9,"distractors":12,"actions":"hidden"}': '09793d9f',
  },
  'babyai/goto-door-v1': {
    '{}': '89fb73d2',
    '{"room_size":5}': '2c54f8d2',
    '{"room_size":9}': '6216e299',
    '{"distractors":24}': 'df5ae489',
    '{"goal":"always"}': '6cccbf65',
    '{"actions":"hidden"}': '89ec0e8f',
    '{"room_size":5,"distractors":0,"goal":"always","actions":"hidden"}': '5623bedc',
    '{"room_size":9,"distractors":12,"actions":"hidden"}': 'bf85093c',
  },
  'babyai/pickup-loc-v1': {
    '{}': '22f101be',
    '{"room_size":5}': '621238ea',
    '{"room_size":9}': '828f556a',
    '{"distractors":0}': '1fe9733a',
    '{"distractors":12}': '03358de0',
    '{"goal":"always"}': '56386b23',
    '{"actions":"hidden"}': '55359a85',
    '{"room_size":5,"distractors":0,"goal":"always","actions":"hidden"}': '4faeec65',
    '{"room_size":9,"distractors":12,"actions":"hidden"}': 'aebbe3be',
  },
  'babyai/open-v1': {
    '{}': '135ee892',
    '{"room_size":5}': '91294a40',
    '{"room_size":9}': '856de161',
    '{"distractors":0}': '934c8933',
    '{"distractors":24}': '164d935c',
    '{"goal":"always"}': '4944ea19',
    '{"actions":"hidden"}': '10392858',
    '{"room_size":5,"distractors":0,"goal":"always","actions":"hidden"}': 'dc5af953',
    '{"room_size":9,"distractors":12,"actions":"hidden"}': '99dbb058',
  },
  'babyai/unlock-local-v1': {
    '{}': 'c35dd7c3',
    '{"room_size":5}': '910a083a',
    '{"room_size":9}': '2a038051',
    '{"distractors":24}': '69044460',
    '{"goal":"always"}': 'a6bcc741',
    '{"actions":"hidden"}': 'eb91efa2',
    '{"room_size":5,"distractors":0,"goal":"always","actions":"hidden"}': 'bceca5ba',
    '{"room_size":9,"distractors":12,"actions":"hidden"}': '932a5e0f',
  },
  'babyai/put-next-local-v1': {
    '{}': 'ffca69ee',
    '{"room_size":5}': '657e1c0b',
    '{"room_size":9}': '99f3f697',
    '{"distractors":0}': '31cea783',
    '{"distractors":12}': '69525461',
    '{"goal":"always"}': 'c4dda9e8',
    '{"actions":"hidden"}': '63e5f77c',
    '{"room_size":5,"distractors":0,"goal":"always","actions":"hidden"}': 'c856ccbf',
    '{"room_size":9,"distractors":12,"actions":"hidden"}': '8164badf',
  },
  'babyai/goto-v1': {
    '{}': '7d8da9a9',
    '{"room_size":5}': '2a5ac566',
    '{"room_size":9}': '2e4af736',
    '{"distractors":0}': 'b4fa76da',
    '{"distractors":24}': '19c17739',
    '{"goal":"always"}': '98697bdb',
    '{"actions":"hidden"}': '7178ba99',
    '{"room_size":5,"distractors":0,"goal":"always","actions":"hidden"}': '0ceb0d4e',
    '{"room_size":9,"distractors":12,"actions":"hidden"}': 'c3a4d8bb',
  },
  'babyai/goto-seq-v1': {
    '{}': 'f7446121',
    '{"room_size":5}': '30609467',
    '{"room_size":9}': '4a8d74c3',
    '{"distractors":0}': 'bcb72f6d',
    '{"distractors":24}': 'bfc44c24',
    '{"goal":"always"}': 'd700677e',
    '{"actions":"hidden"}': '78735f13',
    '{"room_size":5,"distractors":0,"goal":"always","actions":"hidden"}': '8b783d4d',
    '{"room_size":9,"distractors":12,"actions":"hidden"}': '76c4d3c4',
  },
  'babyai/synth-v1': {
    '{}': 'e5fa4ca7',
    '{"room_size":5}': '7d0c8ec4',
    '{"room_size":9}': '8a3c60f1',
    '{"distractors":0}': 'd2ac26a5',
    '{"distractors":24}': '0107c45d',
    '{"goal":"always"}': '719ae2c7',
    '{"actions":"hidden"}': 'd379ce5b',
    '{"room_size":5,"distractors":0,"goal":"always","actions":"hidden"}': '4ab3eb98',
    '{"room_size":9,"distractors":12,"actions":"hidden"}': '5b53968d',
  },
  'babyai/boss-level-v1': {
    '{}': '35b557af',
    '{"room_size":5}': 'd20e5917',
    '{"room_size":9}': 'cdc92bcb',
    '{"distractors":0}': 'f8e43b6e',
    '{"distractors":24}': '6a403fdd',
    '{"goal":"always"}': 'f5846255',
    '{"actions":"hidden"}': '83a58ffb',
    '{"room_size":5,"distractors":0,"goal":"always","actions":"hidden"}': 'b04bf76f',
    '{"room_size":9,"distractors":12,"actions":"hidden"}': 'f65aae30',
  },
};

/** The options of the easiest task set, and the largest and fullest rooms with the shortest texts. */
const optionSets: readonly EnvironmentOptions[] = [
  { room_size: 5, distractors: 0, goal: 'always', actions: 'hidden' },
  { room_size: 9, distractors: 12, actions: 'hidden' },
];

/** Twelve levels at full size would take minutes, because every task is a search for a solvable layout. */
const SIZES: ConformanceSizes = byTier(
  { tasks: 5, episodes: 2, actions: 100, table: false },
  { tasks: 30, episodes: 10, actions: 500, table: false },
  { tasks: 120, episodes: 30, actions: 1500, table: true },
);

for (const family of babyaiFamilies) {
  testConformance(
    family,
    { reward: 'shaped', fingerprints: fingerprints[family.id] ?? {}, optionSets },
    SIZES,
  );
}
