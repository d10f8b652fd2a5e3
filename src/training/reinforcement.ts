import type { Agent } from '../agents/agent.ts';
import { agentFor, greedy } from '../agents/agent.ts';
import { policyCapacity } from '../agents/capacity.ts';
import { dialogueLexicon } from '../agents/format.ts';
import { play } from '../agents/play.ts';
import { policyShape } from '../agents/shape.ts';
import { checkSpelling } from '../agents/spelling.ts';
import { checkInitialAgent, type InitialAgent, initialWeights } from '../agents/start.ts';
import type { Trajectory } from '../agents/trajectory.ts';
import type { HorizonSchedule } from '../algorithms/horizon.ts';
import { fixedHorizon, scalingInter } from '../algorithms/horizon.ts';
import type { Config } from '../config/schema.ts';
import { environmentFor } from '../envs/registry.ts';
import type { Environment } from '../envs/types.ts';
import { type Tokenizer, WordTokenizer } from '../policy/tokenizer.ts';
import type { CreatePolicy, RowScores, TokenPolicy } from '../policy/types.ts';
import { WeightsError } from '../policy/types.ts';
import type { Checkpoint, TrainingCheckpoint } from '../runs/checkpoint.ts';
import { CheckpointError } from '../runs/checkpoint.ts';
import type { EnvironmentResult, IterationDetails } from '../runs/details.ts';
import type { MetricRow } from '../runs/metrics.ts';
import { byEnvironment, evaluationTasks, taskPiles } from './environments.ts';
import type { TrainingEpisode } from './learn/batch.ts';
import type { Scored } from './learn/estimate.ts';
import { estimateAdvantages, scoreGroups } from './learn/estimate.ts';
import type { Learned, PreparedUpdate, UpdateWatch } from './learn/learner.ts';
import { Learner } from './learn/learner.ts';
import type { DoneUpdate } from './learn/updates.ts';
import { Updater } from './learn/updates.ts';
import { IterationTrace } from './look/trace.ts';
import { MixedDeck } from './play/deck.ts';
import type { Group, Played } from './play/groups.ts';
import { GroupPlayer, hasSignal } from './play/groups.ts';
import type { TrainingGroup } from './play/replay.ts';
import { ReplayBuffer } from './play/replay.ts';
import type { RandomStreams } from './random.ts';
import { splitSeed } from './random.ts';
import { imitate } from './recipes/imitation.ts';
import { learnPreferences } from './recipes/preference.ts';
import { restoreTokenizer } from './restore-agent.ts';
import type { TrainerState } from './state.ts';
import { packTrainerState, streamNames, unpackTrainerState } from './state.ts';
import { mean } from './sums.ts';

/** What an iteration is doing. */
export type Phase = 'imitate' | 'prefer' | 'rollout' | 'update' | 'evaluate';

/** Told how far a phase is, from 0 to 1. An error that it throws leaves the iteration. */
export type OnProgress = (phase: Phase, fraction: number) => void;

/** What a phase of an iteration has come to, before the next one begins. */
export type PhaseResult =
  | { readonly phase: 'rollout'; readonly horizon: number; readonly played: Played }
  | { readonly phase: 'score'; readonly played: Played; readonly scored: Scored }
  | { readonly phase: 'advantages'; readonly trace: IterationTrace }
  /** Once before each update. */
  | {
      readonly phase: 'loss';
      readonly trace: IterationTrace;
      readonly update: PreparedUpdate;
      /** Policy version before it. */
      readonly version: number;
    }
  /** Once after each update. */
  | {
      readonly phase: 'update';
      readonly trace: IterationTrace;
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

/** Greedy episodes on the evaluation tasks. */
export interface Evaluation {
  /** `eval/success_rate` and `eval/score`. */
  readonly metrics: MetricRow;
  readonly trajectories: readonly Trajectory[];
  /** In a mixture: the results of each environment, in its order. */
  readonly environments?: readonly EnvironmentResult[];
}

export interface IterationResult {
  /** Counts from 1. */
  readonly iteration: number;
  /** Evaluation included, where this iteration evaluated. */
  readonly metrics: MetricRow;
  /** Updates, staleness and, where this iteration diagnosed, a diagnosis. */
  readonly details: IterationDetails;
  /**
   * The training episodes, group by group: all groups that came to their end in this iteration. With
   * partial rollouts there may be none.
   */
  readonly trajectories: readonly Trajectory[];
  /** What was learned from them. */
  readonly trace: IterationTrace;
  readonly evaluation?: Evaluation;
}

/** Which stop condition of the config was met. */
export type StopReason = 'iterations' | 'turns' | 'tokens' | 'success';

export interface ReinforcementLearningOptions {
  readonly config: Config;
  readonly createPolicy: CreatePolicy;
  /** Used in place of the one that the config names. */
  readonly environment?: Environment;
  /** Training goes on from these weights; from random ones where absent. */
  readonly initial?: InitialAgent;
}

/**
 * Multi-turn reinforcement learning: rollouts in groups under a horizon, advantages, epochs of
 * updates. One iteration, from left to right:
 *
 *     tasks → rollout → advantages → replay → updates → metrics
 *
 * Before the first one the agent may learn from an expert, and from pairs of its own episodes.
 */
export class ReinforcementLearning {
  readonly config: Config;
  readonly environment: Environment;
  readonly tokenizer: Tokenizer;
  readonly policy: TokenPolicy;
  readonly #streams: RandomStreams;
  readonly #horizon: HorizonSchedule;
  readonly agent: Agent;
  readonly #player: GroupPlayer;
  readonly #buffer: ReplayBuffer;
  readonly #updater: Updater;
  readonly #learner: Learner;
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
    tokenizer: Tokenizer,
    policy: TokenPolicy,
    streams: RandomStreams,
  ) {
    this.config = config;
    this.environment = environment;
    this.tokenizer = tokenizer;
    this.policy = policy;
    this.#streams = streams;
    this.#horizon = horizonSchedule(config.horizon);
    this.agent = agentFor(config, policy, tokenizer, streams.sampling.seed());
    this.#player = new GroupPlayer(
      config,
      this.agent,
      environment,
      new MixedDeck(taskPiles(environment, 'rollout'), streams.tasks),
    );
    this.#buffer = new ReplayBuffer(config.replay.capacity, streams.replay);
    this.#updater = new Updater(policy, config.optimizer);
    const longest = Math.min(longestHorizon(config.horizon), environment.turnLimit);
    this.#learner = new Learner(config, policy, this.#updater, streams, longest);
  }

  /**
   * Makes the environment, its vocabulary and a policy of random or given weights.
   *
   * @throws {InitialAgentError} for given weights of another shape or vocabulary.
   */
  static async create(options: ReinforcementLearningOptions): Promise<ReinforcementLearning> {
    const { config, initial } = options;
    const environment = options.environment ?? environmentFor(config.env);
    const words = new WordTokenizer(dialogueLexicon(environment, config.agent.format));
    if (initial === undefined || initial.bpe === null) {
      return ReinforcementLearning.#make(options, environment, words);
    }
    const tokenizer = await restoreTokenizer(initial);
    checkSpelling(environment, tokenizer, config.agent);
    return ReinforcementLearning.#make(options, environment, tokenizer);
  }

  static async #make(
    options: ReinforcementLearningOptions,
    environment: Environment,
    tokenizer: Tokenizer,
  ): Promise<ReinforcementLearning> {
    const { config, initial } = options;
    const streams = splitSeed(config.seed);
    const shape = policyShape(config, tokenizer.size);
    if (initial !== undefined) checkInitialAgent(initial, shape, tokenizer.tokens);
    const policy = await options.createPolicy(
      shape,
      policyCapacity(config, shape, environment.turnLimit),
      streams.init.seed(),
    );
    if (initial !== undefined) policy.writeWeights(initialWeights(initial, shape));
    return new ReinforcementLearning(config, environment, tokenizer, policy, streams);
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
    options: Omit<ReinforcementLearningOptions, 'config'> & { readonly config?: Config },
  ): Promise<ReinforcementLearning> {
    const { training, vocabulary, bpe } = checkpoint;
    if (training === null) {
      throw new CheckpointError(
        'it holds an agent without the state of its training, so that it can play but not train on',
      );
    }
    const all = { config: checkpoint.config, ...options };
    const environment = options.environment ?? environmentFor(all.config.env);
    const run =
      bpe === null
        ? await ReinforcementLearning.create(all)
        : await ReinforcementLearning.#make(all, environment, await restoreTokenizer(checkpoint));
    try {
      if (vocabulary.join('\n') !== run.tokenizer.tokens.join('\n')) {
        throw new CheckpointError(
          'its vocabulary is not that of its environment in this version of Palestra, so that it can play but not train on',
        );
      }
      run.#restore(checkpoint, training);
      return run;
    } catch (error) {
      run.destroy();
      throw error instanceof WeightsError ? new CheckpointError(error.message) : error;
    }
  }

  #restore({ weights }: Checkpoint, training: TrainingCheckpoint): void {
    const { config, environment, tokenizer } = this;
    const { trainer, device, ...rest } = training;
    if (device !== null && device !== this.policy.device) this.#movedFrom = device;
    const { version } = rest;
    const state = unpackTrainerState(trainer, { config, environment, tokenizer, version });
    this.policy.writeState({ weights, ...rest });
    for (const name of streamNames) this.#streams[name].restore(state.streams[name]);
    this.#player.restore(state);
    this.#buffer.restore(state.replay);
    this.#updater.restore(state.skipped);
    this.#learner.restore(state.updates);
    this.#iteration = state.iteration;
    this.#turns = state.turns;
    this.#tokens = state.tokens;
    this.#seconds = state.seconds;
    this.#success = state.success;
    this.#stopped = state.iteration === 0 ? null : this.#stopReason();
  }

  /** Iterations finished. */
  get iteration(): number {
    return this.#iteration;
  }

  /** The stop condition that was met, or null while the run may go on. */
  get stopped(): StopReason | null {
    return this.#stopped;
  }

  /**
   * One iteration. Not to be called again before it has resolved.
   *
   * @throws {EnvironmentFault} when the environment fails.
   * @throws {NonFiniteError} when too many updates in a row were skipped, or a rollout's numbers are
   *   not finite.
   */
  async iterate(
    onProgress: OnProgress = () => {},
    onPhase: OnPhase | null = null,
  ): Promise<IterationResult> {
    if (this.#busy) throw new Error('an iteration is still running; await it before the next');
    this.#busy = true;
    try {
      return await this.#iterate(onProgress, onPhase);
    } finally {
      this.#busy = false;
    }
  }

  async #iterate(onProgress: OnProgress, look: OnPhase | null): Promise<IterationResult> {
    const { config, environment } = this;
    const begun = performance.now();
    // Time in which somebody looks is not time in which anything is computed.
    let looked = 0;
    const onPhase: OnPhase | null =
      look === null
        ? null
        : async (result) => {
            const since = performance.now();
            await look(result);
            looked += performance.now() - since;
          };
    const iteration = this.#iteration + 1;
    const horizon = Math.min(this.#horizon(iteration), environment.turnLimit);
    const warmStart = iteration === 1 ? await this.#warmStart(horizon, onProgress) : {};

    const started = performance.now();
    const played = await this.#rollout(iteration, horizon, onProgress);
    await onPhase?.({ phase: 'rollout', horizon, played });
    const scored = await this.#score(played.groups);
    await onPhase?.({ phase: 'score', played, scored });
    const estimated = estimateAdvantages(config, scored);
    const before = this.#trace(scored, []);
    await onPhase?.({ phase: 'advantages', trace: before });
    const replayed = this.#replay(estimated.groups);
    const learned = await this.#update(
      iteration,
      horizon,
      [...estimated.groups, ...replayed].flat(),
      onProgress,
      onPhase === null ? null : watchUpdates(before, this.policy, onPhase),
    );

    this.#iteration = iteration;
    this.#turns += played.turns;
    this.#tokens += played.tokens;
    const trainingSeconds = (performance.now() - started - looked) / 1000;

    const interval = config.evaluation.interval;
    const evaluates = interval > 0 && iteration % interval === 0;
    const evaluation = evaluates ? await this.#evaluate(config.evaluation.tasks, onProgress) : null;
    this.#seconds += (performance.now() - begun - looked) / 1000;
    this.#success = evaluation?.metrics['eval/success_rate'] ?? null;
    this.#stopped = this.#stopReason();

    const metrics: MetricRow = {
      iteration,
      ...warmStart,
      'rollout/horizon': horizon,
      ...rolloutMetrics(played, config),
      ...(config.replay.share > 0
        ? replayMetrics(estimated.groups.flat().length, replayed.flat().length)
        : {}),
      ...estimated.metrics,
      ...learned.metrics,
      ...evaluation?.metrics,
      'progress/turns': this.#turns,
      'progress/tokens': this.#tokens,
      'time/turns_per_second': played.turns / trainingSeconds,
      'time/tokens_per_second': played.tokens / trainingSeconds,
      'time/seconds': this.#seconds,
    };
    const result = {
      iteration,
      metrics,
      details: {
        ...learned.details,
        ...byEnvironment(
          environment,
          played.groups.flatMap((group) => group.trajectories),
        ),
      },
      trajectories: played.groups.flatMap((group) => group.trajectories),
      trace: this.#trace(scored, learned.traces),
    };
    return evaluation === null ? result : { ...result, evaluation };
  }

  /**
   * Plays evaluation tasks with greedy actions; nothing is learned and no stream moves.
   *
   * @param tasks how many, from the first on; 0 plays all
   */
  async evaluate(tasks = 0, onProgress: OnProgress = () => {}): Promise<Evaluation> {
    if (this.#busy) throw new Error('an iteration is still running; await it before evaluating');
    this.#busy = true;
    try {
      return await this.#evaluate(tasks, onProgress);
    } finally {
      this.#busy = false;
    }
  }

  /** The device that computed the run before it was resumed here, where that was another; else null. */
  get movedFrom(): string | null {
    return this.#movedFrom;
  }

  /** The agent as it is now, to be kept, with all that its training takes to go on. */
  async checkpoint(): Promise<Checkpoint> {
    if (this.#busy)
      throw new Error('an iteration is still running; await it before the checkpoint');
    const { weights, ...training } = await this.policy.readState();
    return {
      config: this.config,
      vocabulary: this.tokenizer.tokens,
      bpe: this.tokenizer.bpe,
      weights,
      iteration: this.#iteration,
      turns: this.#turns,
      tokens: this.#tokens,
      training: {
        ...training,
        device: this.policy.device,
        trainer: packTrainerState(this.#state()),
      },
    };
  }

  #state(): TrainerState {
    const streams = this.#streams;
    return {
      ...this.#player.unfinished,
      iteration: this.#iteration,
      turns: this.#turns,
      tokens: this.#tokens,
      seconds: this.#seconds,
      success: this.#success,
      streams: {
        init: streams.init.state(),
        tasks: streams.tasks.state(),
        sampling: streams.sampling.state(),
        shuffle: streams.shuffle.state(),
        replay: streams.replay.state(),
        warmStart: streams.warmStart.state(),
        picks: streams.picks.state(),
      },
      updates: this.#learner.updates,
      skipped: this.#updater.skipped,
      replay: this.#buffer.iterations,
    };
  }

  /** Wall-clock seconds spent in iterations. */
  get seconds(): number {
    return this.#seconds;
  }

  /** Environment turns of training episodes so far. */
  get turns(): number {
    return this.#turns;
  }

  /** Tokens the agent wrote in training episodes so far. */
  get tokens(): number {
    return this.#tokens;
  }

  /** Frees the policy's memory. */
  destroy(): void {
    this.policy.destroy();
  }

  /** What comes before reinforcement learning; the reference policy is the one that it leaves. */
  async #warmStart(horizon: number, onProgress: OnProgress): Promise<MetricRow> {
    const { config, environment, agent } = this;
    const stream = this.#streams.warmStart;
    const metrics: MetricRow = {};
    if (config.imitation.epochs > 0) {
      onProgress('imitate', 0);
      metrics['imitation/loss'] = await imitate(
        config,
        environment,
        agent,
        this.#updater,
        stream,
        (fraction) => onProgress('imitate', fraction),
      );
      if (config.evaluation.interval > 0) {
        const { metrics: after } = await this.#evaluate(config.evaluation.tasks, onProgress);
        const success = after['eval/success_rate'];
        if (success !== undefined) metrics['imitation/success_rate'] = success;
      }
    }
    if (config.preference.epochs > 0) {
      onProgress('prefer', 0);
      const preferred = await learnPreferences(
        config,
        environment,
        agent,
        this.#updater,
        stream,
        horizon,
        (fraction) => onProgress('prefer', fraction),
      );
      this.#turns += preferred.turns;
      this.#tokens += preferred.tokens;
      if (Number.isFinite(preferred.loss)) metrics['preference/loss'] = preferred.loss;
    }
    if (config.imitation.epochs > 0 && config.imitation.restart_optimizer) {
      this.policy.restartOptimizer();
    }
    if (config.algorithm.kl_coef > 0) this.policy.keepReference();
    return metrics;
  }

  async #rollout(iteration: number, horizon: number, onProgress: OnProgress): Promise<Played> {
    onProgress('rollout', 0);
    return await this.#player.play(iteration, horizon, (fraction) =>
      onProgress('rollout', fraction),
    );
  }

  /** Scores of the episodes to learn from: dynamic sampling leaves out groups without signal. */
  async #score(groups: readonly Group[]): Promise<Scored> {
    const { rollout, algorithm } = this.config;
    const kept =
      rollout.resampling_rounds > 0
        ? groups.filter((group) => hasSignal(group, algorithm.gamma))
        : groups;
    return await scoreGroups(this.config, this.agent, kept);
  }

  #trace({ groups, signals }: Scored, updates: Learned['traces']): IterationTrace {
    const trajectories = groups.flatMap((group) => group.trajectories);
    return new IterationTrace(this.config, trajectories, signals, updates);
  }

  /** Groups of earlier iterations to go with the fresh ones, which are then kept for later ones. */
  #replay(fresh: readonly TrainingGroup[]): readonly TrainingGroup[] {
    const { replay } = this.config;
    if (replay.share === 0) return [];
    const episodes = fresh.flat().length;
    const drawn = this.#buffer.draw(episodes, replay.share, this.policy.version - replay.max_age);
    this.#buffer.add(fresh);
    return drawn;
  }

  async #update(
    iteration: number,
    horizon: number,
    episodes: readonly TrainingEpisode[],
    onProgress: OnProgress,
    watch: UpdateWatch | null,
  ): Promise<Learned> {
    onProgress('update', 0);
    const learned = await this.#learner.learn(
      iteration,
      horizon,
      episodes,
      (fraction) => onProgress('update', fraction),
      watch,
    );
    // Without an episode to learn from there was no update to tell of.
    if (episodes.length === 0) onProgress('update', 1);
    return learned;
  }

  async #evaluate(most: number, onProgress: OnProgress): Promise<Evaluation> {
    const { environment, config } = this;
    const tasks = evaluationTasks(environment, most);
    const horizon =
      config.evaluation.horizon === 0 ? environment.turnLimit : config.evaluation.horizon;
    onProgress('evaluate', 0);
    const trajectories = await play(
      greedy(this.agent),
      environment,
      tasks.map((task) => ({ task, horizon })),
      (fraction) => onProgress('evaluate', fraction),
    );
    const metrics: MetricRow = {
      'eval/success_rate': mean(trajectories, (t) => Number(t.success)),
      'eval/score': mean(trajectories, (t) => t.score),
    };
    return { metrics, trajectories, ...byEnvironment(environment, trajectories) };
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

function watchUpdates(trace: IterationTrace, policy: TokenPolicy, onPhase: OnPhase): UpdateWatch {
  return {
    before: (update) => onPhase({ phase: 'loss', trace, update, version: policy.version }),
    after: (update, done, after) => onPhase({ phase: 'update', trace, update, done, after }),
  };
}

function horizonSchedule(horizon: Config['horizon']): HorizonSchedule {
  switch (horizon.schedule) {
    case 'fixed':
      return fixedHorizon(horizon.turns);
    case 'scaling_inter':
      return scalingInter(horizon.rounds, horizon.interval);
    default:
      return horizon.schedule satisfies never;
  }
}

/** Most turns that an episode may take once the schedule has come to its end. */
function longestHorizon({ schedule, turns, rounds }: Config['horizon']): number {
  return schedule === 'fixed' ? turns : Math.max(...rounds);
}

/** Means over the finished episodes; with partial rollouts an iteration may have none. */
function rolloutMetrics(played: Played, { rollout, algorithm }: Config): MetricRow {
  const trajectories = played.groups.flatMap((group) => group.trajectories);
  const silent = (group: Group) => Number(!hasSignal(group, algorithm.gamma));
  return {
    ...(trajectories.length === 0
      ? {}
      : {
          'rollout/success_rate': mean(trajectories, (t) => Number(t.success)),
          'rollout/score': mean(trajectories, (t) => t.score),
          'rollout/turns': mean(trajectories, (t) => t.turns.length),
          'rollout/truncated': mean(trajectories, (t) => Number(t.truncated)),
          ...(rollout.group_size > 1
            ? { 'rollout/group_zero_std': mean(played.groups, silent) }
            : {}),
        }),
    ...(rollout.resampling_rounds > 0 ? { 'rollout/resampled': played.resampled } : {}),
    ...(rollout.partial_turns > 0 || rollout.partial_tokens > 0
      ? { 'rollout/paused': played.paused }
      : {}),
  };
}

function replayMetrics(fresh: number, replayed: number): MetricRow {
  return fresh === 0 ? {} : { 'rollout/replay_share': replayed / (fresh + replayed) };
}
