import { lossWeights } from '../../algorithms/aggregation.ts';
import { traitsOf } from '../../algorithms/surrogates.ts';
import type { Config } from '../../config/schema.ts';
import type { Objective, RowScores, TokenPolicy, TrainingBatch } from '../../policy/types.ts';
import type { IterationDetails } from '../../runs/details.ts';
import type { MetricRow } from '../../runs/metrics.ts';
import type { Examination } from '../look/diagnose.ts';
import { diagnose, examine } from '../look/diagnose.ts';
import type { UpdateTrace } from '../look/trace.ts';
import type { RandomStreams } from '../random.ts';
import { mean } from '../sums.ts';
import type { MicroBatchLimits, TrainingEpisode } from './batch.ts';
import { lengthOf, microBatchLimits, packMicroBatches } from './batch.ts';
import { learningRate } from './learning-rate.ts';
import { reinforcementObjective } from './objective-settings.ts';
import { scoreEpisodes } from './scoring.ts';
import { updateDetail, updateMetrics } from './update-metrics.ts';
import type { DoneUpdate, QueuedUpdate, Updater } from './updates.ts';

/** What an iteration's updates gave. */
export interface Learned {
  readonly metrics: MetricRow;
  readonly details: IterationDetails;
  /** Updates of the last epoch, where episodes are kept to be looked at. */
  readonly traces: readonly UpdateTrace[];
}

/** An update that is about to be made, with what the present weights say of its rows. */
export type PreparedUpdate = Omit<UpdateTrace, 'done'> & {
  /** Counts from 1 within the iteration, of `of`. */
  readonly index: number;
  readonly of: number;
  /** Version of the policy before it. */
  readonly version: number;
};

/** Waits before and after every update of an iteration; it changes no result. */
export interface UpdateWatch {
  before(update: PreparedUpdate): Promise<void>;
  /** @param scores of the same rows by the weights after it */
  after(update: PreparedUpdate, done: DoneUpdate, scores: readonly RowScores[]): Promise<void>;
}

/** The updates of reinforcement learning: epochs of mini-batches over the episodes of an iteration. */
export class Learner {
  readonly #config: Config;
  readonly #policy: TokenPolicy;
  readonly #updater: Updater;
  readonly #streams: RandomStreams;
  readonly #objective: Objective;
  readonly #limits: MicroBatchLimits;
  readonly #longestHorizon: number;
  /** Updates of reinforcement learning so far; they set the learning rate. */
  #updates = 0;

  /** @param longestHorizon most turns that an episode has in any iteration */
  constructor(
    config: Config,
    policy: TokenPolicy,
    updater: Updater,
    streams: RandomStreams,
    longestHorizon: number,
  ) {
    this.#config = config;
    this.#longestHorizon = longestHorizon;
    this.#policy = policy;
    this.#updater = updater;
    this.#streams = streams;
    this.#objective = reinforcementObjective(config);
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
   * All updates of an iteration: queued at once, awaited together; with a watch one after the other.
   *
   * @param horizon most turns of an episode in this iteration
   * @throws {NonFiniteError} after too many skipped updates in a row.
   */
  async learn(
    iteration: number,
    horizon: number,
    fresh: readonly TrainingEpisode[],
    onProgress: (fraction: number) => void,
    watch: UpdateWatch | null = null,
  ): Promise<Learned> {
    onProgress(0);
    const { algorithm, agent, diagnostics, trajectories } = this.#config;
    const episodes = algorithm.ratio_to === 'proximal' ? await this.#withProximal(fresh) : fresh;
    const placeOf = new Map(episodes.map((episode, i) => [episode, i]));
    const diagnosed = diagnostics.interval > 0 && iteration % diagnostics.interval === 0;
    // Fewer episodes than mini-batches may be left by partial rollouts and dynamic sampling.
    const epochs = Array.from({ length: algorithm.epochs }, () =>
      splitEvenly(this.#streams.shuffle.shuffled(episodes), algorithm.mini_batches).filter(
        ({ length }) => length > 0,
      ),
    );
    const miniBatches = epochs.flat();
    // Each token has a part in one update of the last epoch.
    const traced = trajectories.keep === 0 ? 0 : (epochs.at(-1)?.length ?? 0);

    const where = `iteration ${iteration}`;
    const done: DoneUpdate[] = [];
    const queued: QueuedUpdate[] = [];
    const prepared: Omit<PreparedUpdate, 'scores'>[] = [];
    const gaps: Map<number, number>[] = [];
    let rate: number | null = null;
    let examined: {
      readonly batches: readonly TrainingBatch[];
      readonly objective: Objective;
      readonly examination: Promise<Examination>;
    } | null = null;
    for (const [i, miniBatch] of miniBatches.entries()) {
      gaps.push(versionGaps(miniBatch, this.#policy.version));
      const packed = packMicroBatches(miniBatch, this.#weights(miniBatch, horizon), this.#limits);
      const { batches } = packed;
      const objective = this.#nextObjective();
      const nextRate = learningRate(this.#config.optimizer, ++this.#updates);
      rate = nextRate;
      const update: Omit<PreparedUpdate, 'scores'> = {
        index: i + 1,
        of: miniBatches.length,
        version: this.#policy.version,
        objective,
        learningRate: nextRate,
        episodes: miniBatch,
        places: miniBatch.map((episode) => placeOf.get(episode) ?? -1),
        packed,
      };
      prepared.push(update);
      const withScores = i >= miniBatches.length - traced;
      const queue = () => this.#updater.queue(packed, objective, nextRate, { withScores });
      const score = () => this.#policy.score(batches, agent.temperature);
      const watched = watch === null ? null : { ...update, scores: await score() };
      if (watched !== null) await watch?.before(watched);
      // The last update is the one whose tokens are the most off-policy.
      if (diagnosed && i === miniBatches.length - 1) {
        const looked = examine(this.#policy, batches, objective, queue);
        queued.push(looked.queued);
        examined = { batches, objective, examination: looked.examination };
      } else {
        queued.push(queue());
      }
      if (watched !== null) {
        const [result] = await this.#updater.finish(queued.splice(0), where);
        onProgress((i + 1) / miniBatches.length);
        if (result === undefined) continue;
        done.push(result);
        await watch?.after(watched, result, await score());
      }
    }
    done.push(...(await this.#updater.finish(queued, where, onProgress)));
    // Without an episode to learn from there was no update to tell of.
    if (miniBatches.length === 0) onProgress(1);

    const last = done.at(-1);
    const diagnosis =
      examined === null || last === undefined
        ? null
        : diagnose(
            examined.batches,
            await examined.examination,
            last,
            examined.objective,
            diagnostics.samples,
          );
    const staleness = merge(gaps.filter((_, i) => done[i]?.stats.skipped === false));
    return {
      metrics: {
        ...(miniBatches.length === 0
          ? {}
          : { 'policy/episodes': mean(miniBatches, ({ length }) => length) }),
        ...updateMetrics(done, this.#config),
        ...(rate === null ? {} : { 'policy/learning_rate': rate }),
        ...stalenessMetrics(staleness),
        ...diagnosis?.metrics,
      },
      details: {
        updates: done.map(updateDetail),
        staleness,
        ...(diagnosis === null ? {} : { diagnosis: diagnosis.diagnosis }),
      },
      traces: prepared.flatMap(({ index: _index, of: _of, version: _version, ...update }, i) => {
        const result = done[i];
        const scores = result?.stats.scores;
        return result === undefined || scores === undefined
          ? []
          : { ...update, done: result, scores };
      }),
    };
  }

  /** Takes the ratios against the present policy, the one at the start of the iteration. */
  async #withProximal(episodes: readonly TrainingEpisode[]): Promise<TrainingEpisode[]> {
    const scores = await scoreEpisodes(this.#policy, episodes, this.#config.agent.temperature);
    return episodes.map((episode, i) => ({ ...episode, proximalLogps: scores[i]?.logps ?? [] }));
  }

  /** (episodes) weight of each token of an episode. */
  #weights(miniBatch: readonly TrainingEpisode[], horizon: number): readonly number[] {
    const { algorithm, agent } = this.#config;
    const turns = algorithm.loss_length === 'schedule' ? this.#longestHorizon : horizon;
    return lossWeights(
      miniBatch.map(lengthOf),
      algorithm.loss_aggregation,
      algorithm.loss_normalizer || turns * agent.max_action_tokens,
    );
  }

  /** Tokens that are drawn are others in every update. */
  #nextObjective(): Objective {
    const objective = this.#objective;
    if (traitsOf(objective.surrogate).picks !== 'drawn') return objective;
    const seed = this.#streams.picks.seed();
    return { ...objective, covariance: { ...objective.covariance, seed } };
  }
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

/** How many tokens were written how many versions before the learner. */
function versionGaps(episodes: readonly TrainingEpisode[], learner: number): Map<number, number> {
  const gaps = new Map<number, number>();
  for (const { versions } of episodes) {
    for (const writer of versions)
      gaps.set(learner - writer, (gaps.get(learner - writer) ?? 0) + 1);
  }
  return gaps;
}

function merge(histograms: readonly Map<number, number>[]): [versions: number, tokens: number][] {
  const all = new Map<number, number>();
  for (const histogram of histograms) {
    for (const [gap, tokens] of histogram) all.set(gap, (all.get(gap) ?? 0) + tokens);
  }
  return [...all].sort(([a], [b]) => a - b);
}

function stalenessMetrics(histogram: readonly (readonly [number, number])[]): MetricRow {
  const oldest = histogram.at(-1);
  if (oldest === undefined) return {};
  const tokens = histogram.reduce((sum, [, n]) => sum + n, 0);
  const versions = histogram.reduce((sum, [gap, n]) => sum + gap * n, 0);
  return { 'policy/staleness': versions / tokens, 'policy/staleness_max': oldest[0] };
}
