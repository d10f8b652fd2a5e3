/**
 * The training session behind the worker: one run at a time, iteration after iteration, with an ear
 * for the page between them. It reaches the page only through `post`, so it runs in Node as well.
 */

import type { Config } from '../runs/config.ts';
import type { EnvironmentResult, IterationDetails } from '../runs/details.ts';
import type { EpisodeRecord } from '../runs/episode.ts';
import type { EvaluationReport } from '../runs/evaluation-report.ts';
import type { Alternatives, Inspection } from '../runs/inspection.ts';
import type { EpisodeSummary } from '../runs/kept-episodes.ts';
import type { MetricRow } from '../runs/metrics.ts';
import type { PhaseFacts } from '../runs/phase-facts.ts';
import type {
  EvaluationSettings,
  Machine,
  NumberedRecord,
  PageMessage,
  Phase,
  RunId,
  SessionStatus,
  WorkerMessage,
} from './protocol.ts';

/** What one iteration hands to the page. */
export interface SessionIteration {
  readonly iteration: number;
  readonly metrics: MetricRow;
  readonly details: IterationDetails;
  readonly episodes: readonly EpisodeRecord[];
  readonly evaluation?: {
    readonly metrics: MetricRow;
    readonly environments?: readonly EnvironmentResult[];
    readonly episodes: readonly EpisodeRecord[];
  };
  /** A stop condition of the config is met. */
  readonly finished: boolean;
}

/** The episodes that a run keeps; they can be read when the GPU has been freed as well. */
export interface SessionEpisodes {
  list(): readonly EpisodeSummary[];
  /** Those of the given numbers that are still kept. */
  read(numbers: readonly number[], tokens: boolean): readonly NumberedRecord[];
  /** A kept episode with all that was learned from it, or null. */
  inspect(number: number): Inspection | null;
}

/** A trainer on a machine, as the session drives it. */
export interface SessionRun {
  readonly machine: Machine;
  readonly episodes: SessionEpisodes;
  /**
   * @param onPhase waited for after each phase, where the iteration is taken phase by phase; what is
   *   trained is the same with and without it
   */
  iterate(
    onProgress: (phase: Phase, fraction: number) => void,
    onPhase: ((facts: PhaseFacts) => Promise<void>) | null,
  ): Promise<SessionIteration>;
  /** Between iterations; what is trained afterwards is the same with and without it. */
  evaluate(
    settings: EvaluationSettings,
    onProgress: (fraction: number) => void,
    breathe: () => Promise<void>,
  ): Promise<EvaluationReport>;
  /** What the agent would write in a kept episode, or null; between iterations. */
  alternatives(number: number): Promise<Alternatives | null>;
  /** The agent as a file; between iterations. */
  checkpoint(): Promise<Uint8Array<ArrayBuffer>>;
  /** Frees the GPU. */
  destroy(): void;
}

export interface SessionOptions {
  readonly post: (message: WorkerMessage) => void;
  /**
   * Makes a run ready to iterate. `onFatal` is called when the GPU fails in between calls.
   */
  readonly open: (config: Config, onFatal: (error: Error) => void) => Promise<SessionRun>;
  /** Resolves after messages that have arrived in the meantime were delivered. */
  readonly breathe: () => Promise<void>;
}

/** Progress messages closer together than this say nothing that an eye could see. */
const PROGRESS_INTERVAL_MS = 120;

/** Thrown through the trainer to leave an iteration whose run has been ended. */
class RunEnded extends Error {
  override readonly name = 'RunEnded';
}

/** Why a question has to wait for another time. */
const MID_ITERATION =
  'The run is being taken phase by phase and is in the midst of an iteration; finish the iteration first.';

/** A question that only the agent itself can answer. */
type AgentQuestion = Extract<
  PageMessage,
  { type: 'evaluate-agent' | 'read-checkpoint' | 'read-alternatives' }
>;

/** A question about kept episodes, which needs no agent. */
type EpisodeQuestion = Extract<
  PageMessage,
  { type: 'list-episodes' | 'read-episodes' | 'inspect-episode' }
>;

interface Current {
  readonly id: RunId;
  readonly config: Config;
  /** To be answered after the present iteration. */
  readonly questions: AgentQuestion[];
  /** Iterate without being asked. */
  going: boolean;
  /** Single iterations asked for. */
  steps: number;
  /** A single phase asked for, or the way to a later one. */
  phaseStep: 'next' | 'last-loss' | null;
  /** Its stop condition was met; the agent stays for questions until the run is ended. */
  finished: boolean;
  ended: boolean;
  fatal: Error | null;
  /** Ends the wait of a paused run. */
  wake: () => void;
}

export class LabSession {
  readonly #options: SessionOptions;
  #current: Current | null = null;
  /** Of the latest run, which may be over. */
  #kept: { readonly id: RunId; readonly episodes: SessionEpisodes } | null = null;
  /** The run before must have freed the GPU before the next one asks for it. */
  #last: Promise<void> = Promise.resolve();

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  /** Takes one message of the page. Messages for runs that are over change nothing. */
  receive(message: PageMessage): void {
    if (message.type === 'start') {
      this.#end();
      const current: Current = {
        id: message.runId,
        config: message.config,
        questions: [],
        going: !message.paused,
        steps: 0,
        phaseStep: null,
        finished: false,
        ended: false,
        fatal: null,
        wake: () => {},
      };
      this.#current = current;
      this.#last = this.#last.then(() => this.#drive(current));
      return;
    }
    if (
      message.type === 'list-episodes' ||
      message.type === 'read-episodes' ||
      message.type === 'inspect-episode'
    ) {
      this.#tellEpisodes(message);
      return;
    }
    const current = this.#current;
    if (
      message.type === 'evaluate-agent' ||
      message.type === 'read-checkpoint' ||
      message.type === 'read-alternatives'
    ) {
      if (current?.id === message.runId) {
        current.questions.push(message);
        current.wake();
      } else {
        this.#refuse(message);
      }
      return;
    }
    if (current === null || current.id !== message.runId) return;
    switch (message.type) {
      case 'pause':
        current.going = false;
        current.steps = 0;
        current.phaseStep = null;
        break;
      case 'resume':
        current.going = true;
        break;
      case 'step':
        if (!current.going) current.steps += 1;
        break;
      case 'step-phase':
        if (!current.going && current.steps === 0) current.phaseStep = message.to;
        break;
      case 'stop':
        this.#end();
        break;
      default:
        message satisfies never;
    }
    current.wake();
  }

  /** Resolves when every run that was ended has freed the GPU. */
  get settled(): Promise<void> {
    return this.#last;
  }

  /** Always answers, since the page waits for it: a run that is forgotten has kept nothing. */
  #tellEpisodes(message: EpisodeQuestion): void {
    const { post } = this.#options;
    const { runId, request } = message;
    const kept = this.#kept?.id === runId ? this.#kept.episodes : null;
    if (message.type === 'inspect-episode') {
      const inspection = kept?.inspect(message.number) ?? null;
      post({ type: 'inspection', runId, request, inspection });
    } else if (message.type === 'list-episodes') {
      post({ type: 'episode-list', runId, request, episodes: kept?.list() ?? [] });
    } else {
      const records = kept?.read(message.numbers, message.tokens) ?? [];
      post({ type: 'episode-records', runId, request, records });
    }
  }

  #refuse({ runId, request }: AgentQuestion, reason = 'The run is over, and its agent is gone.') {
    this.#options.post({ type: 'refusal', runId, request, reason });
  }

  #end(): void {
    if (this.#current === null) return;
    this.#current.ended = true;
    this.#current.wake();
    this.#current = null;
  }

  async #drive(current: Current): Promise<void> {
    const { post, open, breathe } = this.#options;
    const { id } = current;
    let posted: SessionStatus | null = null;
    const status = (next: SessionStatus) => {
      if (next !== posted) post({ type: 'status', runId: id, status: next });
      posted = next;
    };
    if (current.ended) return;
    let run: SessionRun | null = null;
    try {
      status('starting');
      run = await open(current.config, (error) => {
        current.fatal = error;
        current.wake();
      });
      this.#kept = { id, episodes: run.episodes };
      post({ type: 'machine', runId: id, machine: run.machine });
      for (;;) {
        await breathe();
        if (current.fatal !== null) throw current.fatal;
        if (current.ended) break;
        const question = current.questions.shift();
        if (question !== undefined) {
          await this.#answer(current, run, question);
          // Said once more, it ends the phase that the answer may have been.
          if (posted !== null) post({ type: 'status', runId: id, status: posted });
          continue;
        }
        const asked = current.going || current.steps > 0 || current.phaseStep !== null;
        if (current.finished || !asked) {
          if (!current.finished) status('paused');
          await new Promise<void>((resolve) => {
            current.wake = resolve;
          });
          current.wake = () => {};
          continue;
        }
        status('running');
        const inPhases = !current.going && current.steps === 0;
        if (!current.going && !inPhases) current.steps -= 1;
        const onPhase = inPhases ? this.#phases(current, status) : null;
        current.finished = await this.#iterate(current, run, onPhase);
        current.phaseStep = null;
        if (current.finished) status('finished');
      }
      if (!current.finished) status('stopped');
    } catch (error) {
      if (this.#current === current) this.#current = null;
      if (current.finished) {
        // The record is complete; that the agent can no longer be asked is told to whoever asks.
      } else if (error instanceof RunEnded) {
        status('stopped');
      } else {
        post({ type: 'error', runId: id, ...describeError(current.fatal ?? error) });
        status('failed');
      }
    } finally {
      for (const question of current.questions.splice(0)) this.#refuse(question);
      run?.destroy();
    }
  }

  /** Always answers, with a refusal where it cannot. Only what ends the run is thrown on. */
  async #answer(current: Current, run: SessionRun, question: AgentQuestion): Promise<void> {
    const { post, breathe } = this.#options;
    const { runId, request } = question;
    try {
      if (question.type === 'read-checkpoint') {
        post({ type: 'checkpoint', runId, request, bytes: await run.checkpoint() });
        return;
      }
      if (question.type === 'read-alternatives') {
        const alternatives = await run.alternatives(question.number);
        if (alternatives === null) this.#refuse(question, 'This episode is no longer kept.');
        else post({ type: 'alternatives', runId, request, alternatives });
        return;
      }
      const onProgress = this.#progress(current);
      const report = await run.evaluate(
        question.settings,
        (fraction) => onProgress('evaluate', fraction),
        breathe,
      );
      post({ type: 'evaluation-report', runId, request, report });
    } catch (error) {
      if (error instanceof RunEnded) this.#refuse(question);
      else this.#refuse(question, describeError(current.fatal ?? error).message);
      if (error instanceof RunEnded || current.fatal !== null) throw error;
    }
  }

  /** Tells the page of progress, and leaves the work of a run that was ended. */
  #progress(current: Current): (phase: Phase, fraction: number) => void {
    let reported = Number.NEGATIVE_INFINITY;
    return (phase, fraction) => {
      // Between two turns is the soonest an ended run can be left; updates are queued on the GPU
      // all at once and are let through.
      if (current.ended && phase !== 'update') throw new RunEnded('the page ended this run');
      const now = performance.now();
      if (now - reported < PROGRESS_INTERVAL_MS) return;
      reported = now;
      this.#options.post({ type: 'progress', runId: current.id, phase, fraction });
    };
  }

  /** Tells the page of each phase, and waits until it asks for the next one or for the rest. */
  #phases(
    current: Current,
    status: (status: SessionStatus) => void,
  ): (facts: PhaseFacts) => Promise<void> {
    let rest = false;
    return async (facts) => {
      if (rest) return;
      const last = facts.phase === 'loss' && facts.index === facts.of;
      if (current.phaseStep === 'last-loss' && !last) return;
      this.#options.post({ type: 'phase', runId: current.id, facts });
      current.phaseStep = null;
      status('paused');
      const free = () => current.ended || current.fatal !== null;
      while (!free() && !current.going && current.steps === 0 && current.phaseStep === null) {
        for (const question of current.questions.splice(0)) this.#refuse(question, MID_ITERATION);
        await new Promise<void>((resolve) => {
          current.wake = resolve;
        });
        current.wake = () => {};
      }
      if (current.fatal !== null) throw current.fatal;
      if (current.ended) throw new RunEnded('the page ended this run');
      status('running');
      rest = current.going || current.steps > 0;
      if (current.steps > 0) current.steps -= 1;
    };
  }

  async #iterate(
    current: Current,
    run: SessionRun,
    look: ((facts: PhaseFacts) => Promise<void>) | null,
  ): Promise<boolean> {
    const { post } = this.#options;
    const runId = current.id;
    let started = performance.now();
    // The time that somebody takes to look at a phase is none of the iteration's.
    const onPhase = async (facts: PhaseFacts) => {
      const since = performance.now();
      await look?.(facts);
      started += performance.now() - since;
    };
    const result = await run.iterate(this.#progress(current), look === null ? null : onPhase);
    if (current.fatal !== null) throw current.fatal;
    if (current.ended) throw new RunEnded('the page ended this run');
    const { iteration, metrics, details, episodes, evaluation, finished } = result;
    const milliseconds = performance.now() - started;
    post({ type: 'iteration', runId, iteration, metrics, details, episodes, milliseconds });
    if (evaluation !== undefined) {
      post({ type: 'evaluation', runId, iteration, ...evaluation });
    }
    return finished;
  }
}

/** An error in the words of the page: what happened, and what to do about it. */
export function describeError(error: unknown): {
  readonly name: string;
  readonly message: string;
  readonly advice: string;
} {
  const name = error instanceof Error ? error.name : 'Error';
  const message = error instanceof Error ? error.message : String(error);
  return { name, message, advice: adviceFor(name) };
}

function adviceFor(name: string): string {
  if (name === 'ConfigError') return 'Correct the value in the settings and apply them again.';
  if (name === 'EnvironmentFault') {
    return 'The environment failed, not the agent. The message names the task and the action; try another seed, and report it.';
  }
  if (/Lost/.test(name)) {
    return 'The browser took the GPU away: the driver was reset, the computer slept, or memory ran out. The curves are kept; press Reset to begin again.';
  }
  if (/Memory/.test(name)) {
    return 'Lower the micro-batch, the group size or the width in the settings, and apply them.';
  }
  return 'The curves are kept. Press Reset to begin again from random weights.';
}
