import type { RowScores } from '../../policy/types.ts';
import type { OnPhaseProgress } from '../learn/fit.ts';
import type { PreparedUpdate, UpdateWatch } from '../learn/learner.ts';
import type { DoneUpdate } from '../learn/updates.ts';
import type { Phase, Phases } from '../recipe.ts';

/** `OnPhaseProgress` of any phase. */
export type OnProgress = (phase: Phase, ...progress: Parameters<OnPhaseProgress>) => void;

/** The result of a phase, before the next one begins. */
export type PhaseResult =
  | { [Name in Phase]: { readonly phase: Name; readonly result: Phases[Name] } }[Phase]
  /** Once before each update. */
  | { readonly phase: 'before-update'; readonly update: PreparedUpdate }
  /** Once after each update. */
  | {
      readonly phase: 'after-update';
      readonly update: PreparedUpdate;
      readonly done: DoneUpdate;
      /** The policy's scores of its rows after the update. */
      readonly after: readonly RowScores[];
    };

/**
 * Receives the result of each phase; the next one begins when it resolves. Training is the same
 * with and without it. If it throws, the iteration is abandoned.
 */
export type OnPhase = (result: PhaseResult) => Promise<void>;

/** Observes an iteration: reports and shows its phases, and measures time. */
export class Onlooker {
  readonly #onProgress: OnProgress;
  readonly #onPhase: OnPhase | null;
  readonly #begun = performance.now();
  /** Milliseconds spent in observers, which the measured times exclude. */
  #looked = 0;
  readonly #spent = new Map<Phase, number>();
  /** Receives every update if the run is observed. */
  readonly watch: UpdateWatch | null;

  constructor(onProgress: OnProgress, onPhase: OnPhase | null) {
    this.#onProgress = onProgress;
    this.#onPhase = onPhase;
    this.watch =
      onPhase === null
        ? null
        : {
            before: (update) => this.#show({ phase: 'before-update', update }),
            after: (update, done, after) =>
              this.#show({ phase: 'after-update', update, done, after }),
          };
  }

  async phase<Name extends Phase>(
    name: Name,
    work: (onProgress: OnPhaseProgress) => Phases[Name] | Promise<Phases[Name]>,
  ): Promise<Phases[Name]> {
    const before = this.seconds();
    const result = await work((...progress) => this.#onProgress(name, ...progress));
    this.#spent.set(name, (this.#spent.get(name) ?? 0) + this.seconds() - before);
    // A result belongs to its phase; the compiler cannot correlate them through the union.
    await this.#show({ phase: name, result } as PhaseResult);
    return result;
  }

  /** Wall-clock time so far, excluding observers and the given phases. */
  seconds(without: readonly Phase[] = []): number {
    const spent = without.reduce((sum, name) => sum + (this.#spent.get(name) ?? 0), 0);
    return (performance.now() - this.#begun - this.#looked) / 1000 - spent;
  }

  async #show(result: PhaseResult): Promise<void> {
    if (this.#onPhase === null) return;
    const since = performance.now();
    await this.#onPhase(result);
    this.#looked += performance.now() - since;
  }
}
