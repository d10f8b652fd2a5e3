import type { Trajectory } from '../agents/trajectory.ts';
import type { Config } from '../config/schema.ts';
import type { Environment } from '../envs/types.ts';
import type { IterationDetails } from '../runs/details.ts';
import type { MetricRow } from '../runs/metrics.ts';
import type { Evaluation } from './evaluate.ts';
import type { Estimated, Scored } from './learn/estimate.ts';
import type { OnPhaseProgress } from './learn/fit.ts';
import type { Learned, UpdateWatch } from './learn/learner.ts';
import type { HeardConversation } from './look/conversations.ts';
import type { IterationTrace } from './look/trace.ts';
import type { Played } from './play/groups.ts';
import type { RandomStreams } from './random.ts';
import type { Hearing, Spoken } from './recipes/critique/play.ts';
import type { Explored } from './recipes/evolution/explore.ts';
import type { LearnedRound } from './recipes/evolution/learn.ts';
import type { Sifted } from './recipes/evolution/sift.ts';
import type { Preferred } from './recipes/preference.ts';
import type { Starts } from './starts.ts';
import type { Student } from './student.ts';

/** Results of an iteration's phases, for every recipe. */
export interface Phases {
  /** Mean loss of the last epoch, in nats. */
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
  readonly criticize: Spoken;
  readonly refine: Spoken;
}

/** Name of a phase. */
export type Phase = keyof Phases;

/** One iteration, as the trainer passes it to a recipe. */
export interface Iteration {
  /** Counts from 1. */
  readonly number: number;
  /**
   * Runs a phase: times it, forwards its progress and passes its result to observers before the
   * next phase begins.
   */
  phase<Name extends Phase>(
    name: Name,
    work: (onProgress: OnPhaseProgress) => Phases[Name] | Promise<Phases[Name]>,
  ): Promise<Phases[Name]>;
  /** Receives every update if the run is observed. */
  readonly watch: UpdateWatch | null;
  /** Greedy episodes of the run's agent on the config's evaluation tasks. */
  evaluate(): Promise<Evaluation>;
}

/** Result of an iteration of a recipe. */
export interface Outcome {
  readonly metrics: MetricRow;
  readonly details: IterationDetails;
  /** Training episodes that finished. */
  readonly trajectories: readonly Trajectory[];
  /** Turns and tokens of all episodes played for training. */
  readonly turns: number;
  readonly tokens: number;
  /** How the episodes were used for training. */
  readonly trace: IterationTrace;
  /** Conversations of an actor and its critic; empty in recipes without a critic. */
  readonly conversations?: readonly HeardConversation[];
}

/** Defines what an iteration does with its students. */
export interface Recipe {
  /** By role. The first one plays the evaluations and is the agent that is exported. */
  readonly students: ReadonlyMap<string, Student>;
  iterate(iteration: Iteration): Promise<Outcome>;
  /**
   * Additional evaluation metrics besides the first student's greedy success. Trains nothing and
   * draws from no random stream.
   */
  examine?(played: readonly Trajectory[], onProgress: OnPhaseProgress): Promise<MetricRow>;
  /** The speakers of its conversations; present if it has an actor and a critic. */
  hearing?(iteration: number): Hearing;
  /** State carried into the next iteration, besides the students' own, as plain data. */
  state(): unknown;
  /**
   * Restores such a state, after the students have been restored.
   *
   * @throws {CheckpointError} if no run of this config could have saved it
   */
  restore(state: unknown): void;
}

/** The run for which a recipe is created. */
export interface RecipeRun {
  readonly config: Config;
  readonly environment: Environment;
  readonly streams: RandomStreams;
  /**
   * Creates a student for a config, by default the run's; the trainer frees it.
   *
   * @param config with another dialogue window, for a student of another role
   */
  enrol(config?: Config): Promise<Student>;
  /** Cache of pre-trained students shared between runs; null if there is none. */
  readonly starts: Starts | null;
}

export type MakeRecipe = (run: RecipeRun) => Promise<Recipe>;
