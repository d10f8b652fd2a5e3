import { expect, it } from 'vitest';
import { presetConfig } from '../../../config/presets.ts';
import { beginRun } from '../../shell/lab/store.ts';
import { criticize, useCritic } from './critic-store.ts';

it('drops the answer to critique when another run starts', () => {
  const config = presetConfig('critique-rl');
  beginRun('first', config, 'critique-rl');
  criticize({ environment: config.env, task: 'task', answer: 'answer' });
  beginRun('second', config, 'critique-rl');
  expect(useCritic.getState().about).toBeNull();
});
