import { describe, expect, it } from 'vitest';
import {
  config,
  DAMAGED,
  deviceLost,
  FakeRun,
  FakeStorage,
  keep,
  settle,
  storedSessionOf,
} from './testing/fake-run.ts';

/** Steps a kept run through its first iterations. */
async function stepThrough(storage: FakeStorage, iterations: number) {
  const { session, opened } = storedSessionOf(storage, new FakeRun());
  session.receive({ type: 'start', runId: 'a', config, paused: true, keep });
  await settle();
  for (let i = 0; i < iterations; i++) {
    session.receive({ type: 'step', runId: 'a' });
    await settle();
    await opened[0]?.end();
  }
}

/** A session whose first run has begun to train. */
async function training(storage: FakeStorage, ...runs: FakeRun[]) {
  const opened = storedSessionOf(storage, ...runs);
  opened.session.receive({ type: 'start', runId: 'a', config, paused: false, keep });
  await settle();
  return opened;
}

describe('a kept run', () => {
  it('is saved after its first iteration, and again when it pauses', async () => {
    const storage = new FakeStorage();
    const run = new FakeRun();
    const { session, messages } = await training(storage, run);
    for (let i = 0; i < 3; i++) await run.end();
    expect(storage.snapshots.map(({ iteration }) => iteration)).toEqual([1]);
    session.receive({ type: 'pause', runId: 'a' });
    await run.end();
    expect(storage.snapshots.map(({ iteration }) => iteration)).toEqual([1, 4]);
    const [, second] = storage.snapshots;
    expect(second?.rows.map(({ iteration }) => iteration)).toEqual([2, 3, 4]);
    expect(second?.rows[0]?.evaluation).toEqual({ metrics: { 'eval/score': 1 } });
    expect(second?.entry).toMatchObject({ id: 'a', name: 'A maze', status: 'paused', config });
    expect(messages.filter(({ type }) => type === 'storage')).toMatchObject([
      { storage: { state: 'kept', iteration: 1 } },
      { storage: { state: 'kept', iteration: 4 } },
    ]);
  });

  it('keeps training when storage is full, and saves all rows once there is space', async () => {
    const storage = new FakeStorage();
    storage.full = true;
    const run = new FakeRun();
    const { session, messages, iterations } = await training(storage, run);
    for (let i = 0; i < 3; i++) await run.end();
    expect(iterations('a')).toEqual([1, 2, 3]);
    expect(messages).toContainEqual({
      type: 'storage',
      runId: 'a',
      storage: { state: 'full', message: 'no room' },
    });
    storage.full = false;
    session.receive({ type: 'pause', runId: 'a' });
    await run.end();
    expect(storage.snapshots.flatMap(({ rows }) => rows.map((row) => row.iteration))).toEqual([
      1, 2, 3, 4,
    ]);
  });

  it('resumes from its newest readable checkpoint', async () => {
    const storage = new FakeStorage();
    await stepThrough(storage, 2);
    expect(storage.snapshots.map(({ iteration }) => iteration)).toEqual([1, 2]);
    storage.snapshots[1]?.checkpoint.fill(DAMAGED);

    const second = storedSessionOf(storage, new FakeRun(1000, 1));
    const stored = { ...keep, stored: true };
    second.session.receive({ type: 'start', runId: 'a', config, paused: true, keep: stored });
    await settle();
    expect(second.opensFrom).toEqual([1]);
    expect(second.messages).toContainEqual({
      type: 'restored',
      runId: 'a',
      iteration: 1,
      reason: 'opened',
    });
    expect(storage.snapshots.map(({ iteration }) => iteration)).toEqual([1]);
    expect(second.statuses('a')).toEqual(['starting', 'paused']);
  });

  it('recovers if its GPU is lost, and fails after three losses without progress', async () => {
    const storage = new FakeStorage();
    const runs = [new FakeRun(), ...Array.from({ length: 3 }, () => new FakeRun(1000, 1))];
    const { session, messages, opensFrom, fatal, statuses, iterations } = storedSessionOf(
      storage,
      ...runs,
    );
    session.receive({ type: 'start', runId: 'a', config, paused: false, keep });
    await settle();
    await runs[0]?.end();
    await runs[0]?.end();
    for (const [i, run] of runs.entries()) {
      fatal[i]?.(deviceLost());
      await run.end(new Error('a buffer could not be mapped'));
    }
    expect(opensFrom).toEqual([null, 1, 1, 1]);
    expect(messages.filter(({ type }) => type === 'restored')).toHaveLength(3);
    expect(iterations('a')).toEqual([1, 2]);
    expect(runs.every(({ destroyed }) => destroyed)).toBe(true);
    expect(messages.filter(({ type }) => type === 'error')).toMatchObject([
      { name: 'DeviceLostError', advice: expect.stringContaining('Reload the page') },
    ]);
    expect(statuses('a').at(-1)).toBe('failed');
    expect(storage.statuses.at(-1)).toBe('failed');
  });

  it('marks the first row after its GPU was lost', async () => {
    const storage = new FakeStorage();
    const runs = [new FakeRun(), new FakeRun(1000, 1)];
    const { session, fatal } = storedSessionOf(storage, ...runs);
    session.receive({ type: 'start', runId: 'a', config, paused: false, keep });
    await settle();
    await runs[0]?.end();
    fatal[0]?.(deviceLost());
    await runs[0]?.end(new Error('a buffer could not be mapped'));
    await runs[1]?.end();
    session.receive({ type: 'pause', runId: 'a' });
    await runs[1]?.end();
    const kept = storage.snapshots.flatMap(({ rows }) => rows);
    expect(kept.map(({ iteration, gpuLost }) => [iteration, gpuLost])).toEqual([
      [1, undefined],
      [2, true],
      [3, undefined],
    ]);
  });

  it('reports the saved iteration when the GPU is lost while training and no other GPU is available', async () => {
    const storage = new FakeStorage();
    const run = new FakeRun();
    const { session, messages, fatal, statuses } = await training(storage, run);
    await run.end();
    fatal[0]?.(deviceLost());
    await run.end(new Error('a buffer could not be mapped'));
    await session.settled;
    // WebGpuUnavailableError would hide the curves on the page.
    expect(messages.filter(({ type }) => type === 'error')).toMatchObject([
      {
        name: 'GpuGoneError',
        message: expect.stringContaining('up to iteration 1.'),
        advice: expect.stringMatching(/^Reload the page/),
      },
    ]);
    expect(statuses('a').at(-1)).toBe('failed');
  });

  it('loses no iteration when the GPU is lost while opening', async () => {
    const storage = new FakeStorage();
    await stepThrough(storage, 2);

    const second = storedSessionOf(storage, new FakeRun(1000, 2));
    second.gate.open = async () => {
      second.gate.open = async () => {};
      throw deviceLost();
    };
    const stored = { ...keep, stored: true };
    second.session.receive({ type: 'start', runId: 'a', config, paused: true, keep: stored });
    await settle();
    expect(storage.snapshots.map(({ iteration }) => iteration)).toEqual([1, 2]);
    expect(second.opensFrom).toEqual([2]);
    expect(second.messages.filter(({ type }) => type === 'restored')).toMatchObject([
      { iteration: 2, reason: 'opened' },
    ]);
    expect(second.statuses('a')).toEqual(['starting', 'paused']);
  });

  it('reports the saved iteration when the GPU is lost while opening and no other GPU is available', async () => {
    const storage = new FakeStorage();
    await stepThrough(storage, 1);

    const second = storedSessionOf(storage);
    second.gate.open = async () => {
      second.gate.open = async () => {};
      throw deviceLost();
    };
    const stored = { ...keep, stored: true };
    second.session.receive({ type: 'start', runId: 'a', config, paused: true, keep: stored });
    await second.session.settled;
    expect(second.messages.filter(({ type }) => type === 'error')).toMatchObject([
      { name: 'GpuGoneError', message: expect.stringContaining('up to iteration 1.') },
    ]);
    expect(storage.snapshots.map(({ iteration }) => iteration)).toEqual([1]);
  });

  it('does not claim to be saved when its GPU is lost and storage fails', async () => {
    const storage = new FakeStorage();
    storage.full = true;
    const run = new FakeRun();
    const { session, messages, fatal } = await training(storage, run);
    await run.end();
    fatal[0]?.(deviceLost());
    await run.end(new Error('a buffer could not be mapped'));
    await session.settled;
    expect(messages.filter(({ type }) => type === 'error')).toMatchObject([
      {
        name: 'GpuGoneError',
        message: expect.stringMatching(/The run is not saved\.$/),
        advice: expect.stringMatching(/^Press Reset/),
      },
    ]);
  });

  it('stays finished when its GPU is lost', async () => {
    const storage = new FakeStorage();
    const run = new FakeRun(1);
    const { session, messages, fatal, statuses } = await training(storage, run);
    await run.end();
    fatal[0]?.(deviceLost());
    await session.settled;
    expect(statuses('a').at(-1)).toBe('finished');
    expect(messages.filter(({ type }) => type === 'error')).toEqual([]);
  });

  it('saves its last iterations when another run is opened', async () => {
    const storage = new FakeStorage();
    const run = new FakeRun();
    const { session, statuses } = await training(storage, run, new FakeRun());
    for (let i = 0; i < 3; i++) await run.end();
    session.receive({ type: 'start', runId: 'b', config, paused: true, keep });
    run.progress('rollout', 0.5);
    await run.end();
    expect(storage.snapshots.map(({ iteration, entry }) => [iteration, entry.status])).toEqual([
      [1, 'running'],
      [4, 'stopped'],
    ]);
    expect(storage.snapshots[1]?.rows.map(({ iteration }) => iteration)).toEqual([2, 3, 4]);
    expect(statuses('a').at(-1)).toBe('stopped');
    expect(statuses('b')).toEqual(['starting', 'paused']);
  });

  it('aborts its iteration when another run is opened and all earlier ones are saved', async () => {
    const storage = new FakeStorage();
    const run = new FakeRun();
    const { session, statuses } = await training(storage, run, new FakeRun());
    await run.end();
    session.receive({ type: 'start', runId: 'b', config, paused: true, keep });
    expect(() => run.progress('rollout', 0.5)).toThrow('the page ended this run');
    await run.end();
    expect(storage.snapshots.map(({ iteration }) => iteration)).toEqual([1]);
    expect(statuses('a').at(-1)).toBe('stopped');
  });

  it('saves its last iterations when it is ended during an answer', async () => {
    const storage = new FakeStorage();
    const run = new FakeRun();
    const { session, messages } = await training(storage, run);
    await run.end();
    session.receive({
      ...{ type: 'question', runId: 'a', request: 0, name: 'collect-critiques' },
      ask: {} as never,
    });
    await run.end();
    session.receive({ type: 'stop', runId: 'a' });
    await session.settled;
    expect(messages.filter(({ type }) => type === 'refusal')).toHaveLength(1);
    expect(storage.snapshots.map(({ iteration, entry }) => [iteration, entry.status])).toEqual([
      [1, 'running'],
      [2, 'stopped'],
    ]);
  });

  it('is saved as finished when another run is opened during its last iteration', async () => {
    const storage = new FakeStorage();
    const run = new FakeRun(3);
    const { session, statuses } = await training(storage, run);
    await run.end();
    await run.end();
    session.receive({ type: 'stop', runId: 'a' });
    await run.end();
    await session.settled;
    expect(storage.snapshots.map(({ iteration, entry }) => [iteration, entry.status])).toEqual([
      [1, 'running'],
      [3, 'finished'],
    ]);
    expect(statuses('a').at(-1)).toBe('finished');
  });

  it('saves changed settings and resumes with them', async () => {
    const storage = new FakeStorage();
    const { session, opened, opensWith, fatal } = storedSessionOf(
      storage,
      new FakeRun(),
      new FakeRun(9, 1),
    );
    session.receive({ type: 'start', runId: 'a', config, paused: false, keep });
    await settle();
    await opened[0]?.end();
    session.receive({ type: 'change', runId: 'a', values: { 'horizon.turns': 9 } });
    await opened[0]?.end();
    // The newest checkpoint predates the change.
    fatal[0]?.(deviceLost());
    await opened[0]?.end(new Error('a buffer could not be mapped'));
    const changed = { ...config, changes: '3:horizon.turns=9' };
    expect(opensWith).toEqual([config, changed]);
    session.receive({ type: 'pause', runId: 'a' });
    await opened[1]?.end();
    expect(storage.snapshots.map(({ entry }) => entry.config)).toEqual([config, changed]);
  });

  /** A session whose run is paused and saved after its first iteration. */
  async function pausedSession() {
    const storage = new FakeStorage();
    const { session, opened } = storedSessionOf(storage, new FakeRun());
    session.receive({ type: 'start', runId: 'a', config, paused: false, keep });
    await settle();
    session.receive({ type: 'pause', runId: 'a' });
    await opened[0]?.end();
    return { storage, session };
  }

  it('saves settings that are changed while it is paused, once', async () => {
    const { storage, session } = await pausedSession();
    session.receive({ type: 'change', runId: 'a', values: { 'horizon.turns': 9 } });
    await settle();
    const changed = { ...config, changes: '2:horizon.turns=9' };
    expect(storage.snapshots).toHaveLength(1);
    expect(storage.configs).toEqual([changed]);
    session.receive({ type: 'stop', runId: 'a' });
    await session.settled;
    expect(storage.statuses.at(-1)).toBe('stopped');
    expect(storage.configs).toEqual([changed]);
  });

  it('saves changed settings after a write that failed', async () => {
    const { storage, session } = await pausedSession();
    storage.full = true;
    session.receive({ type: 'change', runId: 'a', values: { 'horizon.turns': 9 } });
    await settle();
    expect(storage.configs).toEqual([]);
    storage.full = false;
    session.receive({ type: 'stop', runId: 'a' });
    await session.settled;
    expect(storage.configs).toEqual([{ ...config, changes: '2:horizon.turns=9' }]);
  });

  it('keeps its stored status if it cannot be locked or opened', async () => {
    const storage = new FakeStorage();
    await stepThrough(storage, 1);
    const before = storage.statuses.length;
    const stored = { ...keep, stored: true };
    const start = { type: 'start', runId: 'a', config, paused: true, keep: stored } as const;

    const locked = storedSessionOf(storage, new FakeRun(1000, 1));
    locked.gate.lock = () => Promise.reject(new Error('This run is open in another tab.'));
    locked.session.receive(start);
    await locked.session.settled;
    expect(locked.opened).toEqual([]);
    expect(locked.statuses('a')).toEqual(['starting', 'failed']);

    const withoutGpu = storedSessionOf(storage);
    withoutGpu.session.receive(start);
    await withoutGpu.session.settled;
    expect(withoutGpu.statuses('a')).toEqual(['starting', 'failed']);
    expect(storage.statuses).toHaveLength(before);
  });
});
