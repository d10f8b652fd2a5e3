import type { Config } from '../../config/schema.ts';
import type { TrainingEpisode } from '../learn/batch.ts';
import type { RandomStream } from '../random.ts';

/** Episodes that were compared with each other. */
export type TrainingGroup = readonly TrainingEpisode[];

/**
 * Groups of earlier iterations, to learn from again. Their tokens keep the log-probabilities and
 * versions of the policies that wrote them, and the advantages estimated when they were fresh.
 */
export class ReplayBuffer {
  readonly #settings: Config['replay'];
  readonly #stream: RandomStream;
  #iterations: (readonly TrainingGroup[])[] = [];

  constructor(settings: Config['replay'], stream: RandomStream) {
    this.#settings = settings;
    this.#stream = stream;
  }

  /** The groups kept, iteration by iteration, oldest first. */
  get iterations(): readonly (readonly TrainingGroup[])[] {
    return this.#iterations;
  }

  restore(iterations: readonly (readonly TrainingGroup[])[]): void {
    this.#iterations = [...iterations];
  }

  /**
   * Groups of earlier iterations to go with the fresh ones, which are then kept for later ones.
   *
   * @param version of the policy that learns
   */
  replay(fresh: readonly TrainingGroup[], version: number): readonly TrainingGroup[] {
    const { share, max_age } = this.#settings;
    if (share === 0) return [];
    const drawn = this.draw(fresh.flat().length, share, version - max_age);
    this.add(fresh);
    return drawn;
  }

  /** Keeps the groups of an iteration; the oldest iteration drops out when it is full. */
  add(groups: readonly TrainingGroup[]): void {
    this.#iterations = [...this.#iterations, groups].slice(-this.#settings.capacity);
  }

  /**
   * Draws groups, none twice, to make up a share of a batch together with F fresh episodes. That is
   * F·share/(1 − share) episodes; whole groups are drawn while that brings their number closer to it.
   *
   * @param oldest groups with a token of an older policy version than this are not drawn
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
