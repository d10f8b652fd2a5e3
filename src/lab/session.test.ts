import { describe, expect, it } from 'vitest';
import type { IterationDetails } from '../runs/details.ts';
import type { EpisodeRecord } from '../runs/episode.ts';
import type { EpisodeSummary } from '../runs/kept-episodes.ts';
import { presetConfig } from '../runs/presets.ts';
import type { Phase, SessionStatus, WorkerMessage } from './protocol.ts';
import { adapterName, pick } from './run.ts';
import { LabSession, type SessionRun } from './session.ts';

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

/** A run whose iterations end when the test says so. */
class HandRun implements SessionRun {
  readonly machine = { adapter: 'by hand', software: true, parameters: 7, vocabulary: 3 };
  readonly episodes = {
    list: () => [keptEpisode],
    read: (numbers: readonly number[], tokens: boolean) =>
      numbers.includes(keptEpisode.number)
        ? [{ number: keptEpisode.number, record: tokens ? told : silent }]
        : [],
  };
  readonly length: number;
  iteration = 0;
  destroyed = false;
  progress: (phase: Phase, fraction: number) => void = () => {};
  #end: (error: Error | null) => void = () => {};

  constructor(length = 1000) {
    this.length = length;
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

  destroy(): void {
    this.destroyed = true;
  }
}

/** Nothing in these tests waits for time: a turn of the event loop lets all of it run out. */
const settle = () => new Promise((resolve) => setTimeout(resolve, 0));

function lab(...runs: HandRun[]) {
  const messages: WorkerMessage[] = [];
  const opened: HandRun[] = [];
  const fatal: ((error: Error) => void)[] = [];
  const session = new LabSession({
    post: (message) => messages.push(message),
    open: async (_config, onFatal) => {
      const run = runs[opened.length];
      if (run === undefined) throw new Error('no more runs');
      opened.push(run);
      fatal.push(onFatal);
      return run;
    },
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
  return { session, messages, opened, fatal, statuses, iterations };
}

describe('LabSession', () => {
  it('iterates until its stop condition, reports evaluations and frees the GPU', async () => {
    const run = new HandRun(3);
    const { session, messages, statuses, iterations } = lab(run);
    session.receive({ type: 'start', runId: 'a', config, paused: false });
    await settle();
    for (let i = 0; i < 3; i++) await run.end();
    await session.settled;
    expect(iterations('a')).toEqual([1, 2, 3]);
    expect(statuses('a')).toEqual(['starting', 'running', 'finished']);
    expect(messages.filter(({ type }) => type === 'evaluation')).toMatchObject([
      { runId: 'a', iteration: 2, metrics: { 'eval/score': 1 } },
    ]);
    expect(messages.filter(({ type }) => type === 'machine')).toHaveLength(1);
    expect(run.destroyed).toBe(true);
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
    await session.settled;
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
      message: 'no more runs',
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

describe('pick', () => {
  const episode = (id: number, success: boolean) => ({ id, success });

  it('takes the first and the first that ended the other way', () => {
    const episodes = [episode(0, false), episode(1, false), episode(2, true), episode(3, true)];
    expect(pick(episodes).map(({ id }) => id)).toEqual([0, 2]);
    expect(pick(episodes.slice(2)).map(({ id }) => id)).toEqual([2]);
    expect(pick([])).toEqual([]);
  });
});

describe('adapterName', () => {
  it('prefers the description and spells makers as they do', () => {
    const adapter = { vendor: 'nvidia', architecture: 'lovelace', description: '' };
    expect(adapterName(adapter)).toBe('NVIDIA Lovelace');
    expect(adapterName({ ...adapter, description: 'RTX' })).toBe('RTX');
    expect(adapterName({ vendor: '', architecture: '', description: '' })).toMatch(/no name/);
  });
});
