import type { Criticism } from './criticism.ts';

/**
 * An environment is a pure function of text: `reset` and `step` return new states and keep no hidden state,
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
  /** The task has ended by its own rules (solved or lost); truncation at the horizon is not termination. */
  readonly terminated: boolean;
  /** Whether the text is an action that the environment understands. */
  readonly understood: boolean;
}

/** The expert's action and its reason. */
export interface Demonstration {
  /**
   * The reason in plain words, for an agent that thinks before it acts (ReAct, arXiv:2210.03629): one or two
   * short sentences that name their subject.
   */
  readonly thought: string;
  /** The action in the exact text that `step` understands. */
  readonly action: string;
}

/** A component of tasks, such as a maze's walls or an item to craft. */
export interface TaskAspect {
  /** A plural that can stand alone: `walls`, `goals`. */
  readonly name: string;
  /** Whether training shows none of what evaluation asks for. */
  readonly apart: boolean;
  /** What an evaluation task asks for; equal texts mean the same. Null for a task without this aspect. */
  asks(evalTask: string): string | null;
  /** What a training task shows: what it asks for, and possibly more along the way. */
  shows(trainTask: string): readonly string[];
}

/** How evaluation tasks differ from training tasks. */
export interface Holdout {
  /**
   * For people, in one or two plain sentences: what evaluation asks for that training never shows, and what
   * training does show.
   */
  readonly sentence: string;
  /** True if evaluation plays the training tasks, because there are too few to hold any out. */
  readonly sameTasks: boolean;
  /** The whole task first (held out unless the tasks are the same), then its parts. */
  readonly aspects: readonly [TaskAspect, ...TaskAspect[]];
  /**
   * Groups evaluation tasks that are not independent because they ask about the same thing. Confidence
   * intervals resample these clusters. Absent if all tasks are independent.
   */
  readonly cluster?: TaskCluster;
}

/** How evaluation tasks are grouped. */
export interface TaskCluster {
  /** A plural that counts the clusters: `goals`. */
  readonly name: string;
  /** The cluster of an evaluation task; equal texts mean the same cluster. */
  of(evalTask: string): string;
}

/**
 * Play over a connection. Every turn is asynchronous, and a state cannot be branched: acting on it
 * advances the one episode that it belongs to.
 */
export interface RemotePlay<State = unknown> {
  /** Maximum number of concurrent episodes. */
  readonly sessions: number;
  /** Actions at the start of tasks; empty if the server does not list them. */
  readonly actions: readonly string[];
  /** Starts a task; retries for a while if the server cannot be reached. */
  begin(task: string): Promise<Observed<State>>;
  act(state: State, action: string): Promise<Transition<State>>;
  /** Abandons an unfinished episode. */
  release(state: State): void;
  /**
   * Whether an error is a fault of the server or the connection, after which the episode can be
   * played again.
   */
  isFault(error: unknown): boolean;
  /** Statistics since the last call. */
  takeReport(): RemoteReport;
}

export interface RemoteReport {
  readonly faults: number;
  /** Mean response time in milliseconds; null without a response. */
  readonly answerMs: number | null;
}

export interface Environment<State = unknown> {
  /** Versioned id, starting with the family, e.g. `maze/double-t-v1`. */
  readonly id: string;
  /** Tasks that training may use. Ids mean the same task on every machine, e.g. `maze_7`. */
  readonly trainTasks: readonly string[];
  /**
   * The training tasks whose dialogues an expert may show; the others contain something that an agent must
   * discover on its own. Absent if it may show all.
   */
  readonly shownTasks?: readonly string[];
  /** Tasks for evaluation only. Disjoint from `trainTasks`, unless `holdout` says why not. */
  readonly evalTasks: readonly string[];
  /** How the evaluation tasks differ from the training tasks. */
  readonly holdout: Holdout;
  /** Maximum number of turns: the step that uses up the last one terminates. */
  readonly turnLimit: number;
  /**
   * Describes the environment and its actions. It is the first message of an exported trajectory. Small
   * agents do not read it.
   */
  readonly instruction: string;
  /**
   * All lexemes of observations and admissible actions. Text is written with single spaces; a lexeme is a
   * word, a fixed phrase such as `move up`, or punctuation (see `WordTokenizer`).
   */
  readonly lexicon: readonly string[];
  /** Lexemes of the expert's thoughts that are not in `lexicon`. */
  readonly thoughtLexicon: readonly string[];
  /** Starts a task. Throws `UnknownTaskError` for an id that is not this environment's. */
  reset(taskId: string): Observed<State>;
  /**
   * Takes an action. One that is not understood costs a turn, changes nothing else, and the observation says
   * so. Throws `EpisodeOverError` once the episode has terminated.
   */
  step(state: State, action: string): Transition<State>;
  /** The success predicate, independent of the reward. */
  success(state: State): boolean;
  /** Useful actions in this state, each in the exact text that `step` understands; none at the end. */
  admissibleActions(state: State): readonly string[];
  /**
   * The expert's next action. Following it solves the task from every state in which that is still possible.
   * Throws `EpisodeOverError` once the episode has terminated.
   */
  expert(state: State): Demonstration;
  /**
   * The state that an observation describes; null if it does not determine one. The view uses it to draw
   * trajectories recorded elsewhere. Absent if observations never determine a state.
   */
  locate?(observation: string): State | null;
  /** Support for critics, if tasks are answered in one text of several steps. */
  readonly criticism?: Criticism;
  /** Present if the environment is played over a connection; then `reset`, `step` and `expert` throw. */
  readonly remote?: RemotePlay<State>;
}

/** A number: min, min + step, …, max. */
interface NumberOption {
  readonly type: 'number';
  readonly description: string;
  readonly default: number;
  readonly min: number;
  readonly max: number;
  readonly step: number;
}

/** One of a few names. */
interface ChoiceOption {
  readonly type: 'choice';
  readonly description: string;
  readonly default: string;
  readonly choices: readonly string[];
}

/** Text from the user, such as a list of words. Empty means the environment's own data. */
interface TextOption {
  readonly type: 'text';
  readonly description: string;
  readonly default: '';
  /** Maximum length in characters. It limits everything that is built from the text. */
  readonly most: number;
  /**
   * Why a text within the length limit is invalid: one sentence that names the line or entry and says what is
   * expected. Null if it is valid.
   */
  readonly fault: (text: string) => string | null;
}

/** One option of an environment family. */
export type EnvironmentOption = NumberOption | ChoiceOption | TextOption;

/** The value of an option. */
export type OptionValue = number | string;

/** Options by name; missing ones have their defaults. */
export type EnvironmentOptions = Readonly<Record<string, OptionValue>>;

/** What is known about a family before its code is loaded. */
export interface FamilyCard {
  readonly id: string;
  readonly title: string;
  /** Two or three sentences for students. */
  readonly explanation: string;
  readonly options: Readonly<Record<string, EnvironmentOption>>;
  /**
   * The family that replaces this one; absent for families on offer. A superseded family still plays recorded
   * runs, but is not offered for new ones.
   */
  readonly supersededBy?: string;
}

/** A loaded family: `create` makes a concrete environment. */
export interface EnvironmentFamily<State = unknown> extends FamilyCard {
  /** Throws `EnvironmentOptionError` for an unknown option or an invalid value. */
  create(options?: EnvironmentOptions): Environment<State>;
}

/** A family in the registry; its code loads on demand. */
export interface RegisteredFamily extends FamilyCard {
  load(): Promise<EnvironmentFamily>;
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
