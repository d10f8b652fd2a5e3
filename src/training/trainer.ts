import type { Agent } from '../agents/agent.ts';
import { runLexicon } from '../agents/lexicon.ts';
import type { PretrainedModel } from '../agents/pretrained.ts';
import { checkSpelling } from '../agents/spelling.ts';
import type { InitialAgent } from '../agents/start.ts';
import type { Trajectory } from '../agents/trajectory.ts';
import { changesOf, configAt, type LiveValues, withChanges } from '../config/changes.ts';
import { completeConfig } from '../config/check.ts';
import { ConfigError } from '../config/error.ts';
import { criticizes, recipesWithCritic } from '../config/recipes.ts';
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
import { streamStates } from './random.ts';
import type { Outcome } from './recipe.ts';
import type { Hearing } from './recipes/critique/play.ts';
import { restoreTokenizer } from './restore-agent.ts';
import { keepStudents, type RunParts, restoreSetup, type Setup, setUp } from './setup.ts';
import type { Starts } from './starts.ts';
import { type TrainerState, unpackTrainerState } from './state.ts';

/** Result of an iteration; its metrics include those of its evaluation. */
export interface IterationResult extends Pick<Row, 'iteration' | 'metrics' | 'details'> {
  /**
   * Training episodes, group by group: all groups that finished in this iteration. With partial
   * rollouts there may be none.
   */
  readonly trajectories: readonly Trajectory[];
  /** How the episodes were used for training. */
  readonly trace: IterationTrace;
  /** Conversations of an actor and its critic; empty in recipes without a critic. */
  readonly conversations: readonly HeardConversation[];
  readonly evaluation?: Evaluation;
}

/** The stop condition of the config that was met. */
export type StopReason = 'iterations' | 'turns' | 'tokens' | 'success';

interface TrainerOptions {
  readonly config: Config;
  readonly createPolicy: CreatePolicy;
  /** Replaces the environment that the config names. */
  readonly environment?: Environment;
  /** Initial weights; random if absent. */
  readonly initial?: InitialAgent;
  /** The pretrained model that is trained with an adapter, in place of the config's network. */
  readonly model?: PretrainedModel;
  /** Cache of pre-trained students, shared between runs. */
  readonly starts?: Starts;
}

/** A run's life cycle, for every recipe: create, iterate, evaluate, save, resume, stop. */
export class Trainer {
  readonly environment: Environment;
  readonly #parts: RunParts;
  #config: Config;
  #setup: Setup;
  #iteration = 0;
  #turns = 0;
  #tokens = 0;
  #seconds = 0;
  /** Success rate of the evaluation after the current iteration, if there was one. */
  #success: number | null = null;
  #stopped: StopReason | null = null;
  #busy = false;
  #movedFrom: string | null = null;

  private constructor(config: Config, parts: RunParts, setup: Setup) {
    this.environment = parts.environment;
    this.#config = config;
    this.#parts = parts;
    this.#setup = setup;
  }

  /**
   * Creates the environment, its vocabulary and students with random or given weights.
   *
   * @throws {InitialAgentError} if given weights have another shape or vocabulary
   * @throws {SpellingError} if a given tokenizer cannot encode the environment's actions
   * @throws {ConfigError} for a recipe that cannot train a pretrained model
   */
  static async create(options: TrainerOptions): Promise<Trainer> {
    const { config, initial, model } = options;
    const environment = options.environment ?? (await loadedEnvironment(config.env));
    if (model) {
      if (criticizes(config)) {
        throw new ConfigError(
          'recipe',
          `must be reinforcement or evolution for a pretrained model, got ${config.recipe}`,
        );
      }
      const tokenizer = model.tokenizerFor(environment, config.agent.format);
      // Without imitation the agent need not be able to encode the expert's actions.
      if (config.imitation.epochs > 0) checkSpelling(environment, tokenizer, config.agent);
      return Trainer.#make(options, 0, environment, tokenizer);
    }
    if (initial === undefined || initial.bpe === null) {
      return Trainer.#make(options, 0, environment, wordTokenizer(config, environment));
    }
    const tokenizer = await restoreTokenizer(initial);
    checkSpelling(environment, tokenizer, config.agent);
    return Trainer.#make(options, 0, environment, tokenizer);
  }

  /** @param iteration last finished iteration */
  static async #make(
    { config, createPolicy, initial, starts, model }: TrainerOptions,
    iteration: number,
    environment: Environment,
    tokenizer: Tokenizer,
  ): Promise<Trainer> {
    const parts = {
      ...{ environment, tokenizer, createPolicy },
      ...{ starts: starts ?? null, model: model ?? null },
    };
    const settings = configAt(config, iteration);
    return new Trainer(config, parts, await setUp(settings, parts, initial));
  }

  /**
   * Resumes a checkpoint: all further training is bit-identical to an uninterrupted run.
   *
   * @param options `config` may change stop conditions, evaluations or diagnostics; every setting
   * that affects learning must be the same
   * @throws {CheckpointError} for a checkpoint without training state, or one that no run of its
   * config could have saved
   */
  static async resume(
    checkpoint: Checkpoint,
    options: Omit<TrainerOptions, 'config'> & { readonly config?: Config },
  ): Promise<Trainer> {
    if (checkpoint.trainer === null) {
      throw new CheckpointError(
        'it holds an agent without training state, so it can play but not continue training',
      );
    }
    const state = unpackTrainerState(checkpoint.trainer);
    const all = { config: checkpoint.config, ...options };
    const environment = options.environment ?? (await loadedEnvironment(all.config.env));
    const tokenizer =
      options.model?.tokenizerFor(environment, all.config.agent.format) ??
      (await keptTokenizer(checkpoint, all.config, environment));
    const run = await Trainer.#make(all, state.iteration, environment, tokenizer);
    try {
      run.#restore(checkpoint, state);
      return run;
    } catch (error) {
      run.destroy();
      throw error instanceof WeightsError ? new CheckpointError(error.message) : error;
    }
  }

  #restore(checkpoint: Checkpoint, state: TrainerState): void {
    this.#movedFrom = restoreSetup(this.#setup, checkpoint.students, state);
    this.#iteration = state.iteration;
    this.#turns = state.turns;
    this.#tokens = state.tokens;
    this.#seconds = state.seconds;
    this.#success = state.success;
    this.#stopped = state.iteration === 0 ? null : this.#stopReason();
  }

  /**
   * The run's complete config with all past and scheduled changes. An iteration uses `settings`.
   */
  get config(): Config {
    return this.#config;
  }

  /** The settings in effect for the current or the last iteration. */
  get settings(): Config {
    return this.#setup.settings;
  }

  /** The student that plays the evaluations and is exported. */
  get agent(): Agent {
    const [first] = this.#setup.recipe.students.values();
    if (first === undefined) throw new TypeError('a recipe needs a student');
    return first.agent;
  }

  /**
   * Changes settings from the next iteration on. The run's config lists the changes.
   *
   * @throws {ConfigError} for invalid values; nothing changes then
   */
  change(values: LiveValues): void {
    if (this.#busy)
      throw new Error('an iteration is still running; await it before changing settings');
    this.#config = completeConfig(withChanges(this.#config, this.#iteration + 1, values));
  }

  /** The players of this run by role; one agent may have both roles. */
  get agents(): ReadonlyMap<string, Agent> {
    const pair = this.#setup.recipe.hearing?.(0);
    if (pair !== undefined) {
      return new Map([
        [AGENT, pair.actor],
        [CRITIC, pair.critic],
      ]);
    }
    return new Map([...this.#setup.recipe.students].map(([role, { agent }]) => [role, agent]));
  }

  /** Finished iterations. */
  get iteration(): number {
    return this.#iteration;
  }

  /** Environment turns of training episodes so far. */
  get turns(): number {
    return this.#turns;
  }

  /** Tokens generated in training episodes so far. */
  get tokens(): number {
    return this.#tokens;
  }

  /** Wall-clock seconds spent in iterations. */
  get seconds(): number {
    return this.#seconds;
  }

  /** The device that trained the run before it was resumed here; null if it was the same. */
  get movedFrom(): string | null {
    return this.#movedFrom;
  }

  /** The stop condition that was met, or null while the run may continue. */
  get stopped(): StopReason | null {
    return this.#stopped;
  }

  get finished(): boolean {
    return this.#stopped !== null;
  }

  /**
   * Runs one iteration. Do not call it again before it resolves.
   *
   * @throws {EnvironmentFault} if the environment fails
   * @throws {NonFiniteError} if too many consecutive updates were skipped, or a rollout contains
   * non-finite numbers
   */
  iterate(onProgress: OnProgress = () => {}, onPhase: OnPhase | null = null) {
    return this.#alone('the next iteration', () =>
      this.#iterate(new Onlooker(onProgress, onPhase)),
    );
  }

  async #iterate(onlooker: Onlooker): Promise<IterationResult> {
    const { environment } = this;
    const number = this.#iteration + 1;
    const changes = changesOf(this.#config).some(({ iteration }) => iteration === number);
    if (changes) await this.#goOnBy(configAt(this.#config, number));
    const { settings: config } = this;
    const evaluate = () =>
      onlooker.phase('evaluate', (onProgress) =>
        this.#evaluate(config.evaluation.tasks, onProgress),
      );
    const outcome = await this.#setup.recipe.iterate({
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

  /** Changes settings by saving and restoring the state, which preserves every number. */
  async #goOnBy(settings: Config): Promise<void> {
    const state = this.#state();
    const students = await keepStudents(this.#setup);
    const penalised = this.settings.algorithm.kl_coef > 0;
    this.destroy();
    this.#setup = await setUp(settings, this.#parts);
    restoreSetup(this.#setup, students, state);
    // A penalty added during training uses the current policy as reference.
    if (settings.recipe === 'reinforcement' && !penalised && settings.algorithm.kl_coef > 0) {
      this.agent.policy.keepReference();
    }
  }

  /** @param training seconds spent training in this iteration */
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
   * Plays evaluation tasks greedily. Trains nothing and draws from no random stream.
   *
   * @param tasks number of tasks, starting with the first; 0 plays all
   */
  evaluate(tasks = 0, onProgress: OnProgress = () => {}): Promise<Evaluation> {
    return this.#alone('evaluating', () =>
      this.#evaluate(tasks, (fraction) => onProgress('evaluate', fraction)),
    );
  }

  async #evaluate(tasks: number, onProgress: (fraction: number) => void): Promise<Evaluation> {
    const { examine } = this.#setup.recipe;
    const parts = examine === undefined ? 1 : 3;
    const evaluation = await evaluate(this.settings, this.environment, this.agent, tasks, (share) =>
      onProgress(share / parts),
    );
    if (examine === undefined) return evaluation;
    const further = await examine(evaluation.trajectories, (share) =>
      onProgress((1 + (parts - 1) * share) / parts),
    );
    return { ...evaluation, metrics: { ...evaluation.metrics, ...further } };
  }

  /**
   * Plays conversations of the run's actor and critic with their current weights. Trains nothing
   * and draws from no random stream.
   *
   * @throws {ConfigError} for a recipe without a critic
   */
  converse<Result>(work: (hearing: Hearing) => Promise<Result>): Promise<Result> {
    const { hearing } = this.#setup.recipe;
    if (hearing === undefined) {
      throw new ConfigError(
        'recipe',
        `must be a recipe with an actor and a critic, ${recipesWithCritic.join(' or ')}, got ${this.config.recipe}`,
      );
    }
    return this.#alone('a conversation', () => work(hearing(0)));
  }

  /** The run's current state, with everything needed to continue training. */
  checkpoint(): Promise<Checkpoint> {
    return this.#alone('the checkpoint', async () => ({
      config: this.config,
      iteration: this.#iteration,
      turns: this.#turns,
      tokens: this.#tokens,
      students: await keepStudents(this.#setup),
      trainer: this.#state(),
    }));
  }

  #state(): TrainerState {
    const students = [...this.#setup.recipe.students];
    return {
      iteration: this.#iteration,
      turns: this.#turns,
      tokens: this.#tokens,
      seconds: this.#seconds,
      success: this.#success,
      streams: streamStates(this.#setup.streams),
      students: Object.fromEntries(students.map(([role, student]) => [role, student.state()])),
      recipe: this.#setup.recipe.state(),
    };
  }

  /** Frees the memory of its policies. */
  destroy(): void {
    for (const student of this.#setup.recipe.students.values()) student.destroy();
  }

  /** Runs one operation at a time. */
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

/** The tokenizer of a checkpoint without a pretrained model. */
async function keptTokenizer(checkpoint: Checkpoint, config: Config, environment: Environment) {
  const agent = keptAgent(checkpoint);
  return agent.bpe === null ? wordTokenizer(config, environment) : await restoreTokenizer(agent);
}

/** The run's vocabulary. */
function wordTokenizer(config: Config, environment: Environment): Tokenizer {
  return new WordTokenizer(runLexicon(config, environment));
}
