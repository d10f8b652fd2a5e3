import type { Criticism } from './criticism.ts';

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

/** What the expert would do, and why. */
export interface Demonstration {
  /**
   * The reason in plain words, for an agent that thinks before it acts (ReAct, arXiv:2210.03629):
   * one or two short sentences that name what they are about.
   */
  readonly thought: string;
  /** The action in the exact text that `step` understands. */
  readonly action: string;
}

/** Something that tasks are made of, such as a maze's walls or an item to craft. */
export interface TaskAspect {
  /** A plural that can stand alone: `walls`, `goals`. */
  readonly name: string;
  /** Whether training shows none of what evaluation asks. */
  readonly apart: boolean;
  /** What an evaluation task asks, equal texts for equal things; null for a task without it. */
  asks(evalTask: string): string | null;
  /** What a training task shows: what it asks itself, and perhaps more on the way. */
  shows(trainTask: string): readonly string[];
}

/** What sets evaluation tasks apart from training tasks. */
export interface Holdout {
  /** For people, in a plain sentence or two: what evaluation asks that training never showed, and what it did show. */
  readonly sentence: string;
  /** True where evaluation plays the training tasks themselves, too few to keep any apart. */
  readonly sameTasks: boolean;
  /** The whole task first, which is apart unless the tasks are the same; then its parts. */
  readonly aspects: readonly [TaskAspect, ...TaskAspect[]];
  /**
   * Evaluation tasks that stand and fall together, because they ask about the same thing: an interval
   * must not take them for so many independent trials. Absent where every task stands for itself.
   */
  readonly cluster?: TaskCluster;
}

/** How evaluation tasks belong together. */
export interface TaskCluster {
  /** A plural that counts the clusters: `goals`. */
  readonly name: string;
  /** The cluster of an evaluation task; equal texts for the same one. */
  of(evalTask: string): string;
}

export interface Environment<State = unknown> {
  /** Versioned id with its family, e.g. `maze/double-t-v1`. */
  readonly id: string;
  /** Tasks that training may use. Ids mean the same task on every machine, e.g. `maze_7`. */
  readonly trainTasks: readonly string[];
  /**
   * Those training tasks whose dialogues an expert may show. Absent where it may show all of them; else the others hold
   * something that an agent has to find out by itself.
   */
  readonly shownTasks?: readonly string[];
  /** Tasks for evaluation only. Disjoint from `trainTasks`, but where `holdout` says why not. */
  readonly evalTasks: readonly string[];
  /** What sets the evaluation tasks apart from the training tasks. */
  readonly holdout: Holdout;
  /** The environment's own limit on turns: the step that uses up the last one terminates. */
  readonly turnLimit: number;
  /**
   * What an agent is told of this world and its actions before the first observation: the first
   * message of an exported trajectory. Small agents do not read it.
   */
  readonly instruction: string;
  /**
   * Every lexeme that observations and admissible actions are made of. Text is written with single
   * spaces; a lexeme is a word, a fixed phrase such as `move up`, or punctuation (see `WordTokenizer`).
   */
  readonly lexicon: readonly string[];
  /** Further lexemes that the expert's thoughts are made of; none of `lexicon` again. */
  readonly thoughtLexicon: readonly string[];
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
   * The expert's next action; following it solves the task, from any state in which that is still
   * possible. Throws `EpisodeOverError` once the episode has terminated.
   */
  expert(state: State): Demonstration;
  /**
   * The state that an observation tells of, where it tells enough; null otherwise. It lets the view
   * draw trajectories that were recorded elsewhere. Absent where texts never tell enough.
   */
  locate?(observation: string): State | null;
  /** What is known of answers, where a task is answered in one text of several steps. */
  readonly criticism?: Criticism;
}

/** A whole or broken number: min, min + step, …, max. */
export interface NumberOption {
  readonly type: 'number';
  readonly description: string;
  readonly default: number;
  readonly min: number;
  readonly max: number;
  readonly step: number;
}

/** One of a few names. */
export interface ChoiceOption {
  readonly type: 'choice';
  readonly description: string;
  readonly default: string;
  readonly choices: readonly string[];
}

/** Data of the user's own, such as a list of words. Empty takes what the environment brings. */
export interface TextOption {
  readonly type: 'text';
  readonly description: string;
  readonly default: '';
  /** Characters that it may have. What is made of a text grows with it, so there is a limit to both. */
  readonly most: number;
  /**
   * Why a text of at most `most` characters cannot be used: one sentence that names the line or entry at fault and says what is
   * expected; null when it can.
   */
  readonly fault: (text: string) => string | null;
}

/** One knob of an environment family. */
export type EnvironmentOption = NumberOption | ChoiceOption | TextOption;

/** What an option can be set to. */
export type OptionValue = number | string;

/** Options by name; what is not given keeps its default. */
export type EnvironmentOptions = Readonly<Record<string, OptionValue>>;

/** What is known of a family before anything of its world has been loaded. */
export interface FamilyCard {
  readonly id: string;
  readonly title: string;
  /** Two or three sentences a student can follow. */
  readonly explanation: string;
  readonly options: Readonly<Record<string, EnvironmentOption>>;
  /**
   * The family that came in its place; absent for one that is offered. A superseded family still
   * plays what was recorded with it, but is not offered for anything new.
   */
  readonly supersededBy?: string;
}

/** A family with its world: `create` makes a concrete environment. */
export interface EnvironmentFamily<State = unknown> extends FamilyCard {
  /** Throws `EnvironmentOptionError` for an unknown option or a value that it cannot have. */
  create(options?: EnvironmentOptions): Environment<State>;
}

/** A family in the registry: its world comes when it is wanted. */
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
