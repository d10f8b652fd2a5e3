import type { Trajectory } from '../../agents/trajectory.ts';
import { batchwide } from '../../algorithms/batchwide.ts';
import type { Batchwide, LossRows } from '../../algorithms/objective.ts';
import { surrogateRow } from '../../algorithms/objective.ts';
import type { EpisodeSignal } from '../../algorithms/signal.ts';
import { traitsOf } from '../../algorithms/surrogates.ts';
import type { WorkedAdvantages } from '../../algorithms/worked-advantages.ts';
import { workOutAdvantages } from '../../algorithms/worked-advantages.ts';
import type { Config } from '../../config/schema.ts';
import type { Objective, RowScores } from '../../policy/types.ts';
import type { HeldBack, TokenUpdate } from '../../runs/inspection.ts';
import type { PackedEpisodes, TrainingEpisode } from '../learn/batch.ts';
import { unpackRows } from '../learn/batch.ts';
import type { Scored } from '../learn/estimate.ts';
import type { BoundsInForce } from '../learn/loss-rows.ts';
import { lossRowsOf } from '../learn/loss-rows.ts';
import type { DoneUpdate } from '../learn/updates.ts';

/** One update with the numbers it was computed from. */
export interface UpdateTrace {
  readonly done: DoneUpdate;
  readonly objective: Objective;
  readonly learningRate: number;
  /** Its mini-batch, and the index of each of its episodes in the iteration. */
  readonly episodes: readonly TrainingEpisode[];
  readonly places: readonly number[];
  readonly packed: PackedEpisodes;
  /** Scores of its rows under the weights before the update. */
  readonly scores: readonly RowScores[];
}

/** The scores of an iteration without advantages: none. */
export const nothingScored: Scored = { groups: [], written: [], signals: [], reference: null };

/**
 * How an iteration used its episodes for training. Kept in memory; details are computed on request.
 */
export class IterationTrace {
  readonly #config: Config;
  /** Index of each fresh episode in the iteration. */
  readonly #places: ReadonlyMap<Trajectory, number>;
  readonly signals: readonly EpisodeSignal[];
  /** Updates of the last epoch: each token belongs to one of them. */
  readonly updates: readonly UpdateTrace[];
  #worked: WorkedAdvantages | null = null;
  readonly #rows = new Map<UpdateTrace, UpdateRows>();

  /** @param updates updates on the scored episodes */
  constructor(config: Config, { groups, signals }: Scored, updates: readonly UpdateTrace[]) {
    const trajectories = groups.flatMap((group) => group.trajectories);
    this.#config = config;
    this.#places = new Map(trajectories.map((trajectory, i) => [trajectory, i]));
    this.signals = signals;
    this.updates = updates;
  }

  /** The episodes with estimated advantages. */
  get trajectories(): readonly Trajectory[] {
    return [...this.#places.keys()];
  }

  /** Index of an episode among them; null if it was not used for training. */
  placeOf(trajectory: Trajectory): number | null {
    return this.#places.get(trajectory) ?? null;
  }

  get worked(): WorkedAdvantages {
    const { advantage, gamma, gae_lambda } = this.#config.algorithm;
    this.#worked ??= workOutAdvantages(advantage, this.signals, { gamma, lambda: gae_lambda });
    return this.#worked;
  }

  /** (T) the last update's result for each token of an episode; null if no update contains it. */
  tokenUpdates(place: number): readonly TokenUpdate[] | null {
    const update = this.updates.find(({ places }) => places.includes(place));
    return update === undefined ? null : this.#rowsOf(update).tokens(update.places.indexOf(place));
  }

  #rowsOf(update: UpdateTrace): UpdateRows {
    const known = this.#rows.get(update);
    if (known !== undefined) return known;
    const { update: number, stats } = update.done;
    const rows = new UpdateRows(update, number, stats);
    this.#rows.set(update, rows);
    return rows;
  }
}

/** The loss rows of an update, recomputed with the objective's equations in float64. */
export class UpdateRows {
  readonly #update: Omit<UpdateTrace, 'done'>;
  readonly #number: number;
  readonly #rows: LossRows;
  readonly #whole: Batchwide;
  /** For each episode of the mini-batch, (T) the loss row of each of its tokens. */
  readonly #rowOf: readonly (readonly number[])[];

  /**
   * @param number of the update, counted over the whole run
   * @param bounds in effect; null before the update, when BAPO's bounds are yet to be computed
   */
  constructor(update: Omit<UpdateTrace, 'done'>, number: number, bounds: BoundsInForce | null) {
    this.#update = update;
    this.#number = number;
    const { packed, scores, objective, episodes } = update;
    const { batches } = packed;
    this.#rows = lossRowsOf(batches, scores);
    this.#whole = batchwide(this.#rows, objective, bounds);
    let first = 0;
    const numbers = batches.map(({ rows }) => {
      const from = first;
      first += rows.length;
      return Float32Array.from(rows, (_, i) => from + i);
    });
    this.#rowOf = unpackRows(episodes, packed, numbers);
  }

  get bounds(): BoundsInForce {
    return this.#whole;
  }

  /** (T) the tokens of an episode of the mini-batch. */
  tokens(episode: number): readonly TokenUpdate[] {
    return (this.#rowOf[episode] ?? []).map((row) => this.#token(row));
  }

  #token(row: number): TokenUpdate {
    const { objective } = this.#update;
    const { kl, value, entropyCoef, importanceCap, surrogate } = objective;
    const at = (numbers: ArrayLike<number>) => numbers[row] ?? Number.NaN;
    const result = surrogateRow(this.#rows, row, objective, this.#whole);
    const logp = at(this.#rows.logps);
    const oldLogp = at(this.#rows.proximalLogps);
    const [first] = this.#whole.found[row] ?? [0, 0];
    const covariance = traitsOf(surrogate).looksAt === 'covariance';
    const otherLoss =
      kl.coef * result.refKl +
      value.coef * result.valueLoss -
      entropyCoef * at(this.#rows.entropies);
    const held: HeldBack | null = result.clippedLow
      ? 'low'
      : result.clippedHigh
        ? 'high'
        : result.clippedDual
          ? 'dual'
          : covariance && first === 1
            ? 'picked'
            : null;
    return {
      update: this.#number,
      logp,
      oldLogp,
      ratio: result.clipRatio,
      importance: Math.min(Math.exp(oldLogp - at(this.#rows.behaviorLogps)), importanceCap),
      clipLow: this.#whole.clipLow,
      clipHigh: this.#whole.clipHigh,
      held,
      policyLoss: result.loss - otherLoss,
      otherLoss,
      weight: at(this.#rows.weights),
    };
  }
}
