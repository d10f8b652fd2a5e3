import { describe, expect, it } from 'vitest';
import { presetConfig } from '../../config/presets.ts';
import type { IterationDetails } from '../../runs/details.ts';
import type { EpisodeRecord } from '../../runs/episode.ts';
import type { EvaluationReport } from '../../runs/evaluation-report.ts';
import type { EpisodeSummary } from '../../runs/kept-episodes.ts';
import type { RunSnapshot, RunStatus } from '../../runs/record.ts';
import { RunKeeper, type RunStorage } from '../keeper.ts';
import type {
  EvaluationSettings,
  KeepRequest,
  Phase,
  SessionStatus,
  WorkerMessage,
} from '../protocol.ts';
import { pick } from '../run.ts';
import { LabSession } from './session.ts';
import type { SessionRun } from './types.ts';

const config = presetConfig('maze');

/** Details as a worker must be able to send them. */
const details: IterationDetails = {
  updates: [],
  staleness: [[0, 12]],
  diagnosis: {
    update: 4,
    clipLow: 0.6,
    clipHigh: 1.2,
    samples: [{ logp: -1, ratio: 1.1, advantage: 0.5, entropy: Number.NaN }],
  },
};

const keptEpisode: EpisodeSummary = {
  number: 3,
  iteration: 1,
  kind: 'train',
  environmentId: 'maze/double-t-v1',
  taskId: 'maze_4',
  turns: 1,
  score: 0,
  success: false,
  truncated: true,
};
const told: EpisodeRecord = {
  environment: { id: 'maze/double-t-v1', options: {} },
  taskId: 'maze_4',
  turns: [
    {
      observation: 'a',
      thought: '',
      tokens: [{ text: 'b', probability: 0.5 }],
      action: 'b',
      understood: false,
      reward: 0,
    },
  ],
  finalObservation: 'c',
  success: false,
  truncated: true,
  score: 0,
};
const silent: EpisodeRecord = {
  ...told,
  turns: told.turns.map((turn) => ({ ...turn, tokens: [] })),
};

const report: EvaluationReport = {
  trained: { iteration: 0, turns: 0, tokens: 0 },
  seed: 1,
  temperature: 1,
  environments: [],
};
const settings: EvaluationSettings = { tasks: 3, samples: 2, seed: 1 };

/** The first byte of a checkpoint that cannot be read. */
const DAMAGED = 255;

/** A run whose iterations end when the test says so. */
class HandRun implements SessionRun {
  readonly machine = {
    adapter: 'by hand',
    processor: false,
    software: true,
    threads: 0,
    withoutGpu: null,
    movedFrom: null,
    parameters: 7,
    vocabulary: 3,
  };
  readonly episodes = {
    list: () => [keptEpisode],
    read: (numbers: readonly number[], tokens: boolean) =>
      numbers.includes(keptEpisode.number)
        ? [{ number: keptEpisode.number, record: tokens ? told : silent }]
        : [],
    inspect: () => null,
    state: { training: [], evaluation: [], numbers: 0 },
  };
  readonly length: number;
  iteration: number;
  destroyed = false;
  progress: (phase: Phase, fraction: number) => void = () => {};
  /** Where the evaluation is, while there is one. */
  evaluation: {
    readonly settings: EvaluationSettings;
    readonly onProgress: (fraction: number) => void;
    readonly end: (error: Error | null) => void;
  } | null = null;
  #end: (error: Error | null) => void = () => {};

  /** @param iteration where it goes on */
  constructor(length = 1000, iteration = 0) {
    this.length = length;
    this.iteration = iteration;
  }

  get finished(): boolean {
    return this.iteration >= this.length;
  }

  async iterate(onProgress: (phase: Phase, fraction: number) => void) {
    expect(this.destroyed).toBe(false);
    this.progress = onProgress;
    await new Promise<void>((resolve, reject) => {
      this.#end = (error) => (error === null ? resolve() : reject(error));
    });
    this.iteration += 1;
    return {
      iteration: this.iteration,
      metrics: { iteration: this.iteration },
      details,
      episodes: [],
      finished: this.iteration === this.length,
      ...(this.iteration === 2
        ? { evaluation: { metrics: { 'eval/score': 1 }, episodes: [] } }
        : {}),
    };
  }

  /** Lets the present iteration end, and the session take note of it. */
  async end(error: Error | null = null): Promise<void> {
    this.#end(error);
    await settle();
  }

  async evaluate(settings: EvaluationSettings, onProgress: (fraction: number) => void) {
    expect(this.destroyed).toBe(false);
    await new Promise<void>((resolve, reject) => {
      const end = (error: Error | null) => (error === null ? resolve() : reject(error));
      this.evaluation = { settings, onProgress, end };
    });
    this.evaluation = null;
    return { ...report, trained: { ...report.trained, iteration: this.iteration } };
  }

  async alternatives() {
    return null;
  }

  async checkpoint() {
    expect(this.destroyed).toBe(false);
    return Uint8Array.of(this.iteration);
  }

  /** Lets the evaluation end, and the session take note of it. */
  async endEvaluation(error: Error | null = null): Promise<void> {
    this.evaluation?.end(error);
    await settle();
  }

  destroy(): void {
    this.destroyed = true;
  }
}

/** Nothing in these tests waits for time: a turn of the event loop lets all of it run out. */
const settle = () => new Promise((resolve) => setTimeout(resolve, 0));

/** Storage that keeps the newest two snapshots, or fails while it is told to. */
class HandStorage implements RunStorage {
  readonly snapshots: RunSnapshot[] = [];
  readonly statuses: RunStatus[] = [];
  full = false;

  async save(snapshot: RunSnapshot) {
    if (this.full) throw Object.assign(new Error('no room'), { state: 'full' });
    this.snapshots.push(snapshot);
  }
  async setStatus(_id: string, status: RunStatus) {
    this.statuses.push(status);
  }
  async checkpoints() {
    return this.snapshots
      .slice(-2)
      .reverse()
      .map(({ iteration, checkpoint: bytes, episodes }) => ({ iteration, bytes, episodes }));
  }
  async rewind(_id: string, iteration: number) {
    while ((this.snapshots.at(-1)?.iteration ?? 0) > iteration) this.snapshots.pop();
  }
}

const keep: KeepRequest = { name: 'A maze', preset: 'maze', stored: false };

function lab(...runs: HandRun[]) {
  return keptLab(null, ...runs);
}

function keptLab(storage: RunStorage | null, ...runs: HandRun[]) {
  const messages: WorkerMessage[] = [];
  const opened: HandRun[] = [];
  const opensFrom: (number | null)[] = [];
  const fatal: ((error: Error) => void)[] = [];
  /** Asked before a run is opened. */
  const gate = { open: async () => {} };
  const session = new LabSession({
    post: (message) => messages.push(message),
    open: async ({ from }, onFatal) => {
      await gate.open();
      const run = runs[opened.length];
      if (run === undefined) throw unavailable();
      if (from?.bytes[0] === DAMAGED) {
        throw Object.assign(new Error('damaged'), { name: 'CheckpointError' });
      }
      opensFrom.push(from?.iteration ?? null);
      opened.push(run);
      fatal.push(onFatal);
      return run;
    },
    ...(storage === null
      ? {}
      : { keep: (identity, tell) => new RunKeeper(storage, identity, tell) }),
    breathe: () => Promise.resolve(),
  });
  const statuses = (runId: string): SessionStatus[] =>
    messages.flatMap((message) =>
      message.type === 'status' && message.runId === runId ? [message.status] : [],
    );
  const iterations = (runId: string): number[] =>
    messages.flatMap((message) =>
      message.type === 'iteration' && message.runId === runId ? [message.iteration] : [],
    );
  return { session, messages, opened, opensFrom, fatal, gate, statuses, iterations };
}

describe('LabSession', () => {
  it('iterates until its stop condition, reports evaluations and keeps the agent', async () => {
    const run = new HandRun(3);
    const { session, messages, statuses, iterations } = lab(run, new HandRun());
    session.receive({ type: 'start', runId: 'a', config, paused: false });
    await settle();
    for (let i = 0; i < 3; i++) await run.end();
    expect(iterations('a')).toEqual([1, 2, 3]);
    expect(statuses('a')).toEqual(['starting', 'running', 'finished']);
    expect(messages.filter(({ type }) => type === 'evaluation')).toMatchObject([
      { runId: 'a', iteration: 2, metrics: { 'eval/score': 1 } },
    ]);
    expect(messages.filter(({ type }) => type === 'machine')).toHaveLength(1);
    session.receive({ type: 'resume', runId: 'a' });
    await settle();
    expect(run.destroyed).toBe(false);
    session.receive({ type: 'start', runId: 'b', config, paused: false });
    await settle();
    expect(run.destroyed).toBe(true);
    expect(statuses('a')).toEqual(['starting', 'running', 'finished']);
  });

  it('tells of the kept episodes when asked, also when the run is over', async () => {
    const run = new HandRun(1);
    const { session, messages } = lab(run);
    const ask = (runId: string, request: number) => {
      session.receive({ type: 'list-episodes', runId, request });
      session.receive({
        type: 'read-episodes',
        runId,
        request: request + 1,
        numbers: [3, 9],
        tokens: request > 0,
      });
    };
    const answers = () =>
      messages
        .splice(0)
        .filter(({ type }) => type === 'episode-list' || type === 'episode-records');
    session.receive({ type: 'start', runId: 'a', config, paused: false });
    await settle();
    ask('a', 0);
    expect(answers()).toEqual([
      { type: 'episode-list', runId: 'a', request: 0, episodes: [keptEpisode] },
      { type: 'episode-records', runId: 'a', request: 1, records: [{ number: 3, record: silent }] },
    ]);
    await run.end();
    session.receive({ type: 'stop', runId: 'a' });
    await session.settled;
    ask('a', 2);
    expect(answers()).toEqual([
      { type: 'episode-list', runId: 'a', request: 2, episodes: [keptEpisode] },
      { type: 'episode-records', runId: 'a', request: 3, records: [{ number: 3, record: told }] },
    ]);
    ask('b', 4);
    expect(answers()).toEqual([
      { type: 'episode-list', runId: 'b', request: 4, episodes: [] },
      { type: 'episode-records', runId: 'b', request: 5, records: [] },
    ]);
  });

  it('reports the details of an iteration, and every phase, as plain data', async () => {
    const run = new HandRun(1);
    const { session, messages } = lab(run);
    session.receive({ type: 'start', runId: 'a', config, paused: false });
    await settle();
    run.progress('imitate', 0.5);
    await run.end();
    const iteration = messages.find(({ type }) => type === 'iteration');
    expect(iteration).toMatchObject({ runId: 'a', iteration: 1, details });
    expect(structuredClone(iteration)).toEqual(iteration);
    expect(messages).toContainEqual({
      type: 'progress',
      runId: 'a',
      phase: 'imitate',
      fraction: 0.5,
    });
  });

  it('pauses after the present iteration, steps once, and resumes', async () => {
    const run = new HandRun();
    const { session, statuses, iterations } = lab(run);
    session.receive({ type: 'start', runId: 'a', config, paused: false });
    await settle();
    session.receive({ type: 'pause', runId: 'a' });
    await settle();
    expect(iterations('a')).toEqual([]);
    await run.end();
    expect(iterations('a')).toEqual([1]);
    expect(statuses('a').at(-1)).toBe('paused');

    session.receive({ type: 'step', runId: 'a' });
    await settle();
    expect(statuses('a').at(-1)).toBe('running');
    await run.end();
    expect(iterations('a')).toEqual([1, 2]);
    expect(statuses('a').at(-1)).toBe('paused');

    session.receive({ type: 'resume', runId: 'a' });
    await settle();
    await run.end();
    await run.end();
    expect(iterations('a')).toEqual([1, 2, 3, 4]);
    expect(statuses('a').at(-1)).toBe('running');
  });

  it('waits at the start when it is started paused', async () => {
    const run = new HandRun();
    const { session, statuses } = lab(run);
    session.receive({ type: 'start', runId: 'a', config, paused: true });
    await settle();
    expect(statuses('a')).toEqual(['starting', 'paused']);
    session.receive({ type: 'stop', runId: 'a' });
    await session.settled;
    expect(statuses('a').at(-1)).toBe('stopped');
    expect(run.destroyed).toBe(true);
  });

  it('leaves a rollout between two turns when another run is started, which waits for the GPU', async () => {
    const first = new HandRun();
    const second = new HandRun();
    const { session, opened, statuses, iterations } = lab(first, second);
    session.receive({ type: 'start', runId: 'a', config, paused: false });
    await settle();
    session.receive({ type: 'start', runId: 'b', config, paused: false });
    await settle();
    expect(opened).toEqual([first]);
    let thrown: Error | null = null;
    try {
      first.progress('rollout', 0.5);
    } catch (error) {
      thrown = error as Error;
    }
    expect(thrown?.name).toBe('RunEnded');
    await first.end(thrown);
    expect(first.destroyed).toBe(true);
    expect(opened).toEqual([first, second]);
    expect(statuses('a').at(-1)).toBe('stopped');
    expect(iterations('a')).toEqual([]);
    await second.end();
    expect(iterations('b')).toEqual([1]);
  });

  it('leaves updates in their midst on the processor, and lets those of a GPU through', async () => {
    const leaves = async (processor: boolean) => {
      const run = new HandRun();
      Object.assign(run, { machine: { ...run.machine, processor } });
      const { session } = lab(run);
      session.receive({ type: 'start', runId: 'a', config, paused: false });
      await settle();
      session.receive({ type: 'stop', runId: 'a' });
      try {
        run.progress('update', 0.5);
      } catch (error) {
        await run.end(error as Error);
        return true;
      }
      await run.end();
      return false;
    };
    expect(await leaves(true)).toBe(true);
    expect(await leaves(false)).toBe(false);
  });

  it('goes on on another device from where it is, without being started anew', async () => {
    const first = new HandRun();
    const second = new HandRun(1000, 1);
    const { session, opened, opensFrom, messages, statuses } = lab(first, second);
    session.receive({ type: 'start', runId: 'a', config, paused: false });
    await settle();
    session.receive({ type: 'move', runId: 'a', device: 'processor' });
    await settle();
    // Not in the midst of an iteration.
    expect(opened).toEqual([first]);
    await first.end();
    expect(first.destroyed).toBe(true);
    expect(opened).toEqual([first, second]);
    expect(opensFrom).toEqual([null, 1]);
    await second.end();
    const iterations = messages.flatMap((m) => (m.type === 'iteration' ? [m.iteration] : []));
    expect(iterations).toEqual([1, 2]);
    expect(statuses('a').at(-1)).toBe('running');
  });

  it('goes on on another device that was asked for while it was being opened', async () => {
    const first = new HandRun();
    const second = new HandRun(1000, 0);
    const { session, opened, gate } = lab(first, second);
    let open = () => {};
    gate.open = () =>
      new Promise<void>((resolve) => {
        open = resolve;
      });
    session.receive({ type: 'start', runId: 'a', config, paused: true });
    await settle();
    session.receive({ type: 'move', runId: 'a', device: 'processor' });
    gate.open = async () => {};
    open();
    await settle();
    expect(opened).toEqual([first, second]);
    expect(first.destroyed).toBe(true);
  });

  it('names the error of a failed run, keeps quiet about it afterwards, and can start again', async () => {
    const first = new HandRun();
    const { session, messages, fatal, statuses } = lab(first, new HandRun());
    session.receive({ type: 'start', runId: 'a', config, paused: false });
    await settle();
    const lost = new Error('the driver was reset');
    lost.name = 'DeviceLostError';
    fatal[0]?.(lost);
    await first.end(new Error('a buffer could not be mapped'));
    await session.settled;
    // The loss is the cause; what failed because of it is not what the visitor needs to read.
    expect(messages.filter(({ type }) => type === 'error')).toMatchObject([
      { runId: 'a', name: 'DeviceLostError', message: 'the driver was reset' },
    ]);
    expect(statuses('a').at(-1)).toBe('failed');
    expect(first.destroyed).toBe(true);
    session.receive({ type: 'resume', runId: 'a' });
    session.receive({ type: 'start', runId: 'b', config, paused: false });
    await settle();
    expect(statuses('b')).toEqual(['starting', 'running']);
    expect(statuses('a').at(-1)).toBe('failed');
  });

  it('fails a paused run at once when the GPU is lost', async () => {
    const run = new HandRun();
    const { session, fatal, statuses } = lab(run);
    session.receive({ type: 'start', runId: 'a', config, paused: true });
    await settle();
    fatal[0]?.(new Error('lost'));
    await session.settled;
    expect(statuses('a')).toEqual(['starting', 'paused', 'failed']);
  });

  it('reports an error of opening', async () => {
    const { session, messages, statuses } = lab();
    session.receive({ type: 'start', runId: 'a', config, paused: false });
    await session.settled;
    expect(messages.find(({ type }) => type === 'error')).toMatchObject({
      message: 'no adapter',
    });
    expect(statuses('a')).toEqual(['starting', 'failed']);
  });

  it('drops messages for other runs', async () => {
    const run = new HandRun();
    const { session, statuses } = lab(run);
    session.receive({ type: 'start', runId: 'b', config, paused: false });
    await settle();
    session.receive({ type: 'pause', runId: 'a' });
    session.receive({ type: 'stop', runId: 'a' });
    await run.end();
    expect(statuses('b')).toEqual(['starting', 'running']);
    expect(run.destroyed).toBe(false);
  });
});

describe('questions for the agent', () => {
  const evaluate = { type: 'evaluate-agent', runId: 'a', request: 7, settings } as const;
  const read = { type: 'read-checkpoint', runId: 'a', request: 8 } as const;
  const gone = 'The run is over, and its agent is gone.';
  const answers = (messages: readonly WorkerMessage[]) =>
    messages.filter((message) => 'request' in message);

  it('are answered between two iterations, and training goes on', async () => {
    const run = new HandRun();
    const { session, messages, iterations } = lab(run);
    session.receive({ type: 'start', runId: 'a', config, paused: false });
    await settle();
    session.receive(evaluate);
    session.receive(read);
    await settle();
    expect(run.evaluation).toBeNull();
    await run.end();
    expect(run.evaluation?.settings).toEqual(settings);
    run.evaluation?.onProgress(0.25);
    expect(messages.at(-1)).toEqual({
      type: 'progress',
      runId: 'a',
      phase: 'evaluate',
      fraction: 0.25,
    });
    await run.endEvaluation();
    expect(answers(messages)).toEqual([
      {
        type: 'evaluation-report',
        runId: 'a',
        request: 7,
        report: { ...report, trained: { iteration: 1, turns: 0, tokens: 0 } },
      },
      { type: 'checkpoint', runId: 'a', request: 8, bytes: Uint8Array.of(1) },
    ]);
    await run.end();
    expect(iterations('a')).toEqual([1, 2]);
  });

  it('are answered while the run is paused and after it has finished, without changing that', async () => {
    const run = new HandRun(1);
    const { session, messages, statuses } = lab(run);
    session.receive({ type: 'start', runId: 'a', config, paused: true });
    await settle();
    session.receive(read);
    await settle();
    session.receive({ type: 'resume', runId: 'a' });
    await settle();
    await run.end();
    session.receive(evaluate);
    await settle();
    await run.endEvaluation();
    expect(answers(messages).map(({ type }) => type)).toEqual(['checkpoint', 'evaluation-report']);
    // Said again after an answer, so that the page knows that its phase is over.
    expect(statuses('a')).toEqual([
      ...['starting', 'paused', 'paused'],
      ...['running', 'finished', 'finished'],
    ]);
  });

  it('are refused when the run is over, was ended in between, or another one', async () => {
    const first = new HandRun();
    const { session, messages } = lab(first, new HandRun());
    session.receive(read);
    session.receive({ type: 'start', runId: 'a', config, paused: true });
    await settle();
    session.receive({ ...read, runId: 'other' });
    session.receive(evaluate);
    session.receive(read);
    await settle();
    session.receive({ type: 'start', runId: 'b', config, paused: false });
    const { evaluation } = first;
    let thrown: Error | null = null;
    try {
      evaluation?.onProgress(0.5);
    } catch (error) {
      thrown = error as Error;
    }
    expect(thrown?.name).toBe('RunEnded');
    await first.endEvaluation(thrown);
    expect(first.destroyed).toBe(true);
    expect(answers(messages)).toEqual([
      { type: 'refusal', runId: 'a', request: 8, reason: gone },
      { type: 'refusal', runId: 'other', request: 8, reason: gone },
      { type: 'refusal', runId: 'a', request: 7, reason: gone },
      { type: 'refusal', runId: 'a', request: 8, reason: gone },
    ]);
  });

  it('are refused when the run is ended before it could be opened', async () => {
    const first = new HandRun();
    const { session, messages } = lab(first, new HandRun());
    session.receive({ type: 'start', runId: 'before', config, paused: false });
    await settle();
    session.receive({ type: 'start', runId: 'a', config, paused: false });
    session.receive(read);
    session.receive({ type: 'stop', runId: 'a' });
    await first.end();
    await session.settled;
    expect(answers(messages)).toEqual([{ type: 'refusal', runId: 'a', request: 8, reason: gone }]);
  });

  it('are refused with what went wrong, and the run goes on', async () => {
    const run = new HandRun();
    const { session, messages, statuses } = lab(run);
    session.receive({ type: 'start', runId: 'a', config, paused: true });
    await settle();
    session.receive(evaluate);
    await settle();
    await run.endEvaluation(new Error('the maze has no exit'));
    expect(answers(messages)).toMatchObject([{ type: 'refusal', reason: 'the maze has no exit' }]);
    session.receive({ type: 'resume', runId: 'a' });
    await settle();
    expect(statuses('a').at(-1)).toBe('running');
  });

  it('lose a GPU as training does; a finished run stays finished', async () => {
    const [playing, finished] = [new HandRun(), new HandRun(1)];
    const { session, messages, fatal, statuses } = lab(playing, finished);
    session.receive({ type: 'start', runId: 'a', config, paused: true });
    await settle();
    session.receive(evaluate);
    await settle();
    fatal[0]?.(new Error('lost'));
    await playing.endEvaluation(new Error('a buffer could not be mapped'));
    expect(answers(messages)).toMatchObject([{ type: 'refusal', reason: 'lost' }]);
    expect(statuses('a').at(-1)).toBe('failed');

    session.receive({ type: 'start', runId: 'b', config, paused: false });
    await settle();
    await finished.end();
    fatal[1]?.(new Error('lost again'));
    await session.settled;
    expect(finished.destroyed).toBe(true);
    expect(statuses('b').at(-1)).toBe('finished');
    expect(messages.filter(({ type }) => type === 'error')).toHaveLength(1);
    session.receive({ ...read, runId: 'b' });
    expect(messages.at(-1)).toMatchObject({ type: 'refusal', runId: 'b', reason: gone });
  });
});

describe('pick', () => {
  const episode = (id: number, success: boolean) => ({ id, success });

  it('takes the first and the first that ended the other way', () => {
    const episodes = [episode(0, false), episode(1, false), episode(2, true), episode(3, true)];
    expect(pick(episodes).map(({ id }) => id)).toEqual([0, 2]);
    expect(pick(episodes.slice(2)).map(({ id }) => id)).toEqual([2]);
    expect(pick(episodes, episodes.length + 1).map(({ id }) => id)).toEqual([1, 2]);
    expect(pick([])).toEqual([]);
    expect(pick([], 3)).toEqual([]);
  });
});

const unavailable = () =>
  Object.assign(new Error('no adapter'), { name: 'WebGpuUnavailableError' });

const deviceLost = () =>
  Object.assign(new Error('the driver was reset'), { name: 'DeviceLostError' });

describe('a kept run', () => {
  it('is kept after its first iteration, and again when it pauses', async () => {
    const storage = new HandStorage();
    const run = new HandRun();
    const { session, messages } = keptLab(storage, run);
    session.receive({ type: 'start', runId: 'a', config, paused: false, keep });
    await settle();
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

  it('trains on without room, says so, and is kept whole once there is room again', async () => {
    const storage = new HandStorage();
    storage.full = true;
    const run = new HandRun();
    const { session, messages, iterations } = keptLab(storage, run);
    session.receive({ type: 'start', runId: 'a', config, paused: false, keep });
    await settle();
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

  it('goes on from its newest checkpoint that can be read', async () => {
    const storage = new HandStorage();
    const first = keptLab(storage, new HandRun());
    first.session.receive({ type: 'start', runId: 'a', config, paused: true, keep });
    await settle();
    for (let i = 0; i < 2; i++) {
      first.session.receive({ type: 'step', runId: 'a' });
      await settle();
      await first.opened[0]?.end();
    }
    expect(storage.snapshots.map(({ iteration }) => iteration)).toEqual([1, 2]);
    storage.snapshots[1]?.checkpoint.fill(DAMAGED);

    const second = keptLab(storage, new HandRun(1000, 1));
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

  it('recovers from a lost GPU by itself, and gives up when it gets no farther', async () => {
    const storage = new HandStorage();
    const runs = [new HandRun(), ...Array.from({ length: 3 }, () => new HandRun(1000, 1))];
    const { session, messages, opensFrom, fatal, statuses, iterations } = keptLab(storage, ...runs);
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

  it('keeps where the GPU was lost with the iteration that came after', async () => {
    const storage = new HandStorage();
    const runs = [new HandRun(), new HandRun(1000, 1)];
    const { session, fatal } = keptLab(storage, ...runs);
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

  it('says that the run is kept where no other GPU is to be had', async () => {
    const storage = new HandStorage();
    const run = new HandRun();
    const { session, messages, fatal, statuses } = keptLab(storage, run);
    session.receive({ type: 'start', runId: 'a', config, paused: false, keep });
    await settle();
    await run.end();
    fatal[0]?.(deviceLost());
    await run.end(new Error('a buffer could not be mapped'));
    await session.settled;
    // Not the error of a browser without WebGPU, which would take the curves off the page.
    expect(messages.filter(({ type }) => type === 'error')).toMatchObject([
      {
        name: 'GpuGoneError',
        message: expect.stringContaining('after iteration 1.'),
        advice: expect.stringMatching(/^Reload the page/),
      },
    ]);
    expect(statuses('a').at(-1)).toBe('failed');
  });

  it('loses nothing when the GPU is lost while it is opened', async () => {
    const storage = new HandStorage();
    const first = keptLab(storage, new HandRun());
    first.session.receive({ type: 'start', runId: 'a', config, paused: true, keep });
    await settle();
    for (let i = 0; i < 2; i++) {
      first.session.receive({ type: 'step', runId: 'a' });
      await settle();
      await first.opened[0]?.end();
    }

    const second = keptLab(storage, new HandRun(1000, 2));
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

  it('says where it stood when the GPU is lost while it is opened and there is no other', async () => {
    const storage = new HandStorage();
    const first = keptLab(storage, new HandRun());
    first.session.receive({ type: 'start', runId: 'a', config, paused: true, keep });
    await settle();
    first.session.receive({ type: 'step', runId: 'a' });
    await settle();
    await first.opened[0]?.end();

    const second = keptLab(storage);
    second.gate.open = async () => {
      second.gate.open = async () => {};
      throw deviceLost();
    };
    const stored = { ...keep, stored: true };
    second.session.receive({ type: 'start', runId: 'a', config, paused: true, keep: stored });
    await second.session.settled;
    expect(second.messages.filter(({ type }) => type === 'error')).toMatchObject([
      { name: 'GpuGoneError', message: expect.stringContaining('after iteration 1.') },
    ]);
    expect(storage.snapshots.map(({ iteration }) => iteration)).toEqual([1]);
  });

  it('is still finished when its GPU is lost and there is no other', async () => {
    const storage = new HandStorage();
    const run = new HandRun(1);
    const { session, messages, fatal, statuses } = keptLab(storage, run);
    session.receive({ type: 'start', runId: 'a', config, paused: false, keep });
    await settle();
    await run.end();
    fatal[0]?.(deviceLost());
    await session.settled;
    expect(statuses('a').at(-1)).toBe('finished');
    expect(messages.filter(({ type }) => type === 'error')).toEqual([]);
  });
});
