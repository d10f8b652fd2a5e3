import { uniformInt } from 'pure-rand/distribution/uniformInt';
import type { RandomGenerator } from 'pure-rand/types/RandomGenerator';
import { shuffled } from './shuffled.ts';

/** A random item of a list. Throws a RangeError if the list is empty. */
export function oneOf<T>(list: readonly T[], random: RandomGenerator): T {
  const found = list[uniformInt(random, 0, list.length - 1)];
  if (found === undefined) throw new RangeError('cannot draw from an empty list');
  return found;
}

/** Distinct random items of a list, in random order. */
export function someOf<T>(list: readonly T[], count: number, random: RandomGenerator): T[] {
  return shuffled(list, random).slice(0, count);
}

/** True or false with equal probability. */
export function chance(random: RandomGenerator): boolean {
  return uniformInt(random, 0, 1) === 1;
}

/** The item with the largest number; null if several items share it. */
export function greatest<T>(list: readonly T[], of: (item: T) => number): T | null {
  const most = Math.max(...list.map(of));
  const found = list.filter((item) => of(item) === most);
  return found.length === 1 ? (found[0] ?? null) : null;
}
