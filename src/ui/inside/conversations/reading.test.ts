import { expect, it } from 'vitest';
import { placeOfTask } from '../../shell/episode/environments.ts';
import { criticizableOf, see } from './reading.ts';

const part = { options: {}, share: 1, imitation_weight: 1 };
const mixture = {
  ...{ id: 'maze/generated-v2', options: {} },
  mixture: [
    { id: 'reasoning/chain-v1', ...part },
    { id: 'reasoning/ledger-v1', ...part },
  ],
};

it('reads conversations of a mixture', () => {
  const world = criticizableOf(mixture);
  const task = world?.evalTasks.at(-1) ?? '';
  const place = placeOfTask(mixture, task);
  const own = criticizableOf({ ...place.environment, mixture: [] });
  expect(place.environment.id).toBe('reasoning/ledger-v1');
  expect(own?.evalTasks).toContain(place.task);
  const said = { answer: 'answer 1', critique: 'wrong', refinement: 'answer 2' };
  expect(world && see(world, { ...said, task })).toEqual(
    own && see(own, { ...said, task: place.task }),
  );
});

it('refuses a mixture with an environment whose answers cannot be critiqued', () => {
  expect(
    criticizableOf({
      ...mixture,
      mixture: [...mixture.mixture, { id: 'maze/generated-v2', ...part }],
    }),
  ).toBe(null);
});
