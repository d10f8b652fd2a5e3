/**
 * The training session behind the worker: one run at a time, iteration after iteration, with an ear
 * for the page between them. It reaches the page only through `post`, so it runs in Node as well.
 */

import type { Config } from '../config/schema.ts';
import type { DeviceChoice } from '../device/index.ts';
import type { EpisodeRecord } from '../runs/episode.ts';
import type { EvaluationReport } from '../runs/evaluation-report.ts';
import type { Alternatives, Inspection } from '../runs/inspection.ts';
import type { EpisodeSummary } from '../runs/kept-episodes.ts';
import type { PhaseFacts } from '../runs/phase-facts.ts';
import type { KeptCheckpoint, KeptEpisodesState } from '../runs/record.ts';
import type { Row } from '../runs/row.ts';
import { drive } from '../training/drive.ts';
import type { KeptIdentity, RunKeeper } from './keeper.ts';
import type {
  EvaluationSettings,
  InitialAgent,
  KeepRequest,
  Machine,
  NumberedRecord,
  PageMessage,
  Phase,
  RunId,
  SessionStatus,
  StorageState,
  WorkerMessage,
} from './protocol.ts';

/** What one iteration hands to the page. */
export interface SessionIteration extends Pick<Row, 'iteration' | 'metrics' | 'details'> {
  readonly episodes: readonly EpisodeRecord[];
  readonly evaluation?: NonNullable<Row['evaluation']> & {
    readonly episodes: readonly EpisodeRecord[];
  };
  /** A stop condition of the config is met. */
  readonly finished: boolean;
}

/** A run that is kept while it trains. */
export type KeepRun = (identity: KeptIdentity, tell: (state: StorageState) => void) => RunKeeper;

/** The episodes that a run keeps; they can be read when the GPU has been freed as well. */
export interface SessionEpisodes {
  /** All of them, to be kept with the run. */
  readonly state: KeptEpisodesState;
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
  /** Iterations finished. */
  readonly iteration: number;
  /** A stop condition of the config is met. */
  readonly finished: boolean;
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

/** What a run is made of. */
export interface RunRequest {
  readonly config: Config;
  readonly device: DeviceChoice;
  /** The checkpoint that it goes on from. */
  readonly from: KeptCheckpoint | null;
  /** The agent that training goes on from; random weights where absent. */
  readonly initial?: InitialAgent | undefined;
}

export interface SessionOptions {
  readonly post: (message: WorkerMessage) => void;
  /**
   * Makes a run ready to iterate, from random weights or from a checkpoint. `onFatal` is called when
   * the GPU fails in between calls.
   */
  readonly open: (request: RunRequest, onFatal: (error: Error) => void) => Promise<SessionRun>;
  /** Absent where nothing is ever kept. */
  readonly keep?: KeepRun;
  /**
   * Makes a kept run this page's own until the answer is called.
   *
   * @throws where another page has it open.
   */
  readonly lock?: (id: RunId) => Promise<() => void>;
  /** For tests: loses the GPU. */
  readonly loseGpu?: () => void;
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

/** GPUs that a run may lose without getting any farther. */
const MOST_LOST = 3;

/** A lost GPU is replaced by another as long as the run gets farther with it. */
function isRecoverable({ keep, ended, fatal, lost }: Current, error: unknown): boolean {
  const cause = fatal ?? error;
  const isLoss = cause instanceof Error && cause.name === 'DeviceLostError';
  return isLoss && keep !== null && !ended && lost < MOST_LOST;
}

const isUnavailable = (error: unknown): error is Error =>
  error instanceof Error && /^(WebGpu|Processor)UnavailableError$/.test(error.name);

/** The GPU was lost in the midst of a run, and there is no other. */
class GpuGoneError extends Error {
  override readonly name = 'GpuGoneError';
  constructor(iteration: number, cause: Error) {
    super(
      `The GPU was lost, and the browser gives no new one. The run stands after iteration ${iteration}.`,
      { cause },
    );
  }
}

/** What ends a wait: an iteration is asked for, or the run's end, or its move to another device. */
type Heard = 'iterate' | 'ended' | { readonly moves: KeptCheckpoint };

/** The status that the page was told, and the way to tell it another. */
interface Status {
  readonly posted: SessionStatus | null;
  post(next: SessionStatus): void;
}

interface Current {
  readonly id: RunId;
  readonly config: Config;
  device: DeviceChoice;
  readonly keep: KeepRequest | null;
  readonly initial: InitialAgent | undefined;
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
  /** GPUs lost since an iteration was reached that no earlier attempt had reached. */
  lost: number;
  /** None has been finished since the GPU was lost. */
  justLost: boolean;
  farthest: number;
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
        device: message.device ?? 'auto',
        keep: message.keep ?? null,
        initial: message.initial,
        questions: [],
        going: !message.paused,
        steps: 0,
        phaseStep: null,
        finished: false,
        ended: false,
        fatal: null,
        lost: 0,
        justLost: false,
        farthest: 0,
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
      case 'move':
        current.device = message.device;
        break;
      case 'lose-gpu':
        this.#options.loseGpu?.();
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
    const { post, lock = async () => () => {} } = this.#options;
    const { id } = current;
    let posted: SessionStatus | null = null;
    const status: Status = {
      get posted() {
        return posted;
      },
      post(next) {
        if (next !== posted) post({ type: 'status', runId: id, status: next });
        posted = next;
      },
    };
    if (current.ended) return;
    const keeper = this.#keeper(current);
    let unlock = () => {};
    try {
      status.post('starting');
      if (current.keep !== null) unlock = await lock(id);
      await this.#leadOn(current, keeper, status);
      if (!current.finished) status.post('stopped');
    } catch (error) {
      if (this.#current === current) this.#current = null;
      if (current.finished) {
        // The record is complete; that the agent can no longer be asked is told to whoever asks.
      } else if (error instanceof RunEnded) {
        status.post('stopped');
        await keeper?.note('stopped');
      } else {
        post({ type: 'error', runId: id, ...describeError(current.fatal ?? error) });
        status.post('failed');
        await keeper?.note('failed');
      }
    } finally {
      for (const question of current.questions.splice(0)) this.#refuse(question);
      unlock();
    }
  }

  #keeper({ id, config, keep }: Current): RunKeeper | null {
    if (keep === null) return null;
    const { name, preset } = keep;
    const identity = { id, name, preset, config, created: Date.now() };
    const tell = (storage: StorageState) =>
      this.#options.post({ type: 'storage', runId: id, storage });
    return this.#options.keep?.(identity, tell) ?? null;
  }

  /** Leads a run to its end, over lost GPUs: it begins again from its newest checkpoint. */
  async #leadOn(current: Current, keeper: RunKeeper | null, status: Status): Promise<void> {
    const { post } = this.#options;
    let stored = current.keep?.stored === true && keeper !== null;
    let from: KeptCheckpoint | null = null;
    for (;;) {
      let run: SessionRun | null = null;
      try {
        run = stored
          ? await this.#openStored(current, keeper)
          : await this.#openFrom(current, from ?? keeper?.latest ?? null);
        stored = false;
        from = null;
        current.finished = run.finished;
        this.#kept = { id: current.id, episodes: run.episodes };
        post({ type: 'machine', runId: current.id, machine: run.machine });
        if (keeper !== null) keeper.adapter = run.machine.adapter;
        from = await this.#lead(current, run, keeper, status);
        if (from === null) return;
        status.post('starting');
      } catch (error) {
        if (current.lost > 0 && isUnavailable(error)) {
          throw new GpuGoneError(keeper?.latest?.iteration ?? 0, error);
        }
        if (!isRecoverable(current, error)) throw error;
        current.lost += 1;
        current.justLost = true;
        current.fatal = null;
        current.phaseStep = null;
        stored = false;
        await keeper?.restored(keeper.latest);
        const iteration = keeper?.latest?.iteration ?? 0;
        post({ type: 'restored', runId: current.id, iteration, reason: 'gpu-lost' });
        status.post('starting');
      } finally {
        run?.destroy();
      }
    }
  }

  async #openFrom(current: Current, from: KeptCheckpoint | null): Promise<SessionRun> {
    const { config, device, initial } = current;
    return await this.#options.open({ config, device, from, initial }, (error) => {
      current.fatal = error;
      current.wake();
    });
  }

  /** Opens a kept run from its newest checkpoint, or from the one before where that is damaged. */
  async #openStored(current: Current, keeper: RunKeeper | null): Promise<SessionRun> {
    const kept = (await keeper?.load()) ?? [];
    let refusal: unknown = new Error('no checkpoint of this run is kept, so it cannot go on');
    for (const checkpoint of kept) {
      try {
        const run = await this.#openFrom(current, checkpoint);
        await keeper?.restored(checkpoint);
        current.farthest = checkpoint.iteration;
        const { iteration } = checkpoint;
        this.#options.post({ type: 'restored', runId: current.id, iteration, reason: 'opened' });
        return run;
      } catch (error) {
        if (!(error instanceof Error) || error.name !== 'CheckpointError') throw error;
        refusal = error;
      }
    }
    throw refusal;
  }

  /**
   * Iterates, waits and answers until the run is ended, or is to go on on another device: then from the
   * checkpoint that it returns.
   */
  async #lead(
    current: Current,
    run: SessionRun,
    keeper: RunKeeper | null,
    status: Status,
  ): Promise<KeptCheckpoint | null> {
    const { device } = current;
    if (current.finished) status.post('finished');
    const driven = {
      get finished() {
        return current.finished;
      },
      iterate: async () => {
        status.post('running');
        const inPhases = !current.going && current.steps === 0;
        if (!current.going && !inPhases) current.steps -= 1;
        const onPhase = inPhases ? this.#phases(current, (next) => status.post(next)) : null;
        current.finished = await this.#iterate(current, run, keeper, onPhase);
      },
    };
    let heard = 'iterate' as Heard;
    const asked = async () => {
      heard = await this.#untilAsked(current, run, keeper, status, device);
      return heard === 'iterate';
    };
    for await (const _ of drive(driven, asked)) {
      current.phaseStep = null;
      if (current.finished) status.post('finished');
      else if (keeper?.due === true) await keeper.save(run, 'running');
    }
    // A run that has finished goes on answering until it is ended.
    if (heard === 'iterate') await asked();
    return typeof heard === 'object' ? heard.moves : null;
  }

  /**
   * Waits and answers until an iteration is asked for, the run is ended, or it is to go on elsewhere.
   *
   * @param device that the run was opened on
   */
  async #untilAsked(
    current: Current,
    run: SessionRun,
    keeper: RunKeeper | null,
    status: Status,
    device: DeviceChoice,
  ): Promise<Heard> {
    const { post, breathe } = this.#options;
    for (;;) {
      await breathe();
      if (current.fatal !== null) throw current.fatal;
      if (current.ended) {
        if (!current.finished) await keeper?.save(run, 'stopped');
        await keeper?.settled();
        return 'ended';
      }
      if (current.device !== device && !current.finished) {
        await keeper?.save(run, 'running');
        const { iteration, episodes } = run;
        const bytes = await run.checkpoint();
        return { moves: { iteration, bytes, episodes: episodes.state } };
      }
      const question = current.questions.shift();
      if (question !== undefined) {
        await this.#answer(current, run, question);
        // Said once more, it ends the phase that the answer may have been.
        const { posted } = status;
        if (posted !== null) post({ type: 'status', runId: current.id, status: posted });
        continue;
      }
      const asked = current.going || current.steps > 0 || current.phaseStep !== null;
      if (current.finished || !asked) {
        await keeper?.save(run, current.finished ? 'finished' : 'paused');
        await keeper?.settled();
        if (!current.finished) status.post('paused');
        await this.#wait(current, device);
        continue;
      }
      return 'iterate';
    }
  }

  /** Until the page says something, or the GPU is lost. */
  async #wait(current: Current, device: DeviceChoice): Promise<void> {
    const heard = () =>
      current.ended ||
      current.fatal !== null ||
      current.questions.length > 0 ||
      (current.device !== device && !current.finished) ||
      (!current.finished && (current.going || current.steps > 0 || current.phaseStep !== null));
    while (!heard()) {
      await new Promise<void>((resolve) => {
        current.wake = resolve;
      });
    }
    current.wake = () => {};
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
      const onProgress = this.#progress(current, run);
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
  #progress(
    current: Current,
    { machine: { processor } }: SessionRun,
  ): (phase: Phase, fraction: number) => void {
    let reported = Number.NEGATIVE_INFINITY;
    return (phase, fraction) => {
      // Between two turns is the soonest an ended run can be left, and on the processor between two
      // updates; on a GPU these are queued all at once, and are let through.
      if (current.ended && (phase !== 'update' || processor))
        throw new RunEnded('the page ended this run');
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
    keeper: RunKeeper | null,
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
    const result = await run.iterate(this.#progress(current, run), look === null ? null : onPhase);
    if (current.fatal !== null) throw current.fatal;
    if (current.ended) throw new RunEnded('the page ended this run');
    const { iteration, metrics, details, episodes, evaluation, finished } = result;
    const milliseconds = performance.now() - started;
    post({ type: 'iteration', runId, iteration, metrics, details, episodes, milliseconds });
    if (evaluation !== undefined) {
      post({ type: 'evaluation', runId, iteration, ...evaluation });
    }
    const { episodes: tested = [], ...tests } = evaluation ?? {};
    keeper?.add(
      {
        iteration,
        metrics,
        details,
        milliseconds,
        device: run.machine.adapter,
        ...(evaluation === undefined ? {} : { evaluation: { metrics: {}, ...tests } }),
        ...(current.justLost ? { gpuLost: true } : {}),
      },
      episodes,
      tested,
    );
    current.justLost = false;
    if (iteration > current.farthest) {
      current.farthest = iteration;
      current.lost = 0;
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
  if (name === 'RunTooLargeError') {
    return 'Change one of them in the settings, and apply it.';
  }
  if (name === 'KernelArgumentError') {
    return 'The device cannot hold the run. Lower the width, the layers, the micro-batch or the group size in the settings, and apply them.';
  }
  if (name === 'EnvironmentFault') {
    return 'The environment failed, not the agent. The message names the task and the action; try another seed, and report it.';
  }
  if (name === 'RunOpenElsewhereError') {
    return 'Go on in the other tab, or close it and reload this page.';
  }
  if (name === 'DeviceLostError') {
    return 'The browser took the GPU away several times in a row: the driver was reset, the computer slept, or memory ran out. Reload the page to go on from what was kept; if it is lost again, lower the group size or the width in the settings.';
  }
  if (name === 'GpuGoneError') {
    return 'Reload the page to go on from what was kept. If it then finds no WebGPU, close the browser and open it again: after losses it may hold the GPU back until then.';
  }
  if (/Memory/.test(name)) {
    return 'Lower the micro-batch, the group size or the width in the settings, and apply them.';
  }
  return 'The curves are kept. Press Reset to begin again from random weights.';
}
