import type { Config } from '../../config/schema.ts';
import type { KeptCheckpoint } from '../../runs/record.ts';
import type { Row } from '../../runs/row.ts';
import { drive } from '../../training/drive.ts';
import type { RunKeeper } from '../keeper.ts';
import type { DeviceChoice } from '../protocol.ts';
import { isBetweenUpdates, type OnProgress } from '../questions.ts';
import type { Commands } from './commands.ts';
import type { DeviceLosses } from './device-losses.ts';
import { RunEnded } from './errors.ts';
import type { DeviceFailure } from './failure.ts';
import type { PagePort } from './page-port.ts';
import { stopAtPhases } from './phase-stops.ts';
import type { AgentQuestion, QuestionQueue } from './questions.ts';
import type { Signal } from './signal.ts';
import type { OnPhase, SessionIteration, SessionOptions, SessionRun } from './types.ts';

interface RunLoopOptions {
  /** The device that the run was opened on. */
  readonly device: DeviceChoice;
  readonly commands: Commands;
  readonly questions: QuestionQueue;
  readonly failure: DeviceFailure;
  /** Notified when commands, questions or failure change. */
  readonly signal: Signal;
  readonly page: PagePort;
  /** Null if the run is not kept. */
  readonly keeper: RunKeeper | null;
  readonly losses: DeviceLosses;
  readonly yieldToMessages: SessionOptions['yieldToMessages'];
  /** Called when the run's config has changed. */
  readonly onChanged: (config: Config) => void;
}

/** Why a wait ended: an iteration, the end of the run, or a move to another device was requested. */
type WaitResult = 'iterate' | 'ended' | { readonly moveWith: KeptCheckpoint };

/** The loop of an open run on one device: iterates, waits and answers questions. */
export class RunLoop {
  readonly #run: SessionRun;
  readonly #options: RunLoopOptions;
  /** The answer that began between updates; null if there is none. */
  #answering: Promise<void> | null = null;

  constructor(run: SessionRun, options: RunLoopOptions) {
    this.#run = run;
    this.#options = options;
  }

  /**
   * Runs until the page ends the run or moves it to another device.
   *
   * @returns the checkpoint to continue from on the other device; null if the run was ended
   * @throws {RunEnded} if the page ended it during an iteration, and no iteration is lost.
   * @throws the device's failure, and errors of the trainer.
   */
  async run(): Promise<KeptCheckpoint | null> {
    const run = this.#run;
    const { commands, keeper } = this.#options;
    let waited = 'iterate' as WaitResult;
    const waitForWork = async () => {
      waited = await this.#wait();
      return waited === 'iterate';
    };
    const driven = {
      get finished() {
        return run.finished;
      },
      iterate: () => this.#iterate(),
    };
    for await (const _ of drive(driven, waitForWork)) {
      commands.leaveIteration();
      if (!run.finished && keeper?.due === true) await keeper.save(run, 'running');
    }
    // A finished run answers questions until it is ended.
    if (waited === 'iterate') await waitForWork();
    return typeof waited === 'object' ? waited.moveWith : null;
  }

  /** Waits and answers questions until there is something else to do. */
  async #wait(): Promise<WaitResult> {
    const run = this.#run;
    const { commands, questions, failure, signal, page, keeper, yieldToMessages } = this.#options;
    const mustAct = () =>
      failure.happened ||
      commands.ended ||
      !questions.isEmpty ||
      (!run.finished && (this.#mustMove || commands.hasChanges || commands.hasWork));
    for (;;) {
      await yieldToMessages();
      failure.check();
      if (commands.ended) {
        await keeper?.save(run, run.finished ? 'finished' : 'stopped');
        await keeper?.settled();
        return 'ended';
      }
      if (commands.hasChanges && !run.finished) await this.#change();
      if (this.#mustMove && !run.finished) {
        await keeper?.save(run, 'running');
        const { iteration, episodes } = run;
        const bytes = await run.checkpoint();
        return { moveWith: { iteration, bytes, episodes: episodes.state } };
      }
      if (!questions.isEmpty) {
        await this.#answer();
        page.resendStatus();
        continue;
      }
      if (!run.finished && commands.hasWork) return 'iterate';
      // Save before sending the status: a page that is reloaded on this status must find this iteration.
      const status = run.finished ? 'finished' : 'paused';
      await keeper?.save(run, status);
      await keeper?.settled();
      page.sendStatus(status);
      await signal.waitUntil(mustAct);
    }
  }

  get #mustMove(): boolean {
    const { commands, device } = this.#options;
    return commands.device !== device;
  }

  /** Applies the requested changes and reports the result. */
  async #change(): Promise<void> {
    const { commands, page, onChanged } = this.#options;
    try {
      const config = await this.#run.change(commands.takeChanges());
      onChanged(config);
      page.send({ type: 'config-changed', config });
    } catch (error) {
      if (!isRejection(error)) throw error;
      page.send({ type: 'change-rejected', reason: error.message });
    }
  }

  async #answer(): Promise<void> {
    await this.#answering;
    try {
      await this.#answerNext();
    } catch (error) {
      // The loop saves the run before it ends.
      if (!(error instanceof RunEnded)) throw error;
    }
  }

  /** Begins to answer a question while updates are queued; the device computes it after them. */
  #answerBetweenUpdates(): void {
    if (this.#options.questions.isEmpty) return;
    this.#answering ??= this.#answerNext(isBetweenUpdates)
      // Training fails with the same error, which is reported there.
      .catch(() => {})
      .finally(() => {
        this.#answering = null;
      });
  }

  async #answerNext(may?: (question: AgentQuestion) => boolean): Promise<void> {
    const { questions, failure, yieldToMessages } = this.#options;
    const report = this.#progress(() => this.#options.commands.ended);
    const onProgress: OnProgress = (...progress) => {
      questions.checkCancelled();
      report(...progress);
    };
    const context = { onProgress, yieldToMessages };
    await questions.answerNext(this.#run.answers, context, failure, may);
  }

  /**
   * Whether to abort the current iteration of an ended run. If earlier iterations are unsaved, it is
   * completed, because a checkpoint can be made only between iterations.
   */
  readonly #isAborted = (): boolean => {
    const { commands, keeper } = this.#options;
    return commands.ended && keeper?.hasNewRows !== true;
  };

  /** Reports progress of a piece of work to the page, and aborts the work. */
  #progress(isAborted: () => boolean): OnProgress {
    const { page } = this.#options;
    const { processor } = this.#run.machine;
    const send = page.progress();
    return (phase, ...progress) => {
      // Work can be aborted between turns and, on the CPU, between updates. On a GPU all updates are
      // queued at once, so they finish.
      if (isAborted() && (phase !== 'update' || processor)) throw new RunEnded();
      send(phase, ...progress);
    };
  }

  async #iterate(): Promise<void> {
    const { commands, failure, page } = this.#options;
    page.sendStatus('running');
    const onPhase = commands.takeIteration() ? null : stopAtPhases(this.#options);
    let began = performance.now();
    // Exclude the time spent paused at a phase.
    const timed: OnPhase = async (facts) => {
      const since = performance.now();
      await onPhase?.(facts);
      began += performance.now() - since;
    };
    const report = this.#progress(this.#isAborted);
    const onProgress: OnProgress = (phase, ...progress) => {
      report(phase, ...progress);
      if (phase === 'imitate') this.#answerBetweenUpdates();
    };
    const result = await this.#run.iterate(onProgress, onPhase === null ? null : timed);
    failure.check();
    if (this.#isAborted()) throw new RunEnded();
    this.#report(result, performance.now() - began);
  }

  /** Sends the row of an iteration to the page and to the keeper. */
  #report(result: SessionIteration, milliseconds: number): void {
    const { page, keeper, losses } = this.#options;
    const { iteration, metrics, details, episodes, evaluation } = result;
    const { episodes: evaluated = [], ...evaluationOfRow } = evaluation ?? {};
    const row: Row = {
      iteration,
      metrics,
      details,
      milliseconds,
      device: this.#run.machine.adapter,
      ...(evaluation === undefined ? {} : { evaluation: { metrics: {}, ...evaluationOfRow } }),
      ...(losses.reach(iteration) ? { gpuLost: true } : {}),
    };
    page.send({ type: 'row', row, episodes, evaluated });
    keeper?.add(row, episodes, evaluated);
  }
}

/** Whether an error means that the run rejects the new settings. */
function isRejection(error: unknown): error is Error {
  return error instanceof Error && ['ConfigError', 'RunTooLargeError'].includes(error.name);
}
