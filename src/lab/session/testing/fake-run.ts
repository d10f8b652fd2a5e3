/** Runs and storage that a test controls, and a session that uses them. */

import { expect } from 'vitest';
import { type LiveValues, withChanges } from '../../../config/changes.ts';
import { completeConfig } from '../../../config/check.ts';
import { presetConfig } from '../../../config/presets.ts';
import type { Config } from '../../../config/schema.ts';
import type { IterationDetails } from '../../../runs/details.ts';
import type { EpisodeRecord } from '../../../runs/episode.ts';
import type { EvaluationReport } from '../../../runs/evaluation-report.ts';
import type { EpisodeSummary } from '../../../runs/kept-episodes.ts';
import type { RunSnapshot, RunStatus } from '../../../runs/record.ts';
import { RunKeeper, type RunStorage } from '../../keeper.ts';
import type { KeepRequest, SessionStatus, WorkerMessage } from '../../protocol.ts';
import type {
  AgentAnswers,
  EvaluationSettings,
  Phase,
  QuestionContext,
  RecordAnswers,
} from '../../questions.ts';
import { LabSession } from '../session.ts';
import type { SessionRun } from '../types.ts';

export const config = presetConfig('maze');

export const details: IterationDetails = {
  updates: [],
  staleness: [[0, 12]],
  diagnosis: {
    update: 4,
    clipLow: 0.6,
    clipHigh: 1.2,
    samples: [{ logp: -1, ratio: 1.1, advantage: 0.5, entropy: Number.NaN }],
  },
};

export const keptEpisode: EpisodeSummary = {
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
export const record: EpisodeRecord = {
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
export const recordWithoutTokens: EpisodeRecord = {
  ...record,
  turns: record.turns.map((turn) => ({ ...turn, tokens: [] })),
};

export const report: EvaluationReport = {
  trained: { iteration: 0, turns: 0, tokens: 0 },
  seed: 1,
  temperature: 1,
  environments: [],
};
export const settings: EvaluationSettings = { tasks: 3, samples: 2, seed: 1 };

/** The first byte of a checkpoint that cannot be read. */
export const DAMAGED = 255;

export const fakeMachine = {
  adapter: 'fake',
  processor: false,
  software: true,
  threads: 0,
  withoutGpu: null,
  movedFrom: null,
  parameters: 7,
  vocabulary: 3,
};

/** A run whose iterations end when the test calls `end`. */
export class FakeRun implements SessionRun {
  readonly machine = fakeMachine;
  readonly episodes = {
    answers: {
      'list-episodes': () => [keptEpisode],
      'read-episodes': ({ numbers, tokens }) =>
        numbers.includes(keptEpisode.number)
          ? [{ number: keptEpisode.number, record: tokens ? record : recordWithoutTokens }]
          : [],
      'inspect-episode': () => null,
      'list-conversations': () => [],
    } satisfies Partial<RecordAnswers> as unknown as RecordAnswers,
    state: { training: [], evaluation: [], numbers: 0 },
  };
  readonly length: number;
  iteration: number;
  destroyed = false;
  config = config;
  progress: (phase: Phase, fraction: number) => void = () => {};
  /** The running evaluation, if any. */
  evaluation: {
    readonly settings: EvaluationSettings;
    readonly onProgress: (fraction: number) => void;
    readonly end: (error: Error | null) => void;
  } | null = null;
  #end: (error: Error | null) => void = () => {};

  /** @param iteration where the run resumes */
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

  /** Ends the current iteration, and lets the session react. */
  async end(error: Error | null = null): Promise<void> {
    this.#end(error);
    await settle();
  }

  async change(values: LiveValues) {
    expect(this.destroyed).toBe(false);
    this.config = completeConfig(withChanges(this.config, this.iteration + 1, values));
    return this.config;
  }

  /** Answers of the questions that tests ask. */
  readonly answers = {
    'evaluate-agent': async (settings, { onProgress }) => {
      expect(this.destroyed).toBe(false);
      await new Promise<void>((resolve, reject) => {
        this.evaluation = {
          settings,
          onProgress: (fraction) => onProgress('evaluate', fraction),
          end: (error) => (error === null ? resolve() : reject(error)),
        };
      });
      this.evaluation = null;
      return { ...report, trained: { ...report.trained, iteration: this.iteration } };
    },
    'read-checkpoint': () => this.checkpoint(),
    'read-alternatives': () => Promise.reject(new Error('This episode is no longer kept.')),
    'read-policy': async () => ({ iteration: this.iteration, situations: [] }),
    'read-demonstration': async ({ task }) => {
      if (task === 'broken') throw new Error('the device is lost');
      return { turns: [[{ text: task, probability: 0.5, first: true }]] };
    },
    'read-weights': () => Promise.reject(new Error('A fake run has no network.')),
    'answer-task': async ({ task }) => `an answer to ${task}`,
    'compare-critiques': async () => [],
    'collect-critiques': (_ask, context) => this.#collectForever(context),
  } satisfies Partial<AgentAnswers> as unknown as AgentAnswers;

  /** Reports progress until it is cancelled. */
  async #collectForever({ onProgress }: QuestionContext): Promise<never> {
    for (;;) {
      await settle();
      onProgress('collect', 0.5);
    }
  }

  async checkpoint() {
    expect(this.destroyed).toBe(false);
    return Uint8Array.of(this.iteration);
  }

  /** Ends the evaluation, and lets the session react. */
  async endEvaluation(error: Error | null = null): Promise<void> {
    this.evaluation?.end(error);
    await settle();
  }

  destroy(): void {
    this.destroyed = true;
  }
}

/** One turn of the event loop; nothing in these tests waits for time. */
export const settle = () => new Promise((resolve) => setTimeout(resolve, 0));

/** Storage with two checkpoints, which fails while `full` is set. */
export class FakeStorage implements RunStorage {
  readonly snapshots: RunSnapshot[] = [];
  readonly statuses: RunStatus[] = [];
  /** Configs that were stored without a snapshot. */
  readonly configs: Config[] = [];
  full = false;

  async save(snapshot: RunSnapshot) {
    if (this.full) throw Object.assign(new Error('no room'), { state: 'full' });
    this.snapshots.push(snapshot);
  }
  async setStatus(_id: string, status: RunStatus, config?: Config) {
    if (this.full) throw Object.assign(new Error('no room'), { state: 'full' });
    this.statuses.push(status);
    if (config !== undefined) this.configs.push(config);
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

export const keep: KeepRequest = { name: 'A maze', preset: 'maze', stored: false };

export function sessionOf(...runs: FakeRun[]) {
  return storedSessionOf(null, ...runs);
}

export function storedSessionOf(storage: RunStorage | null, ...runs: FakeRun[]) {
  const messages: WorkerMessage[] = [];
  const opened: FakeRun[] = [];
  const opensFrom: (number | null)[] = [];
  const opensWith: Config[] = [];
  const fatal: ((error: Error) => void)[] = [];
  /** Awaited before a run is opened or locked. */
  const gate = { open: async () => {}, lock: async () => {} };
  const session = new LabSession({
    post: (message) => messages.push(message),
    open: async ({ from, config }, onFatal) => {
      await gate.open();
      const run = runs[opened.length];
      if (run === undefined) throw unavailable();
      if (from?.bytes[0] === DAMAGED) {
        throw Object.assign(new Error('damaged'), { name: 'CheckpointError' });
      }
      opensFrom.push(from?.iteration ?? null);
      opensWith.push(config);
      run.config = config;
      opened.push(run);
      fatal.push(onFatal);
      return run;
    },
    ...(storage === null
      ? {}
      : // With a stopped clock, no later save is due while the run iterates.
        { keep: (identity, report) => new RunKeeper(storage, identity, report, () => 0) }),
    lock: async () => {
      await gate.lock();
      return () => {};
    },
    yieldToMessages: () => Promise.resolve(),
  });
  const statuses = (runId: string): SessionStatus[] =>
    messages.flatMap((message) =>
      message.type === 'status' && message.runId === runId ? [message.status] : [],
    );
  const iterations = (runId: string): number[] =>
    messages.flatMap((message) =>
      message.type === 'row' && message.runId === runId ? [message.row.iteration] : [],
    );
  return { session, messages, opened, opensFrom, opensWith, fatal, gate, statuses, iterations };
}

const unavailable = () =>
  Object.assign(new Error('no adapter'), { name: 'WebGpuUnavailableError' });

export const deviceLost = () =>
  Object.assign(new Error('the driver was reset'), { name: 'DeviceLostError' });
