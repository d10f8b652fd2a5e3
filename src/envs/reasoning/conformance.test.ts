import { type Expectations, testConformance } from '../testing/conformance.ts';
import { families } from './index.ts';

const known: Readonly<Record<string, Pick<Expectations, 'fingerprints' | 'optionSets'>>> = {
  'reasoning/chain-v1': {
    fingerprints: {
      '{}': '0e3d67e1',
      '{"prime":"23"}': 'fd1858e4',
      '{"steps":3}': '5b630462',
      '{"steps":8}': '6bede5a5',
      '{"hard":"off"}': 'e08467e7',
      '{"prime":"23","steps":8,"hard":"off"}': '1f36bed4',
    },
    optionSets: [{ prime: '23', steps: 8, hard: 'off' }],
  },
  'reasoning/ledger-v1': {
    fingerprints: {
      '{}': '86129a2f',
      '{"prime":"23"}': 'ddf1e24e',
      '{"steps":3}': '403c44fe',
      '{"steps":8}': '64168a2e',
      '{"hard":"off"}': '99282704',
    },
  },
  'reasoning/columns-v1': {
    fingerprints: { '{}': 'e1754a8d', '{"steps":3}': '787845da', '{"steps":8}': '0280b881' },
  },
};

for (const family of families) {
  testConformance(family, {
    reward: 'success',
    // One turn is all there is: a wrong answer is the end.
    recoversAfter: 0,
    ...(known[family.id] ?? { fingerprints: {} }),
  });
}
