import { afterAll, expect, it, vi } from 'vitest';
import { presetConfig } from '../../config/presets.ts';
import type { PageMessage } from '../../lab/protocol.ts';

// The page's stores and its connection to the worker belong to this test only.
vi.resetModules();
afterAll(() => vi.resetModules());

const entryOf = (id: string, preset: string) => ({
  ...{ id, preset, config: presetConfig(preset), name: id, iterations: 1 },
});

it('reopens the run of the history entry, and ends it when Back reaches a large run', async () => {
  const { RunStore } = await import('../../runs/run-store.ts');
  const entries = [entryOf('newest', 'maze'), entryOf('older', 'wordle')];
  const shown = { latest: null, success: null, failure: null, evaluation: null };
  const store = {
    list: async () => entries,
    read: async (id: string) => ({ entry: entries.find((one) => one.id === id), rows: [], shown }),
  };
  vi.spyOn(RunStore, 'open').mockResolvedValue(store as never);
  const sent: PageMessage[] = [];
  class LabWorker {
    postMessage = (message: PageMessage) => sent.push(message);
  }
  class SilentChannel {
    postMessage() {}
    close() {}
  }
  let goBack = () => {};
  const listen = (type: string, listener: () => void) => {
    if (type === 'popstate') goBack = listener;
  };
  vi.stubGlobal('Worker', LabWorker);
  vi.stubGlobal('BroadcastChannel', SilentChannel);
  vi.stubGlobal('addEventListener', listen);
  vi.stubGlobal('navigator', { gpu: {}, languages: ['en'], language: 'en' });
  vi.stubGlobal('localStorage', {});
  vi.stubGlobal('location', new URL('http://localhost/lab/?preset=wordle'));
  vi.stubGlobal('history', { state: { runId: 'older' }, replaceState: vi.fn() });
  const { openLab } = await import('./opening.ts');
  const { useLab } = await import('../shell/lab/store.ts');
  await openLab();
  expect(sent).toMatchObject([{ type: 'start', runId: 'older', paused: true }]);

  vi.stubGlobal('location', new URL('http://localhost/lab/?policy.width=1024&policy.layers=16'));
  vi.stubGlobal('history', { state: { runId: null }, replaceState: vi.fn() });
  goBack();
  await expect.poll(() => useLab.getState().status).toBe('asked');
  expect(sent.slice(1)).toEqual([{ type: 'stop', runId: 'older' }]);
  expect(useLab.getState()).toMatchObject({ runId: null, rows: [], preset: 'maze' });
});
