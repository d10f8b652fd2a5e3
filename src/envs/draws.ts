import { uniformInt } from 'pure-rand/distribution/uniformInt';
import type { RandomGenerator } from 'pure-rand/types/RandomGenerator';
import { shuffled } from './shuffled.ts';

/** One of a list. Throws a RangeError for an empty one. */
export function oneOf<T>(list: readonly T[], random: RandomGenerator): T {
  const found = list[uniformInt(random, 0, list.length - 1)];
  if (found === undefined) throw new RangeError('there is nothing to draw from');
  return found;
}

/** Distinct ones of a list, in a drawn order. */
export function someOf<T>(list: readonly T[], count: number, random: RandomGenerator): T[] {
  return shuffled(list, random).slice(0, count);
}

/** Heads or tails. */
export function chance(random: RandomGenerator): boolean {
  return uniformInt(random, 0, 1) === 1;
}

/** The one with the greatest number; null where two share it. */
export function greatest<T>(list: readonly T[], of: (item: T) => number): T | null {
  const most = Math.max(...list.map(of));
  const found = list.filter((item) => of(item) === most);
  return found.length === 1 ? (found[0] ?? null) : null;
}
