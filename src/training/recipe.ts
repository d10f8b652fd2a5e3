import type { Trajectory } from '../agents/trajectory.ts';
import type { Config } from '../config/schema.ts';
import type { Environment } from '../envs/types.ts';
import type { IterationDetails } from '../runs/details.ts';
import type { MetricRow } from '../runs/metrics.ts';
import type { Evaluation } from './evaluate.ts';
import type { Estimated, Scored } from './learn/estimate.ts';
import type { Learned, UpdateWatch } from './learn/learner.ts';
import type { HeardConversation } from './look/conversations.ts';
import type { IterationTrace } from './look/trace.ts';
import type { Played } from './play/groups.ts';
import type { RandomStreams } from './random.ts';
import type { Hearing, Spoken } from './recipes/critique-play.ts';
import type { Explored } from './recipes/evolution-explore.ts';
import type { LearnedRound } from './recipes/evolution-learn.ts';
import type { Sifted } from './recipes/evolution-sift.ts';
import type { Preferred } from './recipes/preference.ts';
import type { Starts } from './starts.ts';
import type { Student } from './student.ts';

/** What the phases of an iteration come to, of whatever recipe. */
export interface Phases {
  /** Mean loss of the last epoch, nats. */
  readonly imitate: number;
  readonly prefer: Preferred;
  readonly rollout: Played;
  readonly score: Scored;
  readonly advantages: Estimated;
  readonly update: Learned;
  readonly evaluate: Evaluation;
  readonly explore: Explored;
  readonly sift: Sifted;
  readonly learn: LearnedRound;
  readonly answer: Spoken;
  readonly criticise: Spoken;
  readonly refine: Spoken;
}

/** What an iteration is doing. */
export type Phase = keyof Phases;

/** Told how far a phase is, from 0 to 1. An error that it throws leaves the iteration. */
export type Told = (fraction: number) => void;

/** One iteration, as the trainer hands it to a recipe. */
export interface Iteration {
  /** Counts from 1. */
  readonly number: number;
  /**
   * Does a phase. It is timed, what it tells is passed on, and what it comes to is shown to whoever
   * looks, before the next one begins.
   */
  phase<Name extends Phase>(
    name: Name,
    work: (told: Told) => Phases[Name] | Promise<Phases[Name]>,
  ): Promise<Phases[Name]>;
  /** Shown every update, where somebody looks. */
  readonly watch: UpdateWatch | null;
  /** Greedy episodes of the run's agent on the config's evaluation tasks. */
  evaluate(): Promise<Evaluation>;
}

/** What an iteration of a recipe came to. */
export interface Outcome {
  readonly metrics: MetricRow;
  readonly details: IterationDetails;
  /** The training episodes that came to their end. */
  readonly trajectories: readonly Trajectory[];
  /** Turns and tokens of all that was played to learn from. */
  readonly turns: number;
  readonly tokens: number;
  /** What was learned from the episodes. */
  readonly trace: IterationTrace;
  /** What an actor and its critic said; none in recipes without them. */
  readonly conversations?: readonly HeardConversation[];
}

/** What an iteration does with its students. */
export interface Recipe {
  /** By role. The first plays the evaluations, and is the agent that leaves the run. */
  readonly students: ReadonlyMap<string, Student>;
  iterate(iteration: Iteration): Promise<Outcome>;
  /**
   * What an evaluation tells beside the success of the first student's greedy episodes; nothing is
   * learned and no stream moves.
   */
  examine?(played: readonly Trajectory[], told: Told): Promise<MetricRow>;
  /** Who speaks in its conversations, where it has an actor and a critic. */
  hearing?(iteration: number): Hearing;
  /** What goes over into the next iteration beside the students' own state, as plain data. */
  state(): unknown;
  /**
   * Goes on from such a state; the students have been restored.
   *
   * @throws {CheckpointError} for anything that no run of this config has written.
   */
  restore(state: unknown): void;
}

/** The run that a recipe is made for. */
export interface RecipeRun {
  readonly config: Config;
  readonly environment: Environment;
  readonly streams: RandomStreams;
  /**
   * A student as a config describes one, the run's where absent; the trainer frees it.
   *
   * @param config with another dialogue window, for a student of another role
   */
  enrol(config?: Config): Promise<Student>;
  /** What earlier runs were taught; null where nobody keeps that. */
  readonly starts: Starts | null;
}

export type MakeRecipe = (run: RecipeRun) => Promise<Recipe>;
