import type { RowScores } from '../../policy/types.ts';
import type { PreparedUpdate, UpdateWatch } from '../learn/learner.ts';
import type { DoneUpdate } from '../learn/updates.ts';
import type { Phase, Phases, Told } from '../recipe.ts';

/** Told how far a phase is, from 0 to 1. An error that it throws leaves the iteration. */
export type OnProgress = (phase: Phase, fraction: number) => void;

/** What a phase of an iteration has come to, before the next one begins. */
export type PhaseResult =
  | { [Name in Phase]: { readonly phase: Name; readonly result: Phases[Name] } }[Phase]
  /** Once before each update. */
  | { readonly phase: 'before-update'; readonly update: PreparedUpdate }
  /** Once after each update. */
  | {
      readonly phase: 'after-update';
      readonly update: PreparedUpdate;
      readonly done: DoneUpdate;
      /** What the weights after it say of its rows. */
      readonly after: readonly RowScores[];
    };

/**
 * Shown what each phase of an iteration has come to; the next one begins when it resolves. What is
 * trained is the same with and without it. An error that it throws leaves the iteration.
 */
export type OnPhase = (result: PhaseResult) => Promise<void>;

/** Looks on while an iteration is computed: tells and shows its phases, and keeps the time. */
export class Onlooker {
  readonly #onProgress: OnProgress;
  readonly #onPhase: OnPhase | null;
  readonly #begun = performance.now();
  /** Milliseconds in which somebody looked and nothing was computed. */
  #looked = 0;
  readonly #spent = new Map<Phase, number>();
  /** Shown every update, where somebody looks. */
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
    work: (told: Told) => Phases[Name] | Promise<Phases[Name]>,
  ): Promise<Phases[Name]> {
    const before = this.seconds();
    const result = await work((fraction) => this.#onProgress(name, fraction));
    this.#spent.set(name, (this.#spent.get(name) ?? 0) + this.seconds() - before);
    // A result belongs to its phase; the compiler does not follow a name through the union.
    await this.#show({ phase: name, result } as PhaseResult);
    return result;
  }

  /** Wall clock so far, less what somebody looked, and less what these phases took. */
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
