import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { trialFlags } from './settings.ts';

it('formats the flags of a trial so that a shell passes its values unchanged', () => {
  const values = {
    preset: 'maze',
    'horizon.turns': [6, 13],
    'env.options.text': "it's here, or there",
    'env.mixture': [{ id: 'a, b' }],
  };
  const flags = trialFlags(values, 2);
  const words = execFileSync('sh', ['-c', `printf '%s\\n' ${flags}`], { encoding: 'utf8' });
  expect(words.trimEnd().split('\n')).toEqual([
    ...['--preset', 'maze', '--seed', '2', '--set', 'horizon.turns=6, 13'],
    ...['--set', "env.options.text=it's here, or there"],
    ...['--set', 'env.mixture=[{"id":"a, b"}]'],
  ]);
});
