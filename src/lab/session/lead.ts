import type { Config } from '../../config/schema.ts';
import type { KeptCheckpoint } from '../../runs/record.ts';
import type { Row } from '../../runs/row.ts';
import { drive } from '../../training/drive.ts';
import type { RunKeeper } from '../keeper.ts';
import type { DeviceChoice, Phase } from '../protocol.ts';
import type { Commands } from './commands.ts';
import { RunEnded } from './errors.ts';
import type { DeviceFailure } from './failure.ts';
import { phaseByPhase } from './look.ts';
import type { Losses } from './losses.ts';
import type { RunPage } from './page.ts';
import { answerOfAgent, type Questions } from './questions.ts';
import type { Signal } from './signal.ts';
import type { LookAtPhase, SessionIteration, SessionOptions, SessionRun } from './types.ts';

/** Who is heard, who is told, and what is remembered while a run is led. */
export interface LeadOptions {
  /** What the run was opened on. */
  readonly device: DeviceChoice;
  readonly commands: Commands;
  readonly questions: Questions;
  readonly failure: DeviceFailure;
  /** Given when one of these three has changed. */
  readonly signal: Signal;
  readonly page: RunPage;
  /** Null where the run is not kept. */
  readonly keeper: RunKeeper | null;
  readonly losses: Losses;
  readonly breathe: SessionOptions['breathe'];
  /** The run's config has changed. */
  readonly onChanged: (config: Config) => void;
}

/** What ends a wait: an iteration is asked for, or the run's end, or its move to another device. */
type Heard = 'iterate' | 'ended' | { readonly moves: KeptCheckpoint };

/** An opened run on one device: it iterates, waits and answers as the page wants. */
export class Lead {
  readonly #run: SessionRun;
  readonly #options: LeadOptions;

  constructor(run: SessionRun, options: LeadOptions) {
    this.#run = run;
    this.#options = options;
  }

  /**
   * Leads the run until the page ends it or wants it on another device.
   *
   * @returns where it stands, to go on from there on the other device; null when it was ended
   * @throws {RunEnded} where the page ended it in the midst of something.
   * @throws the failure of its device, and what its trainer throws.
   */
  async toItsEnd(): Promise<KeptCheckpoint | null> {
    const run = this.#run;
    const { commands, page, keeper } = this.#options;
    if (run.finished) page.status('finished');
    let heard = 'iterate' as Heard;
    const asked = async () => {
      heard = await this.#untilAsked();
      return heard === 'iterate';
    };
    const led = {
      get finished() {
        return run.finished;
      },
      iterate: () => this.#iterate(),
    };
    for await (const _ of drive(led, asked)) {
      commands.leaveIteration();
      if (run.finished) page.status('finished');
      else if (keeper?.due === true) await keeper.save(run, 'running');
    }
    // A run that has finished goes on answering until it is ended.
    if (heard === 'iterate') await asked();
    return typeof heard === 'object' ? heard.moves : null;
  }

  /** Waits and answers until an iteration is asked for, the run is ended, or it is to go on elsewhere. */
  async #untilAsked(): Promise<Heard> {
    const run = this.#run;
    const { commands, questions, failure, signal, page, keeper, breathe } = this.#options;
    const heard = () =>
      failure.happened ||
      commands.ended ||
      questions.any ||
      (!run.finished && (this.#moves || commands.changes || commands.asked));
    for (;;) {
      await breathe();
      failure.check();
      if (commands.ended) {
        if (!run.finished) await keeper?.save(run, 'stopped');
        await keeper?.settled();
        return 'ended';
      }
      if (commands.changes && !run.finished) await this.#change();
      if (this.#moves && !run.finished) {
        await keeper?.save(run, 'running');
        const { iteration, episodes } = run;
        const bytes = await run.checkpoint();
        return { moves: { iteration, bytes, episodes: episodes.state } };
      }
      if (questions.any) {
        await this.#answer();
        page.repeatStatus();
        continue;
      }
      if (!run.finished && commands.asked) return 'iterate';
      await keeper?.save(run, run.finished ? 'finished' : 'paused');
      await keeper?.settled();
      if (!run.finished) page.status('paused');
      await signal.until(heard);
    }
  }

  /** The page wants the run on another device. */
  get #moves(): boolean {
    const { commands, device } = this.#options;
    return commands.device !== device;
  }

  /** Changes what the page has asked to be changed, and tells it what came of it. */
  async #change(): Promise<void> {
    const { commands, page, onChanged } = this.#options;
    try {
      const config = await this.#run.change(commands.takeChanges());
      onChanged(config);
      page.tell({ type: 'changed', config });
    } catch (error) {
      if (!isRefusal(error)) throw error;
      page.tell({ type: 'unchanged', reason: error.message });
    }
  }

  async #answer(): Promise<void> {
    const { questions, failure, breathe } = this.#options;
    await questions.answerOne(
      (question) => answerOfAgent(question, this.#run, this.#progress(), breathe),
      failure,
    );
  }

  /** Tells the page how far the run is, and leaves the work of one that was ended. */
  #progress(): (phase: Phase, fraction: number) => void {
    const { commands, questions, page } = this.#options;
    const { processor } = this.#run.machine;
    const tell = page.progress();
    return (phase, fraction) => {
      // Between two turns is the soonest an ended run can be left, and on the processor between two
      // updates; on a GPU these are queued all at once, and are let through.
      if (commands.ended && (phase !== 'update' || processor)) throw new RunEnded();
      questions.expectWanted();
      tell(phase, fraction);
    };
  }

  async #iterate(): Promise<void> {
    const { commands, failure, page } = this.#options;
    page.status('running');
    const look = commands.takeWhole() ? null : phaseByPhase(this.#options);
    let began = performance.now();
    // The time that somebody takes to look at a phase is none of the iteration's.
    const timed: LookAtPhase = async (facts) => {
      const since = performance.now();
      await look?.(facts);
      began += performance.now() - since;
    };
    const result = await this.#run.iterate(this.#progress(), look === null ? null : timed);
    failure.check();
    if (commands.ended) throw new RunEnded();
    this.#enter(result, performance.now() - began);
  }

  /** Tells what an iteration came to, and has it kept. */
  #enter(result: SessionIteration, milliseconds: number): void {
    const { page, keeper, losses } = this.#options;
    const { iteration, metrics, details, episodes, evaluation } = result;
    page.tell({ type: 'iteration', iteration, metrics, details, episodes, milliseconds });
    if (evaluation !== undefined) page.tell({ type: 'evaluation', iteration, ...evaluation });
    const { episodes: tested = [], ...tests } = evaluation ?? {};
    const row: Row = {
      iteration,
      metrics,
      details,
      milliseconds,
      device: this.#run.machine.adapter,
      ...(evaluation === undefined ? {} : { evaluation: { metrics: {}, ...tests } }),
      ...(losses.reach(iteration) ? { gpuLost: true } : {}),
    };
    keeper?.add(row, episodes, tested);
  }
}

/** An error that says of new settings why the run cannot have them. */
function isRefusal(error: unknown): error is Error {
  return error instanceof Error && ['ConfigError', 'RunTooLargeError'].includes(error.name);
}
