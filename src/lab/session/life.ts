import type { Config } from '../../config/schema.ts';
import type { KeptCheckpoint } from '../../runs/record.ts';
import type { RunKeeper } from '../keeper.ts';
import type { DeviceChoice } from '../protocol.ts';
import { type Command, Commands, type Start } from './commands.ts';
import { describeError, GpuGoneError, isDeviceLoss, isUnavailable, RunEnded } from './errors.ts';
import { DeviceFailure } from './failure.ts';
import { Lead } from './lead.ts';
import { Losses } from './losses.ts';
import { RunPage } from './page.ts';
import { type AgentQuestion, Questions } from './questions.ts';
import { Signal } from './signal.ts';
import type { SessionEpisodes, SessionOptions, SessionRun } from './types.ts';

/** Where a run is opened: at a checkpoint, at its newest kept one, or at its beginning. */
type Opening = KeptCheckpoint | 'kept' | null;

/** A run of the page from its start to its end, over all devices that it is computed on. */
export class RunLife {
  readonly #start: Start;
  readonly #options: SessionOptions;
  readonly #signal = new Signal();
  readonly #commands: Commands;
  readonly #questions: Questions;
  readonly #losses = new Losses();
  readonly #page: RunPage;
  readonly #keeper: RunKeeper | null;
  /** With the changes that the run has had. */
  #config: Config;
  /** Its stop condition was met when it was led last. */
  #finished = false;

  constructor(start: Start, options: SessionOptions) {
    const { runId, config, keep } = start;
    const changed = () => this.#signal.give();
    this.#start = start;
    this.#config = config;
    this.#options = options;
    this.#commands = new Commands(start, changed);
    this.#questions = new Questions(options.post, changed);
    this.#page = new RunPage(runId, options.post);
    this.#keeper =
      keep === undefined
        ? null
        : (options.keep?.(
            { id: runId, name: keep.name, preset: keep.preset, config, created: Date.now() },
            (storage) => this.#page.tell({ type: 'storage', storage }),
          ) ?? null);
  }

  take(command: Command): void {
    this.#commands.take(command);
  }

  ask(question: AgentQuestion): void {
    this.#questions.ask(question);
  }

  giveUp(request: number): void {
    this.#questions.giveUp(request);
  }

  end(): void {
    this.#commands.end();
  }

  /**
   * Resolves when the run is over and has freed the GPU; never rejects, since the page is told.
   *
   * @param onOpened called whenever the run is opened, with the episodes that it keeps
   */
  async live(onOpened: (episodes: SessionEpisodes) => void): Promise<void> {
    const { lock = async () => () => {} } = this.#options;
    const { runId, keep } = this.#start;
    let unlock = () => {};
    try {
      // Ended while the run before it freed the GPU.
      if (this.#commands.ended) return;
      this.#page.status('starting');
      if (keep !== undefined) unlock = await lock(runId);
      await this.#lead(onOpened);
      if (!this.#finished) this.#page.status('stopped');
    } catch (error) {
      await this.#fail(error);
    } finally {
      this.#questions.refuse();
      unlock();
    }
  }

  async #fail(error: unknown): Promise<void> {
    if (this.#finished) {
      // The record is complete; that the agent can no longer be asked is told to whoever asks.
      this.#page.status('finished');
    } else if (error instanceof RunEnded) {
      this.#page.status('stopped');
      await this.#keeper?.note('stopped');
    } else {
      this.#page.tell({ type: 'error', ...describeError(error) });
      this.#page.status('failed');
      await this.#keeper?.note('failed');
    }
  }

  /** Leads the run over lost GPUs and from one device to another, until the page ends it. */
  async #lead(onOpened: (episodes: SessionEpisodes) => void): Promise<void> {
    let opening: Opening = this.#start.keep?.stored === true ? 'kept' : null;
    for (;;) {
      try {
        const moved = await this.#leadOn(opening, onOpened);
        if (moved === null) return;
        opening = moved;
      } catch (error) {
        opening = await this.#recover(error, opening);
      }
      this.#page.status('starting');
    }
  }

  /** Opens the run and leads it on one device, until what ends that; `Lead` says what. */
  async #leadOn(
    opening: Opening,
    onOpened: (episodes: SessionEpisodes) => void,
  ): Promise<KeptCheckpoint | null> {
    const failure = new DeviceFailure(() => this.#signal.give());
    const keeper = this.#keeper;
    const { device } = this.#commands;
    let run: SessionRun | null = null;
    try {
      run =
        opening === 'kept' && keeper !== null
          ? await this.#openKept(keeper, device, failure)
          : await this.#open(opening === 'kept' ? null : opening, device, failure);
      onOpened(run.episodes);
      this.#page.tell({ type: 'machine', machine: run.machine });
      if (keeper !== null) keeper.adapter = run.machine.adapter;
      const lead = new Lead(run, {
        device,
        commands: this.#commands,
        questions: this.#questions,
        failure,
        signal: this.#signal,
        page: this.#page,
        keeper,
        losses: this.#losses,
        breathe: this.#options.breathe,
        onChanged: (config) => {
          this.#config = config;
          if (keeper !== null) keeper.config = config;
        },
      });
      return await lead.toItsEnd();
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
    const { initial } = this.#start;
    return await this.#options.open({ config: this.#config, device, from, initial }, (error) =>
      failure.report(error),
    );
  }

  /** Opens a kept run from its newest checkpoint, or from the one before where that is damaged. */
  async #openKept(
    keeper: RunKeeper,
    device: DeviceChoice,
    failure: DeviceFailure,
  ): Promise<SessionRun> {
    let refusal: unknown = new Error('no checkpoint of this run is kept, so it cannot go on');
    for (const checkpoint of await keeper.load()) {
      const { iteration } = checkpoint;
      this.#losses.begin(iteration);
      try {
        const run = await this.#open(checkpoint, device, failure);
        await keeper.restored(checkpoint);
        this.#page.tell({ type: 'restored', iteration, reason: 'opened' });
        return run;
      } catch (error) {
        if (!(error instanceof Error) || error.name !== 'CheckpointError') throw error;
        refusal = error;
      }
    }
    throw refusal;
  }

  /**
   * Where the run goes on after an error: at its newest checkpoint, where it has lost a GPU.
   *
   * @param before where it was opened when the error came
   * @throws the error, where it cannot go on.
   */
  async #recover(error: unknown, before: Opening): Promise<Opening> {
    const latest = this.#keeper?.latest ?? null;
    // A kept run that has not been opened is as it was kept, and no iteration of it is lost.
    const unopened = before === 'kept' && latest === null;
    const iteration = unopened ? this.#losses.farthest : (latest?.iteration ?? 0);
    if (this.#losses.any && isUnavailable(error)) throw new GpuGoneError(iteration, error);
    const isKept = this.#start.keep !== undefined;
    if (!isDeviceLoss(error) || !isKept || this.#commands.ended || this.#losses.tooMany) {
      throw error;
    }
    this.#losses.count();
    if (unopened) return 'kept';
    this.#commands.leaveIteration();
    await this.#keeper?.restored(latest);
    this.#page.tell({ type: 'restored', iteration, reason: 'gpu-lost' });
    return latest;
  }
}
