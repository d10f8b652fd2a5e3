import 'fake-indexeddb/auto';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type ShownRun, useOverlaidRuns } from '../../charts/overlaid-runs.ts';
import {
  countDown,
  deleteLater,
  holdDeletions,
  overlayRuns,
  undoDelete,
  useRuns,
} from './store.ts';

beforeEach(() => {
  vi.stubGlobal('location', new URL('http://localhost/lab/'));
  vi.stubGlobal('history', { state: null, replaceState: () => {} });
});
afterEach(() => {
  vi.useRealTimers();
  useOverlaidRuns.setState({ overlaid: [] });
});

it('deletes after a while, but neither while it is held nor what is undone', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const removed: string[] = [];
  const remove = async (id: string) => void removed.push(id);
  const wait = () => vi.advanceTimersByTimeAsync(60_000);
  deleteLater(['a', 'b'], { kind: 'log', remove });
  holdDeletions();
  await wait();
  expect(removed).toEqual([]);
  expect([...useRuns.getState().leaving.keys()]).toEqual(['a', 'b']);
  countDown();
  await wait();
  expect(removed).toEqual(['a', 'b']);
  expect(useRuns.getState().leaving.size).toBe(0);

  deleteLater(['c'], { kind: 'log', remove });
  undoDelete();
  await wait();
  expect(removed).toEqual(['a', 'b']);
});

it('keeps runs of sweeps on the charts when it overlays stored runs', async () => {
  const run = (id: string): ShownRun => ({
    ...{ id, name: id, seed: 1, configKey: id, rows: [], markers: [] },
  });
  useOverlaidRuns.setState({ overlaid: [run('stored'), run('sweep rates.json 1')] });
  await overlayRuns([]);
  expect(useOverlaidRuns.getState().overlaid.map(({ id }) => id)).toEqual(['sweep rates.json 1']);
});
