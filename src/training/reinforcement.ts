import type { DialogueWindow } from '../agents/dialogue.ts';
import type { EpisodeRequest } from '../agents/rollout.ts';
import { rollout } from '../agents/rollout.ts';
import type { Trajectory } from '../agents/trajectory.ts';
import { agentTokens } from '../agents/trajectory.ts';
import { advantages } from '../algorithms/advantages.ts';
import { equalRewards } from '../algorithms/grpo.ts';
import type { HorizonSchedule } from '../algorithms/horizon.ts';
import { fixedHorizon, scalingInter } from '../algorithms/horizon.ts';
import { createEnvironment } from '../envs/registry.ts';
import type { Environment } from '../envs/types.ts';
import { Tokenizer } from '../policy/tokenizer.ts';
import type {
  Objective,
  OptimizerStep,
  PolicyCapacity,
  PolicyShape,
  TokenPolicy,
  UpdateStats,
} from '../policy/types.ts';
import type { Config } from '../runs/config.ts';
import type { MetricRow } from '../runs/metrics.ts';
import type { LossSequence } from './batch.ts';
import { lossSequences, packMicroBatches } from './batch.ts';
import type { RandomStreams } from './random.ts';
import { splitSeed, TaskDeck } from './random.ts';

/** Makes a policy of random weights. */
export type CreatePolicy = (
  shape: PolicyShape,
  capacity: PolicyCapacity,
  seed: number,
) => Promise<TokenPolicy>;

/** What an iteration is doing. */
export type Phase = 'rollout' | 'update' | 'evaluate';

/** Told how far a phase is, from 0 to 1. An error that it throws leaves the iteration. */
export type OnProgress = (phase: Phase, fraction: number) => void;

/** Greedy episodes on the evaluation tasks. */
export interface Evaluation {
  /** `eval/success_rate` and `eval/score`. */
  readonly metrics: MetricRow;
  readonly trajectories: readonly Trajectory[];
}

export interface IterationResult {
  /** Counts from 1. */
  readonly iteration: number;
  /** Evaluation included, where this iteration evaluated. */
  readonly metrics: MetricRow;
  /** The training episodes, group by group. */
  readonly trajectories: readonly Trajectory[];
  readonly evaluation?: Evaluation;
}

/** Which stop condition of the config was met. */
export type StopReason = 'iterations' | 'turns' | 'success';

/** Thrown when a number that must be finite is not; the run cannot go on. */
export class NonFiniteError extends Error {
  override readonly name = 'NonFiniteError';
  constructor(what: string, iteration: number) {
    super(
      `${what} was not finite in iteration ${iteration}; lower optimizer.learning_rate or optimizer.max_grad_norm`,
    );
  }
}

export interface ReinforcementLearningOptions {
  readonly config: Config;
  readonly createPolicy: CreatePolicy;
  /** Used in place of the one that the config names. */
  readonly environment?: Environment;
}

/**
 * Multi-turn reinforcement learning: rollouts in groups under a horizon, group-relative advantages,
 * epochs of clipped updates. One iteration, from left to right:
 *
 *     tasks → rollout → advantages → mini-batches → updates → metrics
 */
export class ReinforcementLearning {
  readonly config: Config;
  readonly environment: Environment;
  readonly tokenizer: Tokenizer;
  readonly policy: TokenPolicy;
  readonly #streams: RandomStreams;
  readonly #deck: TaskDeck;
  readonly #horizon: HorizonSchedule;
  /** Keys the sampling on the GPU. */
  readonly #samplingSeed: number;
  #iteration = 0;
  #updates = 0;
  #turns = 0;
  #tokens = 0;
  #seconds = 0;
  #stopped: StopReason | null = null;
  #busy = false;

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
    this.#deck = new TaskDeck(environment.trainTasks, streams.tasks);
    this.#samplingSeed = streams.sampling.seed();
    this.#horizon = horizonSchedule(config.horizon);
  }

  /** Makes the environment, its vocabulary and a policy of random weights. */
  static async create(options: ReinforcementLearningOptions): Promise<ReinforcementLearning> {
    const { config } = options;
    const environment = options.environment ?? createEnvironment(config.env.id, config.env.options);
    const tokenizer = new Tokenizer(environment.lexicon);
    const streams = splitSeed(config.seed);
    const shape = policyShape(config, tokenizer.size);
    const policy = await options.createPolicy(
      shape,
      policyCapacity(config, shape),
      streams.init.seed(),
    );
    return new ReinforcementLearning(config, environment, tokenizer, policy, streams);
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
   * @throws {NonFiniteError} when the policy's numbers are no longer finite.
   */
  async iterate(onProgress: OnProgress = () => {}): Promise<IterationResult> {
    if (this.#busy) throw new Error('an iteration is still running; await it before the next');
    this.#busy = true;
    try {
      return await this.#iterate(onProgress);
    } finally {
      this.#busy = false;
    }
  }

  async #iterate(onProgress: OnProgress): Promise<IterationResult> {
    const { config, environment } = this;
    const started = performance.now();
    const iteration = this.#iteration + 1;
    const horizon = Math.min(this.#horizon(iteration), environment.turnLimit);

    const trajectories = await this.#rollout(iteration, horizon, onProgress);
    const groups = groupScores(trajectories, config.rollout.tasks_per_iteration);
    const advantageOf = this.#advantages(trajectories, groups);
    const update = await this.#update(iteration, trajectories, advantageOf, onProgress);

    const turns = sum(trajectories, (t) => t.turns.length);
    const tokens = sum(trajectories, agentTokens);
    this.#iteration = iteration;
    this.#turns += turns;
    this.#tokens += tokens;
    const trainingSeconds = (performance.now() - started) / 1000;

    const interval = config.evaluation.interval;
    const evaluates = interval > 0 && iteration % interval === 0;
    const evaluation = evaluates ? await this.#evaluate(config.evaluation.tasks, onProgress) : null;
    this.#seconds += (performance.now() - started) / 1000;
    this.#stopped = this.#stopReason(evaluation);

    const episodes = trajectories.length;
    const metrics: MetricRow = {
      iteration,
      'rollout/success_rate': sum(trajectories, (t) => Number(t.success)) / episodes,
      'rollout/score': sum(trajectories, (t) => t.score) / episodes,
      'rollout/turns': turns / episodes,
      'rollout/horizon': horizon,
      'rollout/truncated': sum(trajectories, (t) => Number(t.truncated)) / episodes,
      'rollout/group_zero_std': sum(groups, (g) => Number(equalRewards(g))) / groups.length,
      ...update,
      ...evaluation?.metrics,
      'progress/turns': this.#turns,
      'progress/tokens': this.#tokens,
      'time/turns_per_second': turns / trainingSeconds,
      'time/tokens_per_second': tokens / trainingSeconds,
      'time/seconds': this.#seconds,
    };
    return evaluation === null
      ? { iteration, metrics, trajectories }
      : { iteration, metrics, trajectories, evaluation };
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

  async #rollout(
    iteration: number,
    horizon: number,
    onProgress: OnProgress,
  ): Promise<Trajectory[]> {
    const { tasks_per_iteration, group_size } = this.config.rollout;
    const tasks = this.#deck.deal(tasks_per_iteration);
    const episodes: EpisodeRequest[] = tasks.flatMap((task, group) =>
      Array.from({ length: group_size }, (_, i) => ({
        episode: group * group_size + i,
        task,
        group,
      })),
    );
    onProgress('rollout', 0);
    const trajectories = await rollout({
      environment: this.environment,
      policy: this.policy,
      tokenizer: this.tokenizer,
      episodes,
      window: dialogueWindow(this.config),
      horizon,
      temperature: this.config.agent.temperature,
      random: { seed: this.#samplingSeed, iteration },
      onProgress: (fraction) => onProgress('rollout', fraction),
    });
    for (const { turns } of trajectories) {
      for (const turn of turns) {
        if (!turn.logps.every(Number.isFinite)) {
          throw new NonFiniteError("an action's log-probability", iteration);
        }
      }
    }
    return trajectories;
  }

  /** (episodes) advantage of each trajectory, spread over the tokens that the agent wrote. */
  #advantages(trajectories: readonly Trajectory[], groups: readonly number[][]): number[] {
    const estimate = advantages[this.config.algorithm.advantage];
    const byGroup = groups.map((scores) => estimate(scores));
    const taken = groups.map(() => 0);
    return trajectories.map(({ group }) => {
      const i = taken[group] ?? 0;
      taken[group] = i + 1;
      return byGroup[group]?.[i] ?? 0;
    });
  }

  /** All updates of an iteration: queued at once, awaited together. */
  async #update(
    iteration: number,
    trajectories: readonly Trajectory[],
    advantageOf: readonly number[],
    onProgress: OnProgress,
  ): Promise<MetricRow> {
    const { algorithm, agent } = this.config;
    const objective: Objective = {
      clipLow: algorithm.clip_low,
      clipHigh: algorithm.clip_high,
      entropyCoef: algorithm.entropy_coef,
      temperature: agent.temperature,
    };
    const limits = {
      tokens: algorithm.micro_batch_tokens,
      rows: this.policy.capacity.rows,
      lossRows: this.policy.capacity.lossRows,
    };
    const episodes = trajectories.map((trajectory, i) =>
      lossSequences(trajectory, advantageOf[i] ?? 0, this.tokenizer),
    );

    onProgress('update', 0);
    const total = algorithm.epochs * algorithm.mini_batches;
    const firstVersion = this.policy.version;
    let staleness = 0;
    let done = 0;
    const queued: Promise<UpdateStats>[] = [];
    for (let epoch = 0; epoch < algorithm.epochs; epoch++) {
      const shuffled = this.#streams.shuffle.shuffled(episodes);
      for (const miniBatch of splitEvenly(shuffled, algorithm.mini_batches)) {
        const sequences = miniBatch.flat();
        staleness += versionGap(sequences, firstVersion + queued.length);
        const stats = this.policy.update(
          packMicroBatches(sequences, limits),
          objective,
          this.#optimizerStep(),
        );
        queued.push(
          stats.then((result) => {
            done++;
            onProgress('update', done / total);
            return result;
          }),
        );
      }
    }
    const updates = await Promise.all(queued);
    if (updates.some(({ skipped, loss }) => skipped || !Number.isFinite(loss))) {
      throw new NonFiniteError('a gradient', iteration);
    }

    const rows = sum(updates, (u) => u.rows);
    const clippedLow = sum(updates, (u) => u.clippedLow) / rows;
    const clippedHigh = sum(updates, (u) => u.clippedHigh) / rows;
    return {
      'policy/entropy': sum(updates, (u) => u.entropySum) / rows,
      'policy/loss': sum(updates, (u) => u.loss) / updates.length,
      'policy/clip_fraction': clippedLow + clippedHigh,
      'policy/clip_fraction_low': clippedLow,
      'policy/clip_fraction_high': clippedHigh,
      'policy/clip_low': objective.clipLow,
      'policy/clip_high': objective.clipHigh,
      'policy/approx_kl': sum(updates, (u) => u.approxKlSum) / rows,
      'policy/grad_norm': sum(updates, (u) => u.gradNorm) / updates.length,
      'policy/staleness': staleness / rows,
    };
  }

  /** The next optimiser step; the learning rate rises linearly over the warm-up. */
  #optimizerStep(): OptimizerStep {
    const { optimizer } = this.config;
    this.#updates++;
    const warmup =
      optimizer.warmup_updates === 0 ? 1 : Math.min(1, this.#updates / optimizer.warmup_updates);
    return {
      learningRate: optimizer.learning_rate * warmup,
      beta1: optimizer.beta1,
      beta2: optimizer.beta2,
      epsilon: optimizer.epsilon,
      weightDecay: optimizer.weight_decay,
      maxGradNorm: optimizer.max_grad_norm,
    };
  }

  async #evaluate(tasks: number, onProgress: OnProgress): Promise<Evaluation> {
    const { environment, config } = this;
    const evalTasks = tasks === 0 ? environment.evalTasks : environment.evalTasks.slice(0, tasks);
    onProgress('evaluate', 0);
    const trajectories = await rollout({
      environment,
      policy: this.policy,
      tokenizer: this.tokenizer,
      episodes: evalTasks.map((task, i) => ({ episode: i, task, group: i })),
      window: dialogueWindow(config),
      horizon: config.evaluation.horizon === 0 ? environment.turnLimit : config.evaluation.horizon,
      temperature: 0,
      // Greedy tokens need no draw; the key is one that no training iteration has.
      random: { seed: this.#samplingSeed, iteration: 0 },
      onProgress: (fraction) => onProgress('evaluate', fraction),
    });
    const episodes = trajectories.length;
    const metrics: MetricRow = {
      'eval/success_rate': sum(trajectories, (t) => Number(t.success)) / episodes,
      'eval/score': sum(trajectories, (t) => t.score) / episodes,
    };
    return { metrics, trajectories };
  }

  #stopReason(evaluation: Evaluation | null): StopReason | null {
    const { stopping } = this.config;
    const success = evaluation?.metrics['eval/success_rate'];
    if (stopping.success > 0 && success !== undefined && success >= stopping.success) {
      return 'success';
    }
    if (stopping.turns > 0 && this.#turns >= stopping.turns) return 'turns';
    return this.#iteration >= stopping.iterations ? 'iterations' : null;
  }
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

function dialogueWindow({ agent }: Config): DialogueWindow {
  return {
    historyWindow: agent.history_window,
    contextLength: agent.context_length,
    maxActionTokens: agent.max_action_tokens,
  };
}

/** The policy's shape for a vocabulary. */
export function policyShape({ policy }: Config, vocabulary: number): PolicyShape {
  return {
    vocabulary,
    layers: policy.layers,
    width: policy.width,
    heads: policy.heads,
    kvHeads: policy.kv_heads,
    ffnWidth: policy.ffn_width,
    tiedEmbeddings: policy.tied_embeddings,
  };
}

/** The smallest size that every WebGPU device allows a storage buffer to have. */
const STORAGE_BUFFER_BYTES = 2 ** 27;

/** Loss rows that a micro-batch has room for: contexts are shared, so there may be many. */
const LOSS_ROWS = 8192;

/**
 * What the policy's buffers must hold. Episodes beyond the cache's slots wait for a free one, so the
 * slots are as many as the episodes, or as fit the storage buffer that every device has.
 */
export function policyCapacity(config: Config, shape: PolicyShape): PolicyCapacity {
  const { rollout, agent, algorithm } = config;
  const context = agent.context_length;
  const keyValueWidth = (shape.width / shape.heads) * shape.kvHeads;
  const slotBytes = 2 * 4 * shape.layers * context * keyValueWidth;
  const episodes = Math.min(
    rollout.tasks_per_iteration * rollout.group_size,
    Math.max(1, Math.floor(STORAGE_BUFFER_BYTES / slotBytes)),
  );
  const tokens = algorithm.micro_batch_tokens;
  const rows = Math.min(tokens, Math.max(episodes, context));
  return { tokens, rows, lossRows: LOSS_ROWS, episodes, context };
}

/** Σ over the loss rows of how many versions the learner is ahead of the writer. */
function versionGap(sequences: readonly LossSequence[], learner: number): number {
  return sum(sequences, ({ versions }) => sum(versions, (writer) => learner - writer));
}

/** (groups × episodes) scores, in the order of the trajectories. */
function groupScores(trajectories: readonly Trajectory[], groups: number): number[][] {
  const scores = Array.from({ length: groups }, (): number[] => []);
  for (const { group, score } of trajectories) scores[group]?.push(score);
  return scores;
}

/** Splits into `parts` runs whose lengths differ by at most one. */
function splitEvenly<T>(items: readonly T[], parts: number): T[][] {
  return Array.from({ length: parts }, (_, i) =>
    items.slice(
      Math.floor((i * items.length) / parts),
      Math.floor(((i + 1) * items.length) / parts),
    ),
  );
}

function sum<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((total, item) => total + value(item), 0);
}
