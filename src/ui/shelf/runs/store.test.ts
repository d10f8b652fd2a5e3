import 'fake-indexeddb/auto';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { presetConfig } from '../../../config/presets.ts';
import { encodeCheckpoint } from '../../../runs/checkpoint.ts';
import type { RunEntry, RunSnapshot } from '../../../runs/record.ts';
import { decodeRunFile } from '../../../runs/run-file.ts';
import { RunStore } from '../../../runs/run-store.ts';
import { checkpointOf } from '../../../runs/testing/checkpoints.ts';
import { type ShownRun, useOverlaidRuns } from '../../charts/overlaid-runs.ts';
import { download } from '../../shell/files/download.ts';
import { runStore } from '../../shell/lab/run-storage.ts';
import {
  countDown,
  deleteLater,
  exportRun,
  holdDeletions,
  overlayRuns,
  undoDelete,
  useRuns,
} from './store.ts';

vi.mock('../../shell/files/download.ts', () => ({ download: vi.fn() }));

beforeEach(() => {
  vi.stubGlobal('location', new URL('http://localhost/lab/'));
  vi.stubGlobal('history', { state: null, replaceState: () => {} });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
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

const config = presetConfig('maze');

/** A run after its next iteration. */
const snapshot = (id: string, iteration: number): RunSnapshot => ({
  entry: {
    ...{ id, name: 'A maze', preset: 'maze', config, created: 1, status: 'running' },
    ...{ adapter: 'test', pinned: false, tags: [], notes: '' },
  },
  rows: [{ iteration, metrics: {}, details: { updates: [], staleness: [] }, milliseconds: 5 }],
  iteration,
  checkpoint: encodeCheckpoint(
    checkpointOf(
      {
        ...{ config, vocabulary: ['<pad>', '<unk>'], bpe: null, iteration, turns: 5, tokens: 6 },
        weights: new Map([['w', { shape: [1], values: Float32Array.of(1) }]]),
      },
      {
        ...{ firstMoments: new Map(), secondMoments: new Map(), reference: null, device: null },
        ...{ optimizer: Float32Array.of(1), version: iteration },
      },
      {},
    ),
  ),
  episodes: { training: [], evaluation: [], numbers: 0 },
  shown: { latest: null, success: null, failure: null, evaluation: null },
});

/** The run in the file that was downloaded last. */
function exported() {
  expect(useRuns.getState().problem).toBeNull();
  const [bytes] = vi.mocked(download).mock.lastCall?.[0].parts ?? [];
  return decodeRunFile(bytes as Uint8Array);
}

it('exports a readable file of a run that is saved in between', async () => {
  const store = await runStore();
  let saved = 0;
  const saveNext = () => store.save(snapshot('a', ++saved));
  await saveNext();
  const [entry] = await store.list();
  // The worker saves the run after each access of the page.
  const { read, checkpoints } = RunStore.prototype;
  vi.spyOn(store, 'read').mockImplementation(async (id) => {
    const kept = await read.call(store, id);
    await saveNext();
    return kept;
  });
  vi.spyOn(store, 'checkpoints').mockImplementation(async (id) => {
    const kept = await checkpoints.call(store, id);
    await saveNext();
    return kept;
  });
  await exportRun(entry as RunEntry);
  expect(exported().iteration).toBe(1);
});

it('exports a setting that was changed after the checkpoint', async () => {
  const store = await runStore();
  await store.save(snapshot('b', 1));
  const changed = { ...config, changes: '2:horizon.turns=9' };
  await store.setStatus('b', 'paused', changed);
  const kept = await store.read('b');
  await exportRun(kept?.entry as RunEntry);
  expect(exported().entry.config).toEqual(changed);
});

it('reports a run that another tab deleted before the export', async () => {
  await exportRun(snapshot('gone', 1).entry as RunEntry);
  expect(useRuns.getState().problem).toBe('This run is no longer stored.');
});
