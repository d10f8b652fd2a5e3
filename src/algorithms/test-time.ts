/**
 * Accuracy from several samples of one task as a function of the tokens generated
 * (arXiv:2411.16579, test-time scaling): how often the majority's answer, the last answer, or any
 * answer is correct.
 */
import { clusteredShare } from './clustered.ts';
import type { Estimate } from './confidence.ts';
import { majorityAtK, type Vote } from './majority.ts';
import { passAtK } from './pass-at-k.ts';

/** An answer to a task with its cost. */
export interface Sample extends Vote {
  /** Tokens generated for it in addition to earlier samples, including critiques. */
  readonly tokens: number;
}

/** `parallel`: samples are independent. `sequential`: each depends on the earlier ones. */
export type Order = 'parallel' | 'sequential';

/** The samples of a task; every task of a set has the same number. */
export interface SampledTask {
  /** The task's cluster of related tasks (`clustered.ts`). */
  readonly cluster: string;
  readonly samples: readonly Sample[];
}

/** Accuracy for a number of samples, with 95% intervals over tasks. */
export interface CurvePoint {
  readonly samples: number;
  /** Mean tokens per task. */
  readonly tokens: number;
  /** Accuracy of the majority, ties broken at random. */
  readonly majority: Estimate;
  /** Probability that any sample is correct. */
  readonly pass: Estimate;
  /** Accuracy of the last sample; null if samples have no order. */
  readonly last: Estimate | null;
}

/** 1, 2, 4, 8, … up to the maximum, which is always included. */
export function doublings(most: number): number[] {
  const counts: number[] = [];
  for (let count = 1; count < most; count *= 2) counts.push(count);
  return [...counts, most];
}

/**
 * The curve of a set of tasks. Parallel samples are averaged over all subsets of each size;
 * sequential ones use the first samples.
 *
 * @param tasks at least one
 * @param counts numbers of samples, from 1 to the number that every task has
 * @throws {RangeError} if a task has fewer samples
 */
export function curve(
  tasks: readonly SampledTask[],
  order: Order,
  counts: readonly number[],
): CurvePoint[] {
  const clusters = tasks.map(({ cluster }) => cluster);
  const estimate = (of: (samples: readonly Sample[]) => number) =>
    clusteredShare(
      tasks.map(({ samples }) => of(samples)),
      clusters,
    );
  return counts.map((count): CurvePoint => {
    const tokens = tasks.reduce((sum, { samples }) => sum + tokensOf(samples, order, count), 0);
    const some = (samples: readonly Sample[]) =>
      order === 'parallel' ? samples : samples.slice(0, count);
    return {
      samples: count,
      tokens: tokens / tasks.length,
      majority: estimate((samples) => majorityAtK(some(samples), count)),
      pass: estimate((samples) => {
        const all = some(samples);
        return passAtK(all.length, all.filter(({ right }) => right).length, count);
      }),
      last:
        order === 'parallel'
          ? null
          : estimate((samples) => Number(samples[count - 1]?.right ?? false)),
    };
  });
}

/** Tokens of `count` samples of a task; for parallel samples the mean over all subsets. */
function tokensOf(samples: readonly Sample[], order: Order, count: number): number {
  const counted = order === 'parallel' ? samples : samples.slice(0, count);
  const sum = counted.reduce((total, { tokens }) => total + tokens, 0);
  return order === 'parallel' ? (sum * count) / samples.length : sum;
}

/**
 * Interpolates a curve linearly over the logarithm of tokens; null outside its range.
 *
 * @param points in the order of their tokens
 */
export function atTokens(
  points: readonly { readonly tokens: number; readonly value: number }[],
  tokens: number,
): number | null {
  const next = points.findIndex((point) => point.tokens >= tokens);
  const [before, after] = [points[next - 1], points[next]];
  if (after === undefined) return null;
  if (after.tokens === tokens) return after.value;
  if (before === undefined) return null;
  const share = Math.log(tokens / before.tokens) / Math.log(after.tokens / before.tokens);
  return before.value + share * (after.value - before.value);
}
