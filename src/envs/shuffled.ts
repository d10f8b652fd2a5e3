import { uniformInt } from 'pure-rand/distribution/uniformInt';
import type { RandomGenerator } from 'pure-rand/types/RandomGenerator';

/** A list in random order (Fisher–Yates). */
export function shuffled<T>(values: readonly T[], random: RandomGenerator): T[] {
  const order = [...values];
  for (let i = order.length - 1; i > 0; i--) {
    const j = uniformInt(random, 0, i);
    const [a, b] = [order[i], order[j]];
    if (a !== undefined && b !== undefined) {
      order[i] = b;
      order[j] = a;
    }
  }
  return order;
}
