import type { Config } from '../../config/schema.ts';
import type { KeptCheckpoint } from '../../runs/record.ts';
import type { RunKeeper } from '../keeper.ts';
import type { DeviceChoice } from '../protocol.ts';
import { type Command, Commands, type Start } from './commands.ts';
import { DeviceLosses } from './device-losses.ts';
import { describeError, GpuGoneError, isDeviceLoss, isUnavailable, RunEnded } from './errors.ts';
import { DeviceFailure } from './failure.ts';
import { PagePort } from './page-port.ts';
import { type AgentQuestion, QuestionQueue } from './questions.ts';
import { RunLoop } from './run-loop.ts';
import { Signal } from './signal.ts';
import type { SessionEpisodes, SessionOptions, SessionRun } from './types.ts';

/** Where a run starts: a checkpoint, its newest stored checkpoint, or its beginning. */
type StartPoint = KeptCheckpoint | 'stored' | null;

/** A run from start to end, across lost devices and moves between devices. */
export class RunLifecycle {
  readonly #start: Start;
  readonly #options: SessionOptions;
  readonly #signal = new Signal();
  readonly #commands: Commands;
  readonly #questions: QuestionQueue;
  readonly #losses = new DeviceLosses();
  readonly #page: PagePort;
  readonly #keeper: RunKeeper | null;
  /** Includes all changes so far. */
  #config: Config;
  /** Whether the stop condition was met when the last run loop ended. */
  #finished = false;
  /** Whether the run has been open on a device. Until then, its stored status stays. */
  #wasOpened = false;

  constructor(start: Start, options: SessionOptions) {
    const { runId, config, keep, base } = start;
    const onChange = () => this.#signal.notify();
    this.#start = start;
    this.#config = config;
    this.#options = options;
    this.#commands = new Commands(start, onChange);
    this.#questions = new QuestionQueue(options.post, onChange);
    this.#page = new PagePort(runId, options.post);
    this.#keeper =
      keep === undefined
        ? null
        : (options.keep?.(
            {
              ...{ id: runId, name: keep.name, preset: keep.preset, config, created: Date.now() },
              ...(base && { base }),
            },
            (storage) => this.#page.send({ type: 'storage', storage }),
          ) ?? null);
  }

  take(command: Command): void {
    this.#commands.take(command);
  }

  ask(question: AgentQuestion): void {
    this.#questions.add(question);
  }

  cancelQuestion(request: number): void {
    this.#questions.cancel(request);
  }

  end(): void {
    this.#commands.end();
  }

  /**
   * Resolves when the run has ended and freed the GPU. Never rejects: errors are sent to the page.
   *
   * @param onOpened called whenever the run is opened on a device, with its kept episodes
   */
  async run(onOpened: (episodes: SessionEpisodes) => void): Promise<void> {
    const { lock = async () => () => {} } = this.#options;
    const { runId, keep } = this.#start;
    let unlock = () => {};
    try {
      // The page ended this run while the previous one was freeing the GPU.
      if (this.#commands.ended) return;
      this.#page.sendStatus('starting');
      if (keep !== undefined) unlock = await lock(runId);
      await this.#runOnDevices(onOpened);
      this.#page.sendStatus(this.#finished ? 'finished' : 'stopped');
    } catch (error) {
      await this.#fail(error);
    } finally {
      this.#questions.refuseAll();
      unlock();
    }
  }

  async #fail(error: unknown): Promise<void> {
    if (this.#finished) {
      // The record is complete; only later questions fail, with a refusal.
      this.#page.sendStatus('finished');
    } else if (error instanceof RunEnded || this.#commands.ended) {
      this.#page.sendStatus('stopped');
      if (this.#wasOpened) await this.#keeper?.setStatus('stopped');
    } else {
      await this.#keeper?.settled();
      const isStored = this.#start.keep?.stored === true || (this.#keeper?.stored ?? 0) > 0;
      this.#page.send({ type: 'error', ...describeError(error, isStored) });
      this.#page.sendStatus('failed');
      if (this.#wasOpened) await this.#keeper?.setStatus('failed');
    }
  }

  /** Runs until the page ends the run. Reopens it after each GPU loss and each device change. */
  async #runOnDevices(onOpened: (episodes: SessionEpisodes) => void): Promise<void> {
    let from: StartPoint = this.#start.keep?.stored === true ? 'stored' : null;
    for (;;) {
      try {
        const moved = await this.#runOnDevice(from, onOpened);
        if (moved === null) return;
        from = moved;
      } catch (error) {
        from = await this.#recover(error, from);
      }
      this.#page.sendStatus('starting');
    }
  }

  /** Opens the run on one device and runs it there. Returns the result of `RunLoop.run`. */
  async #runOnDevice(
    from: StartPoint,
    onOpened: (episodes: SessionEpisodes) => void,
  ): Promise<KeptCheckpoint | null> {
    const failure = new DeviceFailure(() => this.#signal.notify());
    const keeper = this.#keeper;
    const { device } = this.#commands;
    let run: SessionRun | null = null;
    try {
      run =
        from === 'stored' && keeper !== null
          ? await this.#openStored(keeper, device, failure)
          : await this.#open(from === 'stored' ? null : from, device, failure);
      this.#wasOpened = true;
      onOpened(run.episodes);
      this.#page.send({ type: 'machine', machine: run.machine });
      if (keeper !== null) keeper.adapter = run.machine.adapter;
      const loop = new RunLoop(run, {
        device,
        commands: this.#commands,
        questions: this.#questions,
        failure,
        signal: this.#signal,
        page: this.#page,
        keeper,
        losses: this.#losses,
        yieldToMessages: this.#options.yieldToMessages,
        onChanged: (config) => {
          this.#config = config;
          if (keeper !== null) keeper.config = config;
        },
      });
      return await loop.run();
    } catch (error) {
      throw failure.causeOf(error);
    } finally {
      if (run !== null) this.#finished = run.finished;
      run?.destroy();
    }
  }

  async #open(
    from: KeptCheckpoint | null,
    device: DeviceChoice,
    failure: DeviceFailure,
  ): Promise<SessionRun> {
    const { initial, base } = this.#start;
    return await this.#options.open(
      { config: this.#config, device, from, initial, base },
      (error) => failure.report(error),
    );
  }

  /** Opens a stored run from its newest checkpoint, or from the previous one if that is damaged. */
  async #openStored(
    keeper: RunKeeper,
    device: DeviceChoice,
    failure: DeviceFailure,
  ): Promise<SessionRun> {
    let refusal: unknown = new Error('this run cannot continue: no checkpoint of it is stored');
    for (const checkpoint of await keeper.load()) {
      const { iteration } = checkpoint;
      this.#losses.begin(iteration);
      try {
        const run = await this.#open(checkpoint, device, failure);
        await keeper.restored(checkpoint);
        this.#page.send({ type: 'restored', iteration, reason: 'opened' });
        return run;
      } catch (error) {
        if (!(error instanceof Error) || error.name !== 'CheckpointError') throw error;
        refusal = error;
      }
    }
    throw refusal;
  }

  /**
   * Where the run continues after an error: at its newest checkpoint if the GPU was lost.
   *
   * @param before where it was opened before the error
   * @throws the error if the run cannot continue.
   */
  async #recover(error: unknown, before: StartPoint): Promise<StartPoint> {
    const latest = this.#keeper?.latest ?? null;
    // A stored run that could not be opened has lost no iterations.
    const unopened = before === 'stored' && latest === null;
    const iteration = unopened ? this.#losses.farthest : (latest?.iteration ?? 0);
    if (this.#losses.any && isUnavailable(error)) {
      await this.#keeper?.settled();
      throw new GpuGoneError(this.#keeper?.stored ?? 0, error);
    }
    const isKept = this.#start.keep !== undefined;
    if (!isDeviceLoss(error) || !isKept || this.#commands.ended || this.#losses.tooMany) {
      throw error;
    }
    this.#losses.count();
    if (unopened) return 'stored';
    this.#commands.leaveIteration();
    await this.#keeper?.restored(latest);
    this.#page.send({ type: 'restored', iteration, reason: 'gpu-lost' });
    return latest;
  }
}
