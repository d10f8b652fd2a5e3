import 'fake-indexeddb/auto';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { presetConfig } from '../../config/presets.ts';
import type { InitialAgent, PageMessage } from '../../lab/protocol.ts';

// The page's stores and its connection to the worker belong to this test only.
vi.resetModules();
afterAll(() => vi.resetModules());

const entryOf = (id: string, preset: string) => ({
  ...{ id, preset, config: presetConfig(preset), name: id, iterations: 1 },
});
const entries = [
  entryOf('newest', 'maze'),
  entryOf('older', 'wordle'),
  { ...entryOf('repaired', 'maze'), replaced: ['A setting was replaced.'] },
];
const rows = [{ iteration: 1, metrics: {}, details: { updates: [], staleness: [] } }];
const shown = { latest: null, success: null, failure: null, evaluation: null };

const sent: PageMessage[] = [];
const stored = new Map<string, string>();
let goBack = () => {};

beforeAll(async () => {
  const { RunStore } = await import('../../runs/run-store.ts');
  const store = {
    list: async () => entries,
    read: async (id: string) => ({ entry: entries.find((one) => one.id === id), rows, shown }),
  };
  vi.spyOn(RunStore, 'open').mockResolvedValue(store as never);
  class LabWorker {
    postMessage = (message: PageMessage) => sent.push(message);
  }
  class SilentChannel {
    postMessage() {}
    close() {}
  }
  const listen = (type: string, listener: () => void) => {
    if (type === 'popstate') goBack = listener;
  };
  vi.stubGlobal('Worker', LabWorker);
  vi.stubGlobal('BroadcastChannel', SilentChannel);
  vi.stubGlobal('addEventListener', listen);
  vi.stubGlobal('navigator', { gpu: {}, languages: ['en'], language: 'en' });
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
  });
  vi.stubGlobal('location', new URL('http://localhost/lab/?preset=wordle'));
  const history = { state: { runId: 'older' }, pushState: vi.fn(), replaceState: vi.fn() };
  vi.stubGlobal('history', history);
});

it('reopens the run of the history entry, and ends it when Back reaches a large run', async () => {
  const { openLab } = await import('./opening.ts');
  const { useLab } = await import('../shell/lab/store.ts');
  await openLab();
  expect(sent).toMatchObject([{ type: 'start', runId: 'older', paused: true }]);

  vi.stubGlobal('location', new URL('http://localhost/lab/?policy.width=1024&policy.layers=16'));
  vi.stubGlobal('history', { state: { runId: null }, pushState: vi.fn(), replaceState: vi.fn() });
  goBack();
  await expect.poll(() => useLab.getState().status).toBe('asked');
  expect(sent.slice(1)).toEqual([{ type: 'stop', runId: 'older' }]);
  expect(useLab.getState()).toMatchObject({ runId: null, rows: [], preset: 'maze' });
});

it('restarts a run that continues an agent from the weights of that agent', async () => {
  const { resetRun, startRun } = await import('../shell/lab/commands.ts');
  const initial = { vocabulary: [] } as unknown as InitialAgent;
  startRun(presetConfig('maze'), 'maze', false, initial);
  resetRun();
  expect(sent.at(-1)).toMatchObject({ type: 'start', paused: true, initial });
  resetRun();
  expect(sent.at(-1)).toHaveProperty('initial', initial);
  startRun(presetConfig('maze'), 'maze');
  resetRun();
  expect(sent.at(-1)).not.toHaveProperty('initial');
});

it('restarts a run that continues an agent from that agent after a reload', async () => {
  const { openKeptRun, resetRun, startRun } = await import('../shell/lab/commands.ts');
  const { initialAgentOf, removeInitialAgent } = await import('../shell/lab/initial-agents.ts');
  const { useLab } = await import('../shell/lab/store.ts');
  const initial = { vocabulary: ['north'], weights: new Map() } as unknown as InitialAgent;
  startRun(presetConfig('maze'), 'maze', false, initial);
  const runId = useLab.getState().runId ?? '';
  await expect.poll(() => initialAgentOf(runId)).toEqual(initial);
  entries.push(entryOf(runId, 'maze'));

  // A reload forgets the agent of the run.
  startRun(presetConfig('maze'), 'maze');
  await openKeptRun(runId);
  expect(useLab.getState().given).toBe(true);
  resetRun();
  expect(sent.at(-1)).toMatchObject({ type: 'start', paused: true, initial });
  await openKeptRun('newest');
  resetRun();
  expect(sent.at(-1)).not.toHaveProperty('initial');

  await removeInitialAgent(runId);
  expect(await initialAgentOf(runId)).toBeUndefined();
  entries.pop();
});

it('shows notes on a stored run until another run is shown', async () => {
  const { openKeptRun, startRun } = await import('../shell/lab/commands.ts');
  const { useReplacedSettings } = await import('../shell/address/replaced.ts');
  const notes = () => useReplacedSettings.getState().notes;
  await openKeptRun('repaired');
  expect(notes()).toHaveLength(1);
  await openKeptRun('newest');
  expect(notes()).toEqual([]);
  await openKeptRun('repaired');
  startRun(presetConfig('maze'), 'maze');
  expect(notes()).toEqual([]);

  const ofSweep = { of: 'this run of a sweep', notes: ['A setting was replaced.'] } as const;
  useReplacedSettings.setState(ofSweep);
  startRun(presetConfig('maze'), 'maze');
  expect(notes()).toEqual(ofSweep.notes);
  useReplacedSettings.setState({ of: 'the address' });
  await openKeptRun('newest');
  expect(notes()).toEqual(ofSweep.notes);
  useReplacedSettings.setState({ notes: [] });
});

it('reopens a run that was set aside after the user has opened it', async () => {
  const { openKeptRun, SET_ASIDE } = await import('../shell/lab/commands.ts');
  const { readKept, writeKept } = await import('../shell/browser/kept.ts');
  writeKept(SET_ASIDE, 'older');
  await openKeptRun('newest');
  expect(readKept(SET_ASIDE)).toBe('older');
  await openKeptRun('older');
  expect(readKept(SET_ASIDE)).not.toBe('older');
});

it('opens a stored run that has failed on the chosen device', async () => {
  const { chooseDevice, openKeptRun } = await import('../shell/lab/commands.ts');
  const { useLab } = await import('../shell/lab/store.ts');
  await openKeptRun('newest');
  useLab.setState({ status: 'running' });
  chooseDevice('processor');
  expect(sent.at(-1)).toEqual({ type: 'move', runId: 'newest', device: 'processor' });
  useLab.setState({ status: 'failed' });
  chooseDevice('webgpu');
  const start = { type: 'start', runId: 'newest', device: 'webgpu', paused: false };
  await expect.poll(() => sent.at(-1)).toMatchObject(start);
});

it('restarts a failed run that is not stored on the chosen device', async () => {
  const { chooseDevice, startRun } = await import('../shell/lab/commands.ts');
  const { useLab } = await import('../shell/lab/store.ts');
  startRun(presetConfig('wordle'), 'wordle');
  const { runId, config } = useLab.getState();
  useLab.setState({ status: 'failed' });
  chooseDevice('processor');
  expect(sent.at(-1)).toMatchObject({ type: 'start', config, device: 'processor', paused: false });
  expect(useLab.getState().runId).not.toBe(runId);
});

it('replaces a run by a new choice while no device can train', async () => {
  const { chooseDevice, openKeptRun, startRun } = await import('../shell/lab/commands.ts');
  const { useLab } = await import('../shell/lab/store.ts');
  await openKeptRun('older');
  useLab.setState({ cannotTrain: true });
  startRun(presetConfig('maze'), 'maze', false, undefined, 'chosen');
  expect(useLab.getState()).toMatchObject({
    ...{ runId: null, rows: [], storage: null, preset: 'maze', name: 'chosen', status: 'asked' },
  });
  chooseDevice('processor');
  const { runId, config } = useLab.getState();
  expect(runId).not.toBe('older');
  expect(sent.at(-1)).toMatchObject({ type: 'start', runId, config, device: 'processor' });
});
