import type { EpisodeRecord } from './episode.ts';

/** Whether the episode was used for training or for evaluation. */
const episodeKinds = ['train', 'eval'] as const;
type EpisodeKind = (typeof episodeKinds)[number];

/** A stored episode with its place in the run; `Episode` is the type of its data. */
export interface Kept<Episode> {
  /** Unique within the run; never reused. */
  readonly number: number;
  /** The iteration in which it ended, or after which the evaluation ran. */
  readonly iteration: number;
  readonly kind: EpisodeKind;
  readonly episode: Episode;
}

/** A stored episode without its texts. */
export interface EpisodeSummary {
  readonly number: number;
  readonly iteration: number;
  readonly kind: EpisodeKind;
  readonly environmentId: string;
  readonly taskId: string;
  readonly turns: number;
  readonly score: number;
  readonly success: boolean;
  readonly truncated: boolean;
}

/** Summarizes an episode for lists. */
export function summarize({
  number,
  iteration,
  kind,
  episode,
}: Kept<EpisodeRecord>): EpisodeSummary {
  const { environment, taskId, turns, score, success, truncated } = episode;
  return {
    number,
    iteration,
    kind,
    environmentId: environment.id,
    taskId,
    turns: turns.length,
    score,
    success,
    truncated,
  };
}

/** Keeps a run's newest finished training episodes and those of its latest evaluation. */
export class KeptEpisodes<Episode> {
  readonly #keep: number;
  /** Oldest first. */
  #training: readonly Kept<Episode>[] = [];
  #evaluation: readonly Kept<Episode>[] = [];
  #numbers = 0;

  /** @param keep maximum number of training episodes, and of evaluation episodes; 0 stores none */
  constructor(keep: number) {
    this.#keep = keep;
  }

  /** Adds training episodes that ended in an iteration and drops the oldest ones. */
  addTraining(iteration: number, episodes: readonly Episode[]): void {
    const all = [...this.#training, ...this.#number(iteration, 'train', episodes)];
    this.#training = all.slice(Math.max(0, all.length - this.#keep));
  }

  /** Replaces the episodes of the previous evaluation. */
  setEvaluation(iteration: number, episodes: readonly Episode[]): void {
    this.#evaluation = this.#number(iteration, 'eval', episodes.slice(0, this.#keep));
  }

  /** The stored episodes, to be restored elsewhere. */
  get state(): {
    readonly training: readonly Kept<Episode>[];
    readonly evaluation: readonly Kept<Episode>[];
    readonly numbers: number;
  } {
    return { training: this.#training, evaluation: this.#evaluation, numbers: this.#numbers };
  }

  restore({ training, evaluation, numbers }: KeptEpisodes<Episode>['state']): void {
    this.#training = training;
    this.#evaluation = evaluation;
    this.#numbers = numbers;
  }

  /** Training episodes, oldest first, followed by those of the evaluation. */
  get all(): readonly Kept<Episode>[] {
    return [...this.#training, ...this.#evaluation];
  }

  #number(
    iteration: number,
    kind: EpisodeKind,
    episodes: readonly Episode[],
  ): readonly Kept<Episode>[] {
    return episodes.map((episode) => {
      this.#numbers += 1;
      return { number: this.#numbers, iteration, kind, episode };
    });
  }
}
