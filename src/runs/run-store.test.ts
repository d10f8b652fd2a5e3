import type { Row } from './row.ts';
import 'fake-indexeddb/auto';
import { IDBFactory } from 'fake-indexeddb';
import { openDB } from 'idb';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { defaultConfig } from '../config/check.ts';
import { presetConfig } from '../config/presets.ts';
import { placeName } from './place.ts';
import type { RunSnapshot } from './record.ts';
import { DATABASE_VERSION, RunStore, SHARED_DATABASE } from './run-store.ts';

const place = placeName('https://host.example/a/?seed=1');
const config = presetConfig('maze');
const row = (iteration: number): Row => ({
  iteration,
  metrics: { iteration, 'rollout/success_rate': iteration / 100 },
  details: { updates: [], staleness: [[0, iteration]] },
  milliseconds: 5,
});
const rows = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => row(from + i));

function snapshot(id: string, from: number, to: number): RunSnapshot {
  return {
    entry: {
      id,
      name: `Run ${id}`,
      preset: 'maze',
      config,
      created: 1,
      status: 'running',
      adapter: 'test',
      pinned: false,
      tags: [],
      notes: '',
    },
    rows: rows(from, to),
    iteration: to,
    checkpoint: Uint8Array.of(to),
    episodes: { training: [], evaluation: [], numbers: to },
    shown: { latest: null, success: null, failure: null, evaluation: null },
  };
}

const iterations = async (store: RunStore, id: string) =>
  (await store.read(id))?.rows.map(({ iteration }) => iteration);

describe('RunStore', () => {
  beforeEach(() => {
    globalThis.indexedDB = new IDBFactory();
  });

  it('restores all rows and the two newest checkpoints', async () => {
    const store = await RunStore.open(place);
    await store.save(snapshot('a', 1, 3));
    await store.save(snapshot('a', 4, 4));
    await store.save(snapshot('b', 1, 2));
    await store.save(snapshot('a', 5, 9));
    await store.close();
    const again = await RunStore.open(place);
    expect((await again.list()).map(({ id }) => id)).toEqual(['a', 'b']);
    const kept = await again.read('a');
    expect(kept?.rows).toEqual(rows(1, 9));
    expect(kept?.entry).toMatchObject({ iterations: 9, success: 0.09, status: 'running' });
    expect(await again.checkpoints('a')).toEqual([
      {
        iteration: 9,
        bytes: Uint8Array.of(9),
        episodes: { training: [], evaluation: [], numbers: 9 },
      },
      {
        iteration: 4,
        bytes: Uint8Array.of(4),
        episodes: { training: [], evaluation: [], numbers: 0 },
      },
    ]);
    expect(await again.read('c')).toBeNull();
  });

  it('keeps name, tags and notes while training continues', async () => {
    const store = await RunStore.open(place);
    await store.save(snapshot('a', 1, 1));
    await store.label('a', { name: 'Mine', pinned: true, tags: ['x'], notes: 'why' });
    await store.save(snapshot('a', 2, 2));
    expect((await store.read('a'))?.entry).toMatchObject({
      name: 'Mine',
      pinned: true,
      tags: ['x'],
      notes: 'why',
      iterations: 2,
    });
  });

  it('updates the status alone or together with the config', async () => {
    const store = await RunStore.open(place);
    await store.save(snapshot('a', 1, 2));
    await store.setStatus('a', 'paused');
    expect((await store.read('a'))?.entry).toMatchObject({ status: 'paused', config });
    const changed = { ...config, changes: '3:horizon.turns=9' };
    await store.setStatus('a', 'stopped', changed);
    expect((await store.read('a'))?.entry).toMatchObject({
      ...{ status: 'stopped', config: changed, iterations: 2 },
    });
  });

  it('returns to a checkpoint and continues from it', async () => {
    const store = await RunStore.open(place);
    await store.save(snapshot('a', 1, 3));
    await store.save(snapshot('a', 4, 6));
    await store.rewind('a', 3);
    expect(await iterations(store, 'a')).toEqual([1, 2, 3]);
    expect((await store.checkpoints('a')).map(({ iteration }) => iteration)).toEqual([3]);
    await store.save(snapshot('a', 4, 5));
    expect(await iterations(store, 'a')).toEqual([1, 2, 3, 4, 5]);
  });

  it('fills in the default of a setting that is newer than the run', async () => {
    const store = await RunStore.open(place);
    const { entropy_coef: _, ...algorithm } = config.algorithm;
    const { algorithm: before, ...rest } = config;
    const older = { ...rest, algorithm: { ...algorithm, clip_high: before.clip_high + 0.25 } };
    const { entry, ...written } = snapshot('a', 1, 2);
    await store.save({ ...written, entry: { ...entry, config: older as typeof config } });
    const byDefault = defaultConfig().algorithm.entropy_coef;
    for (const kept of [(await store.read('a'))?.entry, (await store.list())[0]]) {
      expect(kept?.config.algorithm).toEqual({
        ...older.algorithm,
        entropy_coef: byDefault,
      });
    }
  });

  it('lists and reads runs of another version with a note on unsupported settings', async () => {
    const store = await RunStore.open(place);
    const written = snapshot('b', 1, 2);
    const strange = {
      ...written.entry.config,
      env: { id: 'maze/generated-v1', options: { size: 99, doors: 3 }, mixture: [] },
      policy: { ...written.entry.config.policy, layers: 40, experts: 8 },
      dreams: { deep: [[['nested']]] },
    };
    const entry = { ...written.entry, preset: 'labyrinth', config: strange as typeof config };
    await store.save(snapshot('a', 1, 2));
    await store.save({ ...written, entry });
    const unreadable = snapshot('c', 1, 2);
    await store.save({
      ...unreadable,
      entry: { ...unreadable.entry, config: 'none' as unknown as typeof config },
    });
    const listed = await store.list();
    expect(listed.map(({ id }) => id).sort()).toEqual(['a', 'b', 'c']);
    const found = listed.find(({ id }) => id === 'b');
    expect((await store.read('b'))?.entry).toEqual(found);
    expect(found?.preset).toBe('maze');
    expect(found?.config).toEqual({
      ...config,
      env: { id: 'maze/generated-v1', options: { size: 15 }, mixture: [] },
      policy: { ...config.policy, layers: 16 },
    });
    expect(found?.replaced).toEqual([
      'Unknown preset “labyrinth” in this stored run; maze is used.',
      'env.options.size was 99 in this stored run; the maximum is 15, so 15 is used.',
      '“env.options.doors” is not a setting, so it is ignored.',
      'policy.layers was 40 in this stored run; the maximum is 16, so 16 is used.',
      '“policy.experts” is not a setting, so it is ignored.',
      '“dreams.deep” is not a setting, so it is ignored.',
    ]);
    expect(listed.find(({ id }) => id === 'a')).not.toHaveProperty('replaced');
    expect(listed.find(({ id }) => id === 'c')?.replaced).toHaveLength(1);
    // The stored data stays unchanged for the version that can read it.
    await store.label('b', { name: 'Old' });
    const raw = await (await openDB(place)).get('runs', 'b');
    expect(raw).toMatchObject({ name: 'Old', preset: 'labyrinth', config: strange });
    expect(raw).not.toHaveProperty('replaced');
    store.close();
  });

  it('deletes a run with all its data, and nothing else', async () => {
    const store = await RunStore.open(place);
    await store.save(snapshot('a', 1, 2));
    await store.save(snapshot('b', 1, 2));
    await store.remove('a');
    expect(await store.read('a')).toBeNull();
    expect(await store.checkpoints('a')).toEqual([]);
    expect(await iterations(store, 'b')).toEqual([1, 2]);
  });

  it('saves no part of a snapshot if a write fails midway', async () => {
    const store = await RunStore.open(place);
    await store.save(snapshot('a', 1, 3));
    // A snapshot's entry is written last; this one cannot be cloned, so its write fails.
    const broken = snapshot('a', 4, 6);
    const entry = { ...broken.entry, adapter: (() => '') as unknown as string };
    await expect(store.save({ ...broken, entry })).rejects.toThrow(/could not be saved/);
    expect(await iterations(store, 'a')).toEqual([1, 2, 3]);
    expect((await store.checkpoints('a')).map(({ iteration }) => iteration)).toEqual([3]);
  });

  it('rejects outdated snapshots from another tab that trains the same run', async () => {
    const [one, other] = [await RunStore.open(place), await RunStore.open(place)];
    await one.save(snapshot('a', 1, 2));
    await one.save(snapshot('a', 3, 5));
    for (const late of [snapshot('a', 3, 4), snapshot('a', 3, 9), snapshot('a', 9, 9)]) {
      await expect(other.save(late)).rejects.toMatchObject({ state: 'elsewhere' });
    }
    expect(await iterations(other, 'a')).toEqual([1, 2, 3, 4, 5]);
    expect((await other.checkpoints('a')).map(({ iteration }) => iteration)).toEqual([5, 2]);
    // A tab that resumes from the stored data may write.
    await other.save(snapshot('a', 6, 6));
    expect(await iterations(one, 'a')).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('does not recreate a run that another tab has deleted', async () => {
    const [one, other] = [await RunStore.open(place), await RunStore.open(place)];
    await one.save(snapshot('a', 1, 2));
    await other.remove('a');
    await expect(one.save(snapshot('a', 3, 4))).rejects.toMatchObject({
      state: 'failed',
      message: expect.stringContaining('This run was deleted'),
    });
    expect(await one.read('a')).toBeNull();
    // The same holds for a run that this tab has only opened.
    await one.save(snapshot('b', 1, 2));
    await other.checkpoints('b');
    await one.remove('b');
    await expect(other.save(snapshot('b', 3, 4))).rejects.toThrow('This run was deleted');
    expect(await other.list()).toEqual([]);
    // A run that this tab deleted may be stored again as a whole.
    await one.save(snapshot('b', 1, 4));
    expect(await iterations(other, 'b')).toEqual([1, 2, 3, 4]);
  });

  it('reports that storage is full', async () => {
    const store = await RunStore.open(place);
    const full = vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(() => {
      throw new DOMException('over quota', 'QuotaExceededError');
    });
    await expect(store.save(snapshot('a', 1, 1))).rejects.toMatchObject({
      name: 'StorageError',
      state: 'full',
    });
    full.mockRestore();
    await store.save(snapshot('a', 1, 1));
    expect(await iterations(store, 'a')).toEqual([1]);
  });

  it('reports that storage is unavailable', async () => {
    vi.spyOn(globalThis.indexedDB, 'open').mockImplementation(() => {
      throw new DOMException('denied', 'SecurityError');
    });
    await expect(RunStore.open(place)).rejects.toMatchObject({
      name: 'StorageError',
      state: 'off',
    });
  });

  it('migrates a database of version 1', async () => {
    const old = await openDB(SHARED_DATABASE, 1, {
      upgrade(database) {
        database.createObjectStore('runs', { keyPath: 'id' });
        database.createObjectStore('rows', { keyPath: ['runId', 'first'] });
        database.createObjectStore('checkpoints', { keyPath: ['runId', 'iteration'] });
      },
    });
    const { pinned: _, tags: __, notes: ___, ...entry } = snapshot('a', 1, 2).entry;
    await old.put('runs', { ...entry, updated: 1, iterations: 2, success: null });
    await old.put('rows', { runId: 'a', first: 1, rows: rows(1, 2) });
    await old.put('checkpoints', { runId: 'a', iteration: 2, bytes: Uint8Array.of(2) });
    old.close();
    const store = await RunStore.open(place);
    expect(await store.read('a')).toMatchObject({
      entry: { name: 'Run a', pinned: false, tags: [], notes: '', iterations: 2 },
      rows: rows(1, 2),
    });
    expect(await store.checkpoints('a')).toMatchObject([{ iteration: 2 }]);
    await store.save(snapshot('a', 3, 3));
    expect(await iterations(store, 'a')).toEqual([1, 2, 3]);
  });

  it('contains only runs of its deployment path', async () => {
    expect(place).toBe('palestra /a/');
    const [here, there] = [await RunStore.open(place), await RunStore.open('palestra /b/')];
    await here.save(snapshot('a', 1, 2));
    await there.save(snapshot('b', 1, 2));
    expect((await here.list()).map(({ id }) => id)).toEqual(['a']);
    expect((await there.list()).map(({ id }) => id)).toEqual(['b']);
  });

  it('copies the runs of the old shared database to the store of each deployment path, once', async () => {
    const old = await openDB(SHARED_DATABASE, 2, {
      upgrade(database) {
        database.createObjectStore('runs', { keyPath: 'id' });
        database.createObjectStore('rows', { keyPath: ['runId', 'first'] });
        database.createObjectStore('checkpoints', { keyPath: ['runId', 'iteration'] });
        database.createObjectStore('episodes', { keyPath: 'runId' });
      },
    });
    const { entry, episodes, shown } = snapshot('a', 1, 2);
    await old.put('runs', { ...entry, updated: 1, iterations: 2, success: null });
    await old.put('rows', { runId: 'a', first: 1, rows: rows(1, 2) });
    await old.put('checkpoints', { runId: 'a', iteration: 2, bytes: Uint8Array.of(2) });
    await old.put('episodes', { runId: 'a', episodes, shown });
    old.close();
    for (const name of [place, 'palestra /b/']) {
      const store = await RunStore.open(name);
      expect(await iterations(store, 'a')).toEqual([1, 2]);
      expect(await store.checkpoints('a')).toMatchObject([{ iteration: 2, episodes }]);
    }
    const store = await RunStore.open(place);
    await store.remove('a');
    await store.close();
    expect(await (await RunStore.open(place)).list()).toEqual([]);
    expect(await iterations(await RunStore.open('palestra /b/'), 'a')).toEqual([1, 2]);
  });

  it('creates no shared database', async () => {
    await RunStore.open(place);
    expect((await indexedDB.databases()).map(({ name }) => name)).toEqual([place]);
  });

  it('reports that a newer version of the page has migrated the database, even while this one is open', async () => {
    const store = await RunStore.open(place);
    await store.save(snapshot('a', 1, 3));
    const newer = await openDB(place, DATABASE_VERSION + 1);
    await expect(store.save(snapshot('a', 4, 5))).rejects.toMatchObject({
      name: 'StorageError',
      state: 'newer',
      message: expect.stringContaining('reload the page'),
    });
    await expect(store.list()).rejects.toMatchObject({ state: 'newer' });
    await expect(RunStore.open(place)).rejects.toMatchObject({ state: 'newer' });
    expect(await newer.count('runs')).toBe(1);
    newer.close();
  });

  it('reports that an older version of the page blocks it, and stores runs once that page is closed', async () => {
    const older = await openDB(place, DATABASE_VERSION - 1);
    await expect(RunStore.open(place)).rejects.toMatchObject({
      name: 'StorageError',
      state: 'blocked',
      message: expect.stringContaining('another tab'),
    });
    older.close();
    await indexedDB.deleteDatabase(place);
    const store = await RunStore.open(place);
    await store.save(snapshot('a', 1, 1));
    expect(await iterations(store, 'a')).toEqual([1]);
  });

  it('keeps storing after the browser has closed the connection', async () => {
    // Simulates a connection closed by the browser, as when its storage process ends or a user
    // clears the page's data.
    const cut: (() => void)[] = [];
    const listen = IDBDatabase.prototype.addEventListener;
    const listening = vi
      .spyOn(IDBDatabase.prototype, 'addEventListener')
      .mockImplementation(function (this: IDBDatabase, type: string, listener: unknown) {
        if (type !== 'close' || typeof listener !== 'function') {
          return listen.call(this, type, listener as EventListener);
        }
        cut.push(() => {
          this.close();
          listener(new Event('close'));
        });
      });
    const store = await RunStore.open(place);
    listening.mockRestore();
    await store.save(snapshot('a', 1, 2));
    expect(cut.length).toBeGreaterThan(0);
    for (const end of cut) end();
    await store.save(snapshot('a', 3, 4));
    expect(await iterations(store, 'a')).toEqual([1, 2, 3, 4]);
  });
});
