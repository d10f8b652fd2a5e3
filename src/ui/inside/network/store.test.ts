import { expect, it, vi } from 'vitest';
import { presetConfig } from '../../../config/presets.ts';
import { QuestionRefusedError } from '../../shell/lab/questions.ts';
import type { OpenedNetwork } from './opened.ts';
import { situationsOf } from './situations.ts';
import { change, follow, useNetwork } from './store.ts';

it('clears the selection if the texts have changed since the panel was closed', async () => {
  // Workers that never answer.
  vi.stubGlobal('location', new URL('http://127.0.0.1/'));
  vi.stubGlobal(
    'Worker',
    class {
      postMessage = () => {};
      terminate = () => {};
    },
  );
  const situation = { turns: [], observation: 'an earlier text' };
  const selected = { chosen: 15, token: 2, swaps: [{ position: 2, text: 'up' }] };
  useNetwork.setState({ situations: [{ title: 'Earlier', situation, actions: [] }], ...selected });
  const reopen = async () => {
    const before = useNetwork.getState().situations;
    const close = follow();
    await expect.poll(() => useNetwork.getState().situations).not.toBe(before);
    close();
  };
  await reopen();
  expect(useNetwork.getState()).toMatchObject({ chosen: 0, token: null, swaps: [] });
  change(selected);
  await reopen();
  expect(useNetwork.getState()).toMatchObject(selected);
});

it('names positions only if all tasks share one layout', async () => {
  const titles = async (id: string) => {
    const situations = await situationsOf({ ...presetConfig('maze').env, id, options: {} }, null);
    return situations.slice(0, 2).map(({ title }) => title);
  };
  expect((await titles('maze/double-t-v1'))[0]).toMatch(/^Row \d+, column \d+$/);
  expect(new Set(await titles('maze/generated-v2')).size).toBe(2);
  expect((await titles('maze/generated-v2'))[0]).toMatch(/^Task: /);
});

it('ignores the refusal of a question that was pending when the panel was closed', async () => {
  let refuse = () => {};
  const read = vi.fn(
    () =>
      new Promise<never>((_, reject) => {
        refuse = () => reject(new QuestionRefusedError('The network has been closed.'));
      }),
  );
  const agent = { config: presetConfig('maze') };
  useNetwork.setState({ opened: { agent, worker: { read } } as unknown as OpenedNetwork });
  const close = follow();
  await expect.poll(() => read.mock.calls.length).toBe(1);
  close();
  change({});
  refuse();
  await new Promise((resolve) => setTimeout(resolve));
  expect(useNetwork.getState().problem).toBeNull();
  expect(read).toHaveBeenCalledTimes(1);
});
