import { families as strictFamilies } from '../strict-reasoning/index.ts';
import { type Expectations, testConformance } from '../testing/conformance.ts';
import { families } from './index.ts';

const chain: Pick<Expectations, 'fingerprints' | 'optionSets'> = {
  fingerprints: {
    '{}': '1b56e835',
    '{"prime":"23"}': '28e688ce',
    '{"steps":3}': '7be8a399',
    '{"steps":8}': '7f1f1153',
    '{"hard":"off"}': 'e08467e7',
    '{"prime":"23","steps":8,"hard":"off"}': '1f36bed4',
  },
  optionSets: [{ prime: '23', steps: 8, hard: 'off' }],
};

const known: Readonly<Record<string, Pick<Expectations, 'fingerprints' | 'optionSets'>>> = {
  'reasoning/chain-v1': chain,
  // It differs from the chain only in how critiques are followed.
  'reasoning/strict-chain-v1': chain,
  'reasoning/ledger-v1': {
    fingerprints: {
      '{}': '8a20aaef',
      '{"prime":"23"}': '2926ef31',
      '{"steps":3}': '72fdfdd8',
      '{"steps":8}': 'e5fba321',
      '{"hard":"off"}': '99282704',
    },
  },
  'reasoning/columns-v1': {
    fingerprints: { '{}': 'e1754a8d', '{"steps":3}': '787845da', '{"steps":8}': '0280b881' },
  },
};

for (const family of [...families, ...strictFamilies]) {
  testConformance(family, {
    reward: 'success',
    // An episode has one turn, so a wrong answer ends it.
    recoversAfter: 0,
    ...(known[family.id] ?? { fingerprints: {} }),
  });
}
