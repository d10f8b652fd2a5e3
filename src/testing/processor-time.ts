import { expect } from 'vitest';

/** CPU time of one run of an action in ms, which other programs hardly affect. */
export function processorMs(action: () => void): number {
  const before = process.cpuUsage();
  action();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/**
 * The least CPU time of up to five runs in ms, because compilation and garbage collection only add
 * time. The action must not cache its result: later runs would measure the cache.
 *
 * @param enough ms below which the action is not repeated
 */
export function leastProcessorMs(enough: number, action: () => void): number {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 5 && least >= enough; run++) {
    least = Math.min(least, processorMs(action));
  }
  return least;
}

/**
 * Asserts that each of many actions, measured once, takes less than `limit` ms. Compilation or
 * garbage collection may lengthen two of them up to tenfold.
 */
export function expectQuick(times: readonly number[], limit: number): void {
  const [slowest = 0, , third = 0] = times.toSorted((a, b) => b - a);
  expect(third).toBeLessThan(limit);
  expect(slowest).toBeLessThan(10 * limit);
}
