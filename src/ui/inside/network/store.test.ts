import { expect, it, vi } from 'vitest';
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
