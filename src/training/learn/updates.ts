import type { Config } from '../../config/schema.ts';
import type {
  NonFiniteCause,
  Objective,
  OptimizerStep,
  TokenPolicy,
  UpdateStats,
} from '../../policy/types.ts';
import type { PackedEpisodes } from './batch.ts';

/** Thrown for non-finite numbers that the run cannot recover from. */
export class NonFiniteError extends Error {
  override readonly name = 'NonFiniteError';
  /** The first quantity that was not finite. */
  readonly what: NonFiniteCause;
  /** @param where for instance `update 12 of iteration 3` */
  constructor(what: NonFiniteCause, where: string) {
    super(
      `non-finite numbers among the ${what} of ${where}; lower optimizer.learning_rate or optimizer.max_grad_norm`,
    );
    this.what = what;
  }
}

/** A requested update. */
export interface QueuedUpdate {
  /** Counts from 1 over the whole run, including pre-training. */
  readonly update: number;
  readonly stats: Promise<UpdateStats>;
}

export interface QueueOptions {
  /** The config's if absent. */
  readonly weightDecay?: number;
  /** Whether to also read back the scores of its rows under the weights before the update. */
  readonly withScores?: boolean;
}

/** A finished update. */
export interface DoneUpdate {
  readonly update: number;
  readonly stats: UpdateStats;
}

/** Consecutive skipped updates, and a description of the first. */
export interface SkippedUpdates {
  readonly count: number;
  readonly first: { readonly cause: NonFiniteCause; readonly where: string } | null;
}

/** Requests updates from the policy and ends the run after too many consecutive skipped ones. */
export class Updater {
  readonly #policy: TokenPolicy;
  readonly #optimizer: Config['optimizer'];
  #skipped: SkippedUpdates = { count: 0, first: null };

  constructor(policy: TokenPolicy, optimizer: Config['optimizer']) {
    this.#policy = policy;
    this.#optimizer = optimizer;
  }

  get skipped(): SkippedUpdates {
    return this.#skipped;
  }

  restore(skipped: SkippedUpdates): void {
    this.#skipped = skipped;
  }

  /** Queues an update without awaiting it. */
  queue(
    { batches }: PackedEpisodes,
    objective: Objective,
    learningRate: number,
    { weightDecay = this.#optimizer.weight_decay, withScores = false }: QueueOptions = {},
  ): QueuedUpdate {
    const rows = batches.reduce((sum, { targets }) => sum + targets.length, 0);
    const most = this.#policy.capacity.updateRows;
    if (rows > most) {
      throw new RangeError(
        `an update of ${rows} tokens exceeds the maximum of ${most}; raise algorithm.mini_batches, or lower rollout.tasks_per_iteration or replay.share`,
      );
    }
    const step = this.#step(learningRate, weightDecay);
    const stats = this.#policy.update(batches, objective, step, withScores);
    return { update: this.#policy.version, stats };
  }

  /** Yields to other events between updates that are queued without waiting. */
  breathe(): Promise<void> {
    return this.#policy.breathe();
  }

  /**
   * Awaits updates.
   *
   * @param where names the updates in error messages
   * @param onDone called after each one
   * @throws {NonFiniteError} after `optimizer.max_skipped` consecutive skipped updates; it names
   *   the cause of the first one
   */
  async finish(
    queued: readonly QueuedUpdate[],
    where: string,
    onDone: () => void = () => {},
  ): Promise<DoneUpdate[]> {
    const done = await Promise.all(
      queued.map(async ({ update, stats }) => {
        const result = { update, stats: await stats };
        onDone();
        return result;
      }),
    );
    for (const { update, stats } of done) {
      if (!stats.skipped) {
        this.#skipped = { count: 0, first: null };
        continue;
      }
      const first = this.#skipped.first ?? {
        cause: stats.cause ?? 'gradient',
        where: `update ${update} of ${where}`,
      };
      this.#skipped = { count: this.#skipped.count + 1, first };
      if (this.#skipped.count >= this.#optimizer.max_skipped) {
        const others = this.#skipped.count - 1;
        throw new NonFiniteError(
          first.cause,
          others === 0 ? first.where : `${first.where} and of ${others} after it`,
        );
      }
    }
    return done;
  }

  #step(learningRate: number, weightDecay: number): OptimizerStep {
    const optimizer = this.#optimizer;
    return {
      learningRate,
      beta1: optimizer.beta1,
      beta2: optimizer.beta2,
      epsilon: optimizer.epsilon,
      weightDecay,
      maxGradNorm: optimizer.max_grad_norm,
    };
  }
}
