import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { TabularPolicy } from '../agents/testing/tabular-policy.ts';
import type { Sweep } from '../sweep/file.ts';
import { runName, type Segment, type Trial } from '../sweep/plan.ts';
import { makeRecord, type RunRecord } from '../sweep/record.ts';
import { Child, UselessChildError } from './child-process.node.ts';
import { step, writeResults } from './coordinator.node.ts';
import { LocalQueue } from './local-queue.node.ts';
import { shownAddress } from './queue-server.node.ts';
import { doneIn } from './remote-worker.node.ts';
import { playSegment } from './segment.node.ts';
import { SweepFolder, SweepFolderError } from './sweep-folder.node.ts';
import { PATIENCE, waitForOwner } from './waiting.node.ts';

let place = '';
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'palestra-'));
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(place, { recursive: true, maxRetries: 5 });
});

const sweep: Sweep = {
  ...{ name: 'test', description: '', sampler: 'random', halving: null },
  ...{ seeds: [1, 2], trials: 4, metric: { key: 'rollout/score', goal: 'maximize' } },
  parameters: [
    {
      path: 'optimizer.learning_rate',
      dimension: {
        ...{ kind: 'span', scale: 'linear', low: 0.001, high: 0.01 },
        ...{ normal: null, quantum: null, whole: false },
      },
    },
  ],
};
const out = () => join(place, 'out');
const begin = (trials = sweep.trials) => SweepFolder.begin(out(), { ...sweep, trials }, 4);
const RUN = 'trial-0001-seed-1';
const segment: Segment = { run: RUN, trial: 1, seed: 1, rung: null };
const checkpoint = new Uint8Array([1]);
const progress = (iteration: number) => ({ iteration, rows: [], rungs: [], checkpoint });

function record({ number, values }: Trial, seed: number): RunRecord {
  return makeRecord(
    ...[{ run: runName(number, seed), trial: number, seed, values, config: null, device: 'test' }],
    ...[{ rows: [], rungs: [] }],
    { outcome: 'finished', reason: '', value: number, evaluation: null },
  );
}

it('ends a sweep whose cap was lowered when the remaining runs have ended', () => {
  const trials = step(begin()).plan.trials;
  const folder = begin(2);
  for (const trial of trials.filter(({ number }) => number !== 2)) {
    for (const seed of sweep.seeds) folder.keepRecord(record(trial, seed));
  }
  expect(folder.isDone()).toBe(false);
  expect(step(folder)).toMatchObject({ runs: { all: 4, ended: 2 }, plan: { done: false } });
  const [, second] = trials;
  for (const seed of sweep.seeds) if (second !== undefined) folder.keepRecord(record(second, seed));
  expect(folder.isDone()).toBe(true);
  expect(step(folder)).toMatchObject({ runs: { all: 4, ended: 4 }, plan: { done: true } });
  expect(writeResults(folder, 'train').trials.map(({ number }) => number)).toEqual([2, 1]);
});

describe('SweepFolder.deaths', () => {
  it('excludes epochs that ended in another way', () => {
    const folder = begin();
    for (let i = 0; i < 30; i++) folder.keepEnd(RUN, folder.takeOver(RUN));
    folder.keepFailure(RUN, folder.takeOver(RUN), 'no');
    folder.keepEnd(RUN, folder.epoch(RUN));
    expect(folder.deaths(RUN, folder.takeOver(RUN))).toBe(0);
    expect(folder.deaths(RUN, folder.takeOver(RUN))).toBe(1);
    expect(folder.deaths(RUN, folder.takeOver(RUN))).toBe(2);
  });

  it('counts from the newest checkpoint', () => {
    const folder = begin();
    for (let i = 0; i < 5; i++) folder.takeOver(RUN);
    folder.keep(RUN, 5, progress(1));
    expect(folder.deaths(RUN, folder.takeOver(RUN))).toBe(0);
    expect(folder.deaths(RUN, folder.takeOver(RUN))).toBe(1);
  });
});

describe('playSegment', () => {
  it('reports a folder that cannot be written as blocked', async () => {
    const folder = begin();
    step(folder);
    writeFileSync(join(out(), 'work'), 'a file where the folder should be');
    const end = await playSegment(folder, sweep, segment, {
      ...{ createPolicy: () => Promise.reject(new Error('unused')), device: 'test', keepEvery: 1 },
      ...{ interrupted: () => false, onIteration() {}, log() {} },
    });
    expect(end).toMatchObject({
      kind: 'blocked',
      message: expect.stringMatching(/EEXIST|ENOTDIR/),
    });
  });

  it('counts an error as a failure and not as a death', async () => {
    const folder = begin();
    step(folder);
    const end = await playSegment(folder, sweep, segment, {
      ...{ createPolicy: () => Promise.reject(new Error('no device')), device: 'test' },
      ...{ keepEvery: 1, interrupted: () => false, onIteration() {}, log() {} },
    });
    expect(end).toEqual({ kind: 'failed', message: 'no device', last: false });
    expect([folder.failures(RUN), folder.deaths(RUN, folder.takeOver(RUN))]).toEqual([1, 0]);
  });
});

it('compares a run that is completed a second time with its record', async () => {
  const small: Sweep = {
    ...sweep,
    parameters: Object.entries({
      'rollout.tasks_per_iteration': 1,
      'rollout.group_size': 1,
      'algorithm.mini_batches': 1,
      'imitation.epochs': 0,
      'evaluation.interval': 0,
      'evaluation.tasks': 1,
      'stopping.iterations': 1,
    }).map(([path, value]) => ({
      path,
      dimension: { kind: 'choice', values: [value], probabilities: [1] },
    })),
  };
  const folder = SweepFolder.begin(out(), small, 4);
  const [trial] = step(folder).plan.trials;
  if (trial === undefined) throw new Error('there is no trial');
  const log: string[] = [];
  const play = (meanwhile: () => void) =>
    playSegment(folder, small, segment, {
      createPolicy: async (shape, capacity) => {
        meanwhile();
        return new TabularPolicy(shape, capacity);
      },
      ...{ device: 'test', keepEvery: 99, interrupted: () => false, onIteration() {} },
      log: (line) => log.push(line),
    });
  const file = join(out(), 'runs', `${RUN}.json`);
  expect(await play(() => {})).toEqual({ kind: 'finished' });
  const text = readFileSync(file, 'utf8');
  rmSync(file);
  // Another worker finishes the run in the meantime.
  expect(await play(() => writeFileSync(file, text))).toEqual({ kind: 'again' });
  rmSync(file);
  expect(await play(() => folder.keepRecord(record(trial, 1)))).toEqual({ kind: 'superseded' });
  expect(log).toEqual([
    `${RUN} was computed a second time with another result; ${file} is unchanged`,
  ]);
});

it('begins in a folder with incomplete files and removes them once they are a day old', () => {
  mkdirSync(out());
  const [first, second] = ['sweep.json.a.part', join('work', RUN, 'kept.safetensors.b.part')].map(
    (name) => join(out(), name),
  ) as [string, string];
  writeFileSync(first, '');
  begin().takeOver(RUN);
  writeFileSync(second, '');
  begin();
  expect([first, second].map(existsSync)).toEqual([true, true]);
  const old = Date.now() / 1000 - 25 * 3600;
  for (const part of [first, second]) utimesSync(part, old, old);
  begin();
  expect([first, second].map(existsSync)).toEqual([false, false]);
  expect(existsSync(join(out(), 'sweep.json'))).toBe(true);
});

it('rejects another --ahead for an existing sweep', () => {
  begin();
  expect(SweepFolder.begin(out(), sweep).kept().ahead).toBe(4);
  expect(() => SweepFolder.begin(out(), sweep, 5)).toThrow(SweepFolderError);
  expect(() => SweepFolder.begin(out(), sweep, 5)).toThrow(/started with --ahead 4/);
});

describe('waiting for the owner of a run', () => {
  const waiting = (traces: () => string | null) => {
    vi.useFakeTimers();
    const state = { over: false };
    const stopped = new AbortController();
    waitForOwner({ trace: traces }, RUN, stopped.signal, 20).then(() => {
      state.over = true;
    });
    return { state, stop: () => stopped.abort() };
  };

  it('ends when the owner has made no progress for a while', async () => {
    let saved = 1;
    const { state } = waiting(() => `1 ${saved}`);
    await vi.advanceTimersByTimeAsync(PATIENCE - 4000);
    saved = 2;
    await vi.advanceTimersByTimeAsync(PATIENCE - 4000);
    expect(state.over).toBe(false);
    await vi.advanceTimersByTimeAsync(8000);
    expect(state.over).toBe(true);
  });

  it('ends when the owner has ended or the wait is stopped', async () => {
    let trace: string | null = '1';
    const { state } = waiting(() => trace);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(state.over).toBe(false);
    trace = null;
    await vi.advanceTimersByTimeAsync(2000);
    expect(state.over).toBe(true);
    const other = waiting(() => '1');
    other.stop();
    await vi.advanceTimersByTimeAsync(0);
    expect(other.state.over).toBe(true);
  });

  it('sees saves, ends and records in the folder', () => {
    const folder = begin();
    const first = folder.takeOver(RUN);
    const begun = folder.trace(RUN);
    folder.keep(RUN, first, progress(1));
    const saved = folder.trace(RUN);
    expect(saved).not.toBe(begun);
    folder.keepEnd(RUN, first);
    expect(folder.trace(RUN)).toBeNull();
    folder.takeOver(RUN);
    expect(folder.trace(RUN)).not.toBeNull();
    for (const trial of step(folder).plan.trials) folder.keepRecord(record(trial, 1));
    expect(folder.trace(RUN)).toBeNull();
  });
});

/** A program in the place of a worker process. */
function program(text: string) {
  mkdirSync(place, { recursive: true });
  const file = join(place, 'program.mjs');
  writeFileSync(file, text);
  return { file, args: [] };
}

const superseded = program.bind(
  null,
  `process.on('disconnect', () => process.exit(0));
process.on('message', ({ type, segment }) => {
  if (type === 'play') process.send({ type: 'end', segment, end: { kind: 'superseded' } });
});
process.send({ type: 'ready', adapter: 'test' });`,
);

describe('a worker process', () => {
  const silent = { log() {}, onIteration() {} };

  it('ends the wait for it and its segment if it dies before it is ready', async () => {
    const child = new Child(program('process.exit(3)'), silent);
    await expect(child.start()).rejects.toThrow(UselessChildError);
    await expect(child.start()).rejects.toThrow('(exit code 3)');
    for (let i = 0; i < 2; i++) {
      expect(await child.play(segment)).toEqual({ kind: 'died', how: 'exit code 3' });
    }
    // A worker that never becomes ready is not restarted without end.
    await expect(child.play(segment)).rejects.toThrow(UselessChildError);
  });

  it('does not take a run back at once from another process', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    const folder = begin();
    const epoch = folder.takeOver(RUN);
    let onEnd = () => {};
    const ended = () =>
      new Promise<void>((resolve) => {
        onEnd = resolve;
      });
    const queue = new LocalQueue({
      ...{
        folder,
        saveEvery: 20,
        program: superseded(),
        workers: 1,
        log() {},
        onEnd: () => onEnd(),
      },
    });
    const first = ended();
    await queue.offer([segment]);
    await first;
    await queue.offer([segment]);
    expect(queue.atWork()).toBe(0);
    folder.keepEnd(RUN, epoch);
    const second = ended();
    await vi.advanceTimersByTimeAsync(2000);
    await second;
    await queue.offer([segment]);
    expect(queue.atWork()).toBe(1);
    await queue.close();
  });
});

describe('a queue worker', () => {
  it('logs a storage error once and checks for the end of the sweep again', () => {
    const log: string[] = [];
    let fails = true;
    const isDone = doneIn(
      {
        isDone() {
          if (fails)
            throw Object.assign(new Error('ESTALE: stale file handle'), { code: 'ESTALE' });
          return true;
        },
      },
      (line) => log.push(line),
    );
    expect([isDone(), isDone()]).toEqual([false, false]);
    fails = false;
    expect(isDone()).toBe(true);
    expect(log).toEqual(['ESTALE: stale file handle; retrying']);
  });

  it.each([
    ['redis://localhost:6379', 'redis://localhost:6379'],
    ['redis://:secret@host:6379/2', 'redis://:PASSWORD@host:6379/2'],
    ['postgres://user:secret@host/data', 'postgres://user:PASSWORD@host/data'],
    ['postgres://user@host/data?password=secret', 'postgres://user@host/data?password=PASSWORD'],
  ])('is given the address %s without its password', (url, shown) => {
    expect(shownAddress(url)).toBe(shown);
  });
});
