import type { Agent } from '../agents/agent.ts';
import { runLexicon } from '../agents/lexicon.ts';
import { checkSpelling } from '../agents/spelling.ts';
import type { InitialAgent } from '../agents/start.ts';
import type { Trajectory } from '../agents/trajectory.ts';
import { ConfigError } from '../config/error.ts';
import type { Config } from '../config/schema.ts';
import { loadedEnvironment } from '../envs/registry.ts';
import type { Environment } from '../envs/types.ts';
import { type Tokenizer, WordTokenizer } from '../policy/tokenizer.ts';
import { type CreatePolicy, WeightsError } from '../policy/types.ts';
import { AGENT, type Checkpoint, CheckpointError, CRITIC, keptAgent } from '../runs/checkpoint.ts';
import type { MetricRow } from '../runs/metrics.ts';
import type { Row } from '../runs/row.ts';
import { byEnvironment } from './environments.ts';
import { type Evaluation, evaluate } from './evaluate.ts';
import type { HeardConversation } from './look/conversations.ts';
import { Onlooker, type OnPhase, type OnProgress } from './look/onlooker.ts';
import type { IterationTrace } from './look/trace.ts';
import { type RandomStreams, restoreStreams, splitSeed, streamStates } from './random.ts';
import type { Outcome, Recipe } from './recipe.ts';
import type { Hearing } from './recipes/critique-play.ts';
import { recipes } from './recipes/index.ts';
import { restoreTokenizer } from './restore-agent.ts';
import type { Starts } from './starts.ts';
import { fault, type TrainerState, unpackTrainerState } from './state.ts';
import { Student } from './student.ts';

/** What an iteration came to; its metrics have those of its evaluation among them. */
export interface IterationResult extends Pick<Row, 'iteration' | 'metrics' | 'details'> {
  /**
   * The training episodes, group by group: all groups that came to their end in this iteration. With
   * partial rollouts there may be none.
   */
  readonly trajectories: readonly Trajectory[];
  /** What was learned from them. */
  readonly trace: IterationTrace;
  /** What an actor and its critic said; none in recipes without them. */
  readonly conversations: readonly HeardConversation[];
  readonly evaluation?: Evaluation;
}

/** Which stop condition of the config was met. */
export type StopReason = 'iterations' | 'turns' | 'tokens' | 'success';

export interface TrainerOptions {
  readonly config: Config;
  readonly createPolicy: CreatePolicy;
  /** Used in place of the one that the config names. */
  readonly environment?: Environment;
  /** Training goes on from these weights; from random ones where absent. */
  readonly initial?: InitialAgent;
  /** What earlier runs were taught, to be taken over by this one where it would be taught the same. */
  readonly starts?: Starts;
}

/**
 * The life of a run, whatever its recipe: it is made, iterates, is evaluated and kept, goes on from
 * where it was kept, and meets a stop condition.
 */
export class Trainer {
  readonly config: Config;
  readonly environment: Environment;
  readonly #streams: RandomStreams;
  readonly #recipe: Recipe;
  /** The student that plays the evaluations and leaves the run. */
  readonly agent: Agent;
  #iteration = 0;
  #turns = 0;
  #tokens = 0;
  #seconds = 0;
  /** Success in the evaluation after the present iteration, where there was one. */
  #success: number | null = null;
  #stopped: StopReason | null = null;
  #busy = false;
  #movedFrom: string | null = null;

  private constructor(
    config: Config,
    environment: Environment,
    streams: RandomStreams,
    recipe: Recipe,
  ) {
    const [first] = recipe.students.values();
    if (first === undefined) throw new TypeError('a recipe needs a student');
    this.config = config;
    this.environment = environment;
    this.#streams = streams;
    this.#recipe = recipe;
    this.agent = first.agent;
  }

  /**
   * Makes the environment, its vocabulary and students of random or given weights.
   *
   * @throws {InitialAgentError} for given weights of another shape or vocabulary.
   * @throws {SpellingError} for a given tokenizer that cannot spell the environment's actions.
   */
  static async create(options: TrainerOptions): Promise<Trainer> {
    const { config, initial } = options;
    const environment = options.environment ?? (await loadedEnvironment(config.env));
    if (initial === undefined || initial.bpe === null) {
      return Trainer.#make(options, environment, wordTokenizer(config, environment));
    }
    const tokenizer = await restoreTokenizer(initial);
    checkSpelling(environment, tokenizer, config.agent);
    return Trainer.#make(options, environment, tokenizer);
  }

  static async #make(
    { config, createPolicy, initial, starts }: TrainerOptions,
    environment: Environment,
    tokenizer: Tokenizer,
  ): Promise<Trainer> {
    const streams = splitSeed(config.seed);
    const given = initial === undefined ? {} : { initial };
    const parts = { config, environment, tokenizer, streams, createPolicy, ...given };
    const enrol = (as = config) => Student.create({ ...parts, config: as });
    const recipe = await recipes[config.recipe]({
      ...{ config, environment, streams, enrol },
      starts: starts ?? null,
    });
    return new Trainer(config, environment, streams, recipe);
  }

  /**
   * Goes on where a checkpoint was made: what is trained from here on is the same, bit for bit, as if
   * that run had not stopped.
   *
   * @param options `config` goes on with other stop conditions, evaluations or diagnoses than the
   *   checkpoint's; what it learns by must be the same
   * @throws {CheckpointError} for a checkpoint that was kept without its training state, or that no
   *   run of its config has written.
   */
  static async resume(
    checkpoint: Checkpoint,
    options: Omit<TrainerOptions, 'config'> & { readonly config?: Config },
  ): Promise<Trainer> {
    if (checkpoint.trainer === null) {
      throw new CheckpointError(
        'it holds an agent without the state of its training, so that it can play but not train on',
      );
    }
    const state = unpackTrainerState(checkpoint.trainer);
    const all = { config: checkpoint.config, ...options };
    const environment = options.environment ?? (await loadedEnvironment(all.config.env));
    const agent = keptAgent(checkpoint);
    const tokenizer =
      agent.bpe === null ? wordTokenizer(all.config, environment) : await restoreTokenizer(agent);
    const run = await Trainer.#make(all, environment, tokenizer);
    try {
      run.#restore(checkpoint, state);
      return run;
    } catch (error) {
      run.destroy();
      throw error instanceof WeightsError ? new CheckpointError(error.message) : error;
    }
  }

  #restore(checkpoint: Checkpoint, state: TrainerState): void {
    const { students } = this.#recipe;
    if ([...students.keys()].join() !== [...checkpoint.students.keys()].join()) {
      throw fault(`its students are not ${[...students.keys()].join(' and ')}`);
    }
    for (const [role, student] of students) {
      const kept = checkpoint.students.get(role);
      const own = Object.hasOwn(state.students, role) ? state.students[role] : undefined;
      if (kept === undefined || own === undefined) throw fault(`nothing is said of its ${role}`);
      student.restore(kept, own);
      const device = kept.training?.device ?? null;
      if (device !== null && device !== student.agent.policy.device) this.#movedFrom = device;
    }
    restoreStreams(this.#streams, state.streams);
    this.#recipe.restore(state.recipe);
    this.#iteration = state.iteration;
    this.#turns = state.turns;
    this.#tokens = state.tokens;
    this.#seconds = state.seconds;
    this.#success = state.success;
    this.#stopped = state.iteration === 0 ? null : this.#stopReason();
  }

  /** Who plays in this run, by role; one agent may be there in both. */
  get agents(): ReadonlyMap<string, Agent> {
    const pair = this.#recipe.hearing?.(0);
    if (pair !== undefined) {
      return new Map([
        [AGENT, pair.actor],
        [CRITIC, pair.critic],
      ]);
    }
    return new Map([...this.#recipe.students].map(([role, { agent }]) => [role, agent]));
  }

  /** Iterations finished. */
  get iteration(): number {
    return this.#iteration;
  }

  /** Environment turns of training episodes so far. */
  get turns(): number {
    return this.#turns;
  }

  /** Tokens that were written in training episodes so far. */
  get tokens(): number {
    return this.#tokens;
  }

  /** Wall-clock seconds spent in iterations. */
  get seconds(): number {
    return this.#seconds;
  }

  /** The device that computed the run before it was resumed here, where that was another; else null. */
  get movedFrom(): string | null {
    return this.#movedFrom;
  }

  /** The stop condition that was met, or null while the run may go on. */
  get stopped(): StopReason | null {
    return this.#stopped;
  }

  get finished(): boolean {
    return this.#stopped !== null;
  }

  /**
   * One iteration. Not to be called again before it has resolved.
   *
   * @throws {EnvironmentFault} when the environment fails.
   * @throws {NonFiniteError} when too many updates in a row were skipped, or a rollout's numbers are
   *   not finite.
   */
  iterate(onProgress: OnProgress = () => {}, onPhase: OnPhase | null = null) {
    return this.#alone('the next', () => this.#iterate(new Onlooker(onProgress, onPhase)));
  }

  async #iterate(onlooker: Onlooker): Promise<IterationResult> {
    const { config, environment } = this;
    const number = this.#iteration + 1;
    const evaluate = () =>
      onlooker.phase('evaluate', (told) => this.#evaluate(config.evaluation.tasks, told));
    const outcome = await this.#recipe.iterate({
      number,
      phase: (name, work) => onlooker.phase(name, work),
      watch: onlooker.watch,
      evaluate,
    });
    const training = onlooker.seconds(['imitate', 'evaluate']);
    const { interval } = config.evaluation;
    const evaluation = interval > 0 && number % interval === 0 ? await evaluate() : null;

    this.#iteration = number;
    this.#turns += outcome.turns;
    this.#tokens += outcome.tokens;
    this.#seconds += onlooker.seconds();
    this.#success = evaluation?.metrics['eval/success_rate'] ?? null;
    this.#stopped = this.#stopReason();
    const { details, trajectories, trace, conversations = [] } = outcome;
    return {
      iteration: number,
      metrics: this.#metrics(outcome, evaluation, training),
      details: { ...details, ...byEnvironment(environment, trajectories) },
      trajectories,
      trace,
      conversations,
      ...(evaluation === null ? {} : { evaluation }),
    };
  }

  /** @param training seconds that the iteration's training took */
  #metrics(
    { metrics, turns, tokens }: Outcome,
    evaluation: Evaluation | null,
    training: number,
  ): MetricRow {
    return {
      iteration: this.#iteration,
      ...metrics,
      ...evaluation?.metrics,
      'progress/turns': this.#turns,
      'progress/tokens': this.#tokens,
      'time/turns_per_second': turns / training,
      'time/tokens_per_second': tokens / training,
      'time/seconds': this.#seconds,
    };
  }

  /**
   * Plays evaluation tasks with greedy actions; nothing is learned and no stream moves.
   *
   * @param tasks how many, from the first on; 0 plays all
   */
  evaluate(tasks = 0, onProgress: OnProgress = () => {}): Promise<Evaluation> {
    return this.#alone('evaluating', () =>
      this.#evaluate(tasks, (fraction) => onProgress('evaluate', fraction)),
    );
  }

  async #evaluate(tasks: number, told: (fraction: number) => void): Promise<Evaluation> {
    const { examine } = this.#recipe;
    const parts = examine === undefined ? 1 : 3;
    const evaluation = await evaluate(this.config, this.environment, this.agent, tasks, (share) =>
      told(share / parts),
    );
    if (examine === undefined) return evaluation;
    const further = await examine(evaluation.trajectories, (share) =>
      told((1 + (parts - 1) * share) / parts),
    );
    return { ...evaluation, metrics: { ...evaluation.metrics, ...further } };
  }

  /**
   * Lets the run's actor and critic speak, with the weights that they have now; nothing is learned and
   * no stream moves.
   *
   * @throws {ConfigError} for a recipe without a critic.
   */
  converse<Result>(work: (hearing: Hearing) => Promise<Result>): Promise<Result> {
    const { hearing } = this.#recipe;
    if (hearing === undefined) {
      throw new ConfigError(
        'recipe',
        `must be one with an actor and a critic, critique or self_improvement, got ${this.config.recipe}`,
      );
    }
    return this.#alone('a conversation', () => work(hearing(0)));
  }

  /** The run as it is now, to be kept, with all that its training takes to go on. */
  checkpoint(): Promise<Checkpoint> {
    return this.#alone('the checkpoint', async () => {
      const { students } = this.#recipe;
      const kept = [...students].map(
        async ([role, student]) => [role, await student.keep()] as const,
      );
      return {
        config: this.config,
        iteration: this.#iteration,
        turns: this.#turns,
        tokens: this.#tokens,
        students: new Map(await Promise.all(kept)),
        trainer: this.#state(),
      };
    });
  }

  #state(): TrainerState {
    const students = [...this.#recipe.students];
    return {
      iteration: this.#iteration,
      turns: this.#turns,
      tokens: this.#tokens,
      seconds: this.#seconds,
      success: this.#success,
      streams: streamStates(this.#streams),
      students: Object.fromEntries(students.map(([role, student]) => [role, student.state()])),
      recipe: this.#recipe.state(),
    };
  }

  /** Frees the memory of its policies. */
  destroy(): void {
    for (const student of this.#recipe.students.values()) student.destroy();
  }

  /** Does one thing at a time. */
  async #alone<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
    if (this.#busy) throw new Error(`an iteration is still running; await it before ${what}`);
    this.#busy = true;
    try {
      return await work();
    } finally {
      this.#busy = false;
    }
  }

  #stopReason(): StopReason | null {
    const { stopping } = this.config;
    const success = this.#success;
    if (stopping.success > 0 && success !== null && success >= stopping.success) return 'success';
    if (stopping.turns > 0 && this.#turns >= stopping.turns) return 'turns';
    if (stopping.tokens > 0 && this.#tokens >= stopping.tokens) return 'tokens';
    return this.#iteration >= stopping.iterations ? 'iterations' : null;
  }
}

/** The words of a run. */
function wordTokenizer(config: Config, environment: Environment): Tokenizer {
  return new WordTokenizer(runLexicon(config, environment));
}
