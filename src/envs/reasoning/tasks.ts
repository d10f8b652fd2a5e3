/** Draws the problems of a family and splits them, the same on every machine. */

import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { mersenne } from 'pure-rand/generator/mersenne';
import type { RandomGenerator } from 'pure-rand/types/RandomGenerator';

const TRAIN_TASKS = 6000;
/** Maximum number of evaluation tasks, equally many per level. */
const EVAL_TASKS = 400;
export const FIRST_EVAL_TASK = 100_000;

/** Seed of the draw behind all task numbers; another seed would change their meaning. */
const SEED = 11;

/** `shown`: a training problem that the expert may show. */
export type Split = 'shown' | 'train' | 'eval';

/** Draws a problem of the given level. */
export type Draw<Drawn> = (level: number, split: Split, random: RandomGenerator) => Drawn;

export interface Drawn<Task> {
  readonly train: readonly Task[];
  readonly evaluation: readonly Task[];
}

/**
 * Draws distinct problems: first for evaluation, with the levels in turn, then for training, where the
 * expert may show every other one. With five levels, 30, 25, 20, 15 and 10% of the training problems are of
 * levels 1 to 5; in general the shares decrease linearly.
 * @param keyOf the text of a problem, which identifies it
 */
export function drawTasks<Task>(
  levels: number,
  draw: Draw<Task>,
  keyOf: (task: Task) => string,
): Drawn<Task> {
  const random = mersenne(SEED);
  const known = new Set<string>();
  const another = (level: number, split: Split): Task => {
    for (;;) {
      const task = draw(level, split, random);
      const key = keyOf(task);
      if (known.has(key)) continue;
      known.add(key);
      return task;
    }
  };
  const each = Math.floor(EVAL_TASKS / levels);
  const evaluation = Array.from({ length: each * levels }, (_, i) =>
    another(1 + (i % levels), 'eval'),
  );
  const shares = Array.from({ length: levels }, (_, i) => levels + 1 - i);
  const deck = shares.flatMap((share, i) => new Array<number>(share).fill(i + 1));
  const train = Array.from({ length: TRAIN_TASKS }, (_, i) =>
    another(oneOf(deck, random), i % 2 === 0 ? 'shown' : 'train'),
  );
  return { train, evaluation };
}

/** A random item of a non-empty list. */
export function oneOf<T>(list: readonly T[], random: RandomGenerator): T {
  const found = list[uniformInt(random, 0, list.length - 1)];
  if (found === undefined) throw new RangeError('cannot draw from an empty list');
  return found;
}
