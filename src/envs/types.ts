/**
 * An environment is a pure function of text: `reset` and `step` return new states and hide nothing,
 * so an episode can be branched, replayed from its actions, and tested.
 *
 * `State` is plain data (it survives `structuredClone`), frozen by convention.
 */

/** What the agent sees after a reset or a step. */
export interface Observed<State> {
  readonly state: State;
  /** The text the agent reads. */
  readonly observation: string;
}

/** The outcome of one action. */
export interface Transition<State> extends Observed<State> {
  /** Reward of this step. The sum over an episode is its score. */
  readonly reward: number;
  /** The task has ended by its own rules (solved or lost); a horizon cut is not a termination. */
  readonly terminated: boolean;
  /** Whether the text was an action the environment understands. */
  readonly understood: boolean;
}

export interface Environment<State = unknown> {
  /** Versioned id with its family, e.g. `maze/double-t-v1`. */
  readonly id: string;
  /** Tasks that training may use. Ids mean the same task on every machine, e.g. `maze_7`. */
  readonly trainTasks: readonly string[];
  /** Tasks for evaluation only. Disjoint from `trainTasks` unless `tasksOverlap` says why not. */
  readonly evalTasks: readonly string[];
  /** Set when the original has too few tasks to keep any apart; the reason in words. */
  readonly tasksOverlap?: string;
  /** The environment's own limit on turns; a horizon above it is cut to it. */
  readonly turnLimit: number;
  /**
   * Every lexeme that observations and admissible actions are made of. Text is written with single
   * spaces; a lexeme is a word with its punctuation, or a fixed phrase such as `move up`.
   */
  readonly lexicon: readonly string[];
  /** Starts a task. Throws `UnknownTaskError` for an id that is not this environment's. */
  reset(taskId: string): Observed<State>;
  /**
   * Acts. An action it does not understand leaves the task as it is (a turn passes) and says so.
   * Throws `EpisodeOverError` once the episode has terminated.
   */
  step(state: State, action: string): Transition<State>;
  /** The success predicate, apart from reward. */
  success(state: State): boolean;
  /** Actions that make sense now, each in the exact text that `step` understands; none at the end. */
  admissibleActions(state: State): readonly string[];
  /**
   * The expert's next action; following it solves the task.
   * Throws `EpisodeOverError` once the episode has terminated.
   */
  expert(state: State): string;
}

/** One knob of an environment family. */
export interface EnvironmentOption {
  readonly description: string;
  readonly default: number;
  readonly min: number;
  readonly max: number;
  readonly step: number;
}

/** A registered environment with its options; `create` makes a concrete environment. */
export interface EnvironmentFamily<State = unknown> {
  readonly id: string;
  readonly title: string;
  /** Two or three sentences a student can follow. */
  readonly explanation: string;
  readonly options: Readonly<Record<string, EnvironmentOption>>;
  create(options?: Readonly<Record<string, number>>): Environment<State>;
}

/** Thrown by `reset` for a task id that the environment does not have. */
export class UnknownTaskError extends Error {
  override readonly name = 'UnknownTaskError';
  constructor(environmentId: string, taskId: string) {
    super(
      `${environmentId} has no task "${taskId}". Task ids are listed by its trainTasks and evalTasks.`,
    );
  }
}

/** Thrown by `step` and `expert` for a state whose episode has terminated. */
export class EpisodeOverError extends Error {
  override readonly name = 'EpisodeOverError';
  constructor(environmentId: string) {
    super(
      `This episode of ${environmentId} is over. Start a task with reset, or branch from an earlier state.`,
    );
  }
}
