import type { EpisodeRecord } from './episode.ts';

/** Whether the agent learned from an episode or was tested in it. */
export const episodeKinds = ['train', 'eval'] as const;
export type EpisodeKind = (typeof episodeKinds)[number];

/** An episode that is kept, in the form its keeper has it. */
export interface Kept<Episode> {
  /** Names the episode within its run; it is never given again. */
  readonly number: number;
  /** The iteration in which it ended, or that the evaluation followed. */
  readonly iteration: number;
  readonly kind: EpisodeKind;
  readonly episode: Episode;
}

/** A kept episode without what was said in it. */
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

/** What is known of an episode before it is opened. */
export function summarise({
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

/** The newest finished training episodes of a run, and those of its latest evaluation. */
export class KeptEpisodes<Episode> {
  readonly #keep: number;
  /** Oldest first. */
  #training: readonly Kept<Episode>[] = [];
  #evaluation: readonly Kept<Episode>[] = [];
  #numbers = 0;

  /** @param keep most training episodes, and most of an evaluation; 0 keeps none */
  constructor(keep: number) {
    this.#keep = keep;
  }

  /** Keeps training episodes that ended in an iteration; the oldest kept drop out. */
  addTraining(iteration: number, episodes: readonly Episode[]): void {
    const all = [...this.#training, ...this.#number(iteration, 'train', episodes)];
    this.#training = all.slice(Math.max(0, all.length - this.#keep));
  }

  /** Keeps the episodes of an evaluation in place of the one before. */
  setEvaluation(iteration: number, episodes: readonly Episode[]): void {
    this.#evaluation = this.#number(iteration, 'eval', episodes.slice(0, this.#keep));
  }

  /** What is kept, to be handed to another keeper. */
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

  /** Training episodes, oldest first, then those of the evaluation. */
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
