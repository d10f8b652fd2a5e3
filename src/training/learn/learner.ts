import { lossWeights } from '../../algorithms/aggregation.ts';
import { traitsOf } from '../../algorithms/surrogates.ts';
import type { Config } from '../../config/schema.ts';
import type { Objective, RowScores, TokenPolicy } from '../../policy/types.ts';
import type { IterationDetails } from '../../runs/details.ts';
import type { MetricRow } from '../../runs/metrics.ts';
import type { Examination } from '../look/diagnose.ts';
import { diagnose, examine } from '../look/diagnose.ts';
import type { UpdateTrace } from '../look/trace.ts';
import type { RandomStreams } from '../random.ts';
import { mean } from '../sums.ts';
import type { MicroBatchLimits, PackedEpisodes, TrainingEpisode } from './batch.ts';
import { lengthOf, microBatchLimits, packMicroBatches } from './batch.ts';
import type { Fitted, PreparedFit } from './fit.ts';
import { evenParts, fitEpochs } from './fit.ts';
import { learningRate } from './learning-rate.ts';
import { hasGradient, reinforcementObjective } from './objective-settings.ts';
import { scoreEpisodes } from './scoring.ts';
import { merged, stalenessMetrics, versionGaps } from './staleness.ts';
import { updateDetail, updateMetrics } from './update-metrics.ts';
import type { DoneUpdate, Updater } from './updates.ts';

/** Result of an iteration's updates. */
export interface Learned {
  readonly metrics: MetricRow;
  readonly details: IterationDetails;
  /** Updates of the last epoch, if the run keeps episodes for inspection. */
  readonly traces: readonly UpdateTrace[];
}

/** An update before it is made, with the current policy's scores of its rows. */
export type PreparedUpdate = Omit<UpdateTrace, 'done'> & {
  /** Counts from 1 within the iteration, up to `of`. */
  readonly index: number;
  readonly of: number;
  /** Version of the policy before the update. */
  readonly version: number;
};

/** Called and awaited before and after every update of an iteration; does not change results. */
export interface UpdateWatch {
  before(update: PreparedUpdate): Promise<void>;
  /** @param scores of the same rows under the weights after the update */
  after(update: PreparedUpdate, done: DoneUpdate, scores: readonly RowScores[]): Promise<void>;
}

/** A finished update of an iteration. */
type FittedUpdate = Fitted<
  TrainingEpisode,
  PreparedFit & {
    readonly staleness: Map<number, number>;
    readonly places: readonly number[];
  }
>;

/** The updates of reinforcement learning: epochs of mini-batches over an iteration's episodes. */
export class Learner {
  readonly #policy: TokenPolicy;
  readonly #updater: Updater;
  readonly #streams: RandomStreams;
  readonly #limits: MicroBatchLimits;
  readonly #longestHorizon: number;
  /** Updates of reinforcement learning so far; they determine the learning rate. */
  #updates = 0;

  /** @param longestHorizon maximum turns of an episode in any iteration */
  constructor(
    policy: TokenPolicy,
    updater: Updater,
    streams: RandomStreams,
    longestHorizon: number,
  ) {
    this.#longestHorizon = longestHorizon;
    this.#policy = policy;
    this.#updater = updater;
    this.#streams = streams;
    this.#limits = microBatchLimits(policy);
  }

  /** Updates of reinforcement learning so far. */
  get updates(): number {
    return this.#updates;
  }

  restore(updates: number): void {
    this.#updates = updates;
  }

  /**
   * Makes all updates of an iteration. They are queued at once and awaited together; with a watch, one
   * after the other. Mini-batches without a gradient get no optimizer step but count in the learning-rate
   * schedule.
   *
   * @param config with the settings of this iteration
   * @param horizon maximum turns of an episode in this iteration
   * @throws {NonFiniteError} after too many consecutive skipped updates
   */
  async learn(
    config: Config,
    iteration: number,
    horizon: number,
    fresh: readonly TrainingEpisode[],
    onProgress: (fraction: number) => void,
    watch: UpdateWatch | null = null,
  ): Promise<Learned> {
    onProgress(0);
    const { algorithm, agent, diagnostics, trajectories } = config;
    const objective = reinforcementObjective(config);
    const episodes =
      algorithm.ratio_to === 'proximal' ? await this.#withProximal(config, fresh) : fresh;
    const placeOf = new Map(episodes.map((episode, i) => [episode, i]));
    const diagnosed = diagnostics.interval > 0 && iteration % diagnostics.interval === 0;
    const score = (packed: PackedEpisodes) => this.#policy.score(packed.batches, agent.temperature);

    let watched = null as PreparedUpdate | null;
    let examination = null as Promise<Examination> | null;
    const fitted: FittedUpdate[] = [];
    let idle = 0;
    const numbers = new Map<readonly TrainingEpisode[], number>();
    const miniBatches = evenParts<TrainingEpisode>(algorithm.mini_batches);
    const updates = fitEpochs({
      items: episodes,
      epochs: algorithm.epochs,
      stream: this.#streams.shuffle,
      // Partial rollouts and dynamic sampling may leave fewer episodes than mini-batches.
      cut: (shuffled) =>
        miniBatches(shuffled).filter((batch) => {
          numbers.set(batch, ++this.#updates);
          const learns = hasGradient(objective, batch);
          if (!learns) idle++;
          return learns;
        }),
      prepare: ({ epoch, batch }) => ({
        version: this.#policy.version,
        staleness: versionGaps(batch, this.#policy.version),
        packed: packMicroBatches(batch, this.#weights(config, batch, horizon), this.#limits),
        objective: this.#nextObjective(objective),
        learningRate: learningRate(config.optimizer, numbers.get(batch) ?? this.#updates),
        places: batch.map((episode) => placeOf.get(episode) ?? -1),
        // Each token belongs to one update of the last epoch.
        withScores: trajectories.keep > 0 && epoch === algorithm.epochs - 1,
      }),
      updater: this.#updater,
      where: `iteration ${iteration}`,
      onProgress,
      wait: watch === null ? 'end' : 'update',
      around: async (update, queue) => {
        const { packed, objective, index, of } = update;
        if (watch !== null) {
          watched = { ...update, episodes: update.batch, scores: await score(packed) };
          await watch.before(watched);
        }
        // The last update is the most off-policy one.
        if (!diagnosed || index < of) return queue();
        const looked = examine(this.#policy, packed.batches, objective, queue);
        examination = looked.examination;
        return looked.queued;
      },
    });
    for await (const update of updates) {
      fitted.push(update);
      if (watched !== null) await watch?.after(watched, update.done, await score(update.packed));
    }
    if (fitted.length === 0) onProgress(1);
    const entropies =
      fitted.length === 0 && idle > 0
        ? await score(
            packMicroBatches(episodes, this.#weights(config, episodes, horizon), this.#limits),
          )
        : [];

    const last = fitted.at(-1);
    const diagnosis =
      examination === null || last === undefined
        ? null
        : diagnose(
            last.packed.batches,
            await examination,
            last.done,
            last.objective,
            diagnostics.samples,
          );
    const done = fitted.map((update) => update.done);
    const staleness = merged(
      fitted.flatMap((update) => (update.done.stats.skipped ? [] : [update.staleness])),
    );
    return {
      metrics: {
        ...(fitted.length === 0
          ? {}
          : { 'policy/episodes': mean(fitted, ({ batch }) => batch.length) }),
        ...updateMetrics(done, config),
        ...(hasGradient(objective, []) ? {} : { 'policy/idle_updates': idle }),
        ...(entropies.length === 0 ? {} : { 'policy/entropy': meanEntropy(entropies) }),
        ...(last === undefined ? {} : { 'policy/learning_rate': last.learningRate }),
        ...stalenessMetrics(staleness),
        ...diagnosis?.metrics,
      },
      details: {
        updates: done.map(updateDetail),
        staleness,
        ...(diagnosis === null ? {} : { diagnosis: diagnosis.diagnosis }),
      },
      traces: fitted.flatMap((update): UpdateTrace[] => {
        const { objective, learningRate: rate, batch, places, packed } = update;
        const { scores } = update.done.stats;
        const traced = { objective, learningRate: rate, episodes: batch, places, packed };
        return scores === undefined ? [] : [{ ...traced, done: update.done, scores }];
      }),
    };
  }

  /** Uses the policy at the start of the iteration for the denominator of ratios. */
  async #withProximal(
    { agent }: Config,
    episodes: readonly TrainingEpisode[],
  ): Promise<TrainingEpisode[]> {
    const scores = await scoreEpisodes(this.#policy, episodes, agent.temperature);
    return episodes.map((episode, i) => ({ ...episode, proximalLogps: scores[i]?.logps ?? [] }));
  }

  /** (episodes) loss weight of each episode's tokens. */
  #weights(
    { algorithm, agent }: Config,
    miniBatch: readonly TrainingEpisode[],
    horizon: number,
  ): readonly number[] {
    const turns = algorithm.loss_length === 'schedule' ? this.#longestHorizon : horizon;
    return lossWeights(
      miniBatch.map(lengthOf),
      algorithm.loss_aggregation,
      algorithm.loss_normalizer || turns * agent.max_action_tokens,
    );
  }

  /** Each update draws its own tokens. */
  #nextObjective(objective: Objective): Objective {
    if (traitsOf(objective.surrogate).picks !== 'drawn') return objective;
    const seed = this.#streams.picks.seed();
    return { ...objective, covariance: { ...objective.covariance, seed } };
  }
}

function meanEntropy(scores: readonly RowScores[]): number {
  return mean(
    scores.flatMap(({ entropies }) => [...entropies]),
    (entropy) => entropy,
  );
}
