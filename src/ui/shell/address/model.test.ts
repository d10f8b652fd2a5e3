import { expect, it } from 'vitest';
import type { KeptBase } from '../../../runs/checkpoint.ts';
import { withModel } from './address.ts';
import { readModel } from './model.ts';

const base: KeptBase = {
  name: 'Smol~LM & 2/135M',
  digest: '0123456789abcdef'.repeat(4),
  adapter: { rank: 8, alpha: 16, targets: ['q_proj', 'v_proj'], base: 'int4' },
};

const modelOf = (address: string) => new URLSearchParams(address).get('model') ?? '';

it('writes a pretrained model into an address and reads it back', () => {
  const address = withModel('?preset=wordle', base);
  expect(address).toContain('?preset=wordle&model=');
  expect(readModel(modelOf(address))).toEqual(base);
  expect(withModel('?preset=wordle', null)).toBe('?preset=wordle');
});

it.each([
  ['nothing', ''],
  ['a name alone', 'SmolLM2'],
  ['a short digest', '123~8~16~f16~q_proj~a'],
  ['no name', `${base.digest}~8~16~f16~q_proj~`],
  ['a rank that is no number', `${base.digest}~x~16~f16~q_proj~a`],
])('rejects %s', (_, value) => {
  expect(readModel(value)).toBeNull();
});
