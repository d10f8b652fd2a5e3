import type { Config } from '../../config/schema.ts';
import type { TrainingEpisode } from '../learn/batch.ts';
import type { RandomStream } from '../random.ts';

/** Episodes that were compared with each other. */
export type TrainingGroup = readonly TrainingEpisode[];

/**
 * Groups of earlier iterations for repeated training. Their tokens keep the log-probabilities and
 * versions of the policies that generated them and the advantages estimated when they were fresh.
 */
export class ReplayBuffer {
  readonly #settings: Config['replay'];
  readonly #stream: RandomStream;
  #iterations: (readonly TrainingGroup[])[] = [];

  constructor(settings: Config['replay'], stream: RandomStream) {
    this.#settings = settings;
    this.#stream = stream;
  }

  /** The stored groups, iteration by iteration, oldest first. */
  get iterations(): readonly (readonly TrainingGroup[])[] {
    return this.#iterations;
  }

  restore(iterations: readonly (readonly TrainingGroup[])[]): void {
    this.#iterations = [...iterations];
  }

  /**
   * Returns groups of earlier iterations to train on along with the fresh ones, then stores the
   * fresh ones.
   *
   * @param version of the learning policy
   */
  replay(fresh: readonly TrainingGroup[], version: number): readonly TrainingGroup[] {
    const { share, max_age } = this.#settings;
    if (share === 0) return [];
    const drawn = this.draw(fresh.flat().length, share, version - max_age);
    this.add(fresh);
    return drawn;
  }

  /** Stores the groups of an iteration; drops the oldest iteration if full. */
  add(groups: readonly TrainingGroup[]): void {
    this.#iterations = [...this.#iterations, groups].slice(-this.#settings.capacity);
  }

  /**
   * Draws distinct groups to fill a share of a batch with F fresh episodes: F·share/(1 − share)
   * episodes. Whole groups are drawn as long as this brings the number of episodes closer to that
   * target.
   *
   * @param oldest oldest policy version allowed for any token of a group
   */
  draw(fresh: number, share: number, oldest: number): TrainingGroup[] {
    const wanted = (fresh * share) / (1 - share);
    const candidates = this.#iterations
      .flat()
      .filter((group) => group.every(({ versions }) => versions.every((v) => v >= oldest)));
    const drawn: TrainingGroup[] = [];
    let episodes = 0;
    for (const group of this.#stream.shuffled(candidates)) {
      if (wanted - episodes < group.length / 2) break;
      drawn.push(group);
      episodes += group.length;
    }
    return drawn;
  }
}
