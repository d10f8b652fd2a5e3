/**
 * What more samples of one task are worth, by the tokens that they take (arXiv:2411.16579, test-time
 * scaling): the answer of the majority, the last answer, and whether any is right.
 */
import { clusteredShare } from './clustered.ts';
import type { Estimate } from './confidence.ts';
import { majorityAtK, type Vote } from './majority.ts';
import { passAtK } from './pass-at-k.ts';

/** An answer to a task, with what was said on the way to it. */
export interface Sample extends Vote {
  /** Tokens that were written for it beside those of the samples before, critiques included. */
  readonly tokens: number;
}

/** `parallel`: each sample stands alone. `sequential`: each follows from those before it. */
export type Order = 'parallel' | 'sequential';

/** The samples of a task; of every task of a set as many. */
export interface SampledTask {
  /** Tasks of a cluster ask about the same thing (`clustered.ts`). */
  readonly cluster: string;
  readonly samples: readonly Sample[];
}

/** What a number of samples comes to, with 95% intervals over tasks. */
export interface CurvePoint {
  readonly samples: number;
  /** Tokens written for a task, mean. */
  readonly tokens: number;
  /** Whether the majority is right, ties broken by chance. */
  readonly majority: Estimate;
  /** Whether any is. */
  readonly pass: Estimate;
  /** Whether the last is; null where none comes last. */
  readonly last: Estimate | null;
}

/** 1, 2, 4, 8, … up to the most, which is always among them. */
export function doublings(most: number): number[] {
  const counts: number[] = [];
  for (let count = 1; count < most; count *= 2) counts.push(count);
  return [...counts, most];
}

/**
 * The curve of a set of tasks. In parallel, a number of samples is estimated from every choice of so
 * many of a task's samples; one after the other, from those that came first.
 *
 * @param tasks at least one
 * @param counts numbers of samples, from 1 to those that every task has
 * @throws {RangeError} where a task has fewer samples.
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

/** Tokens of so many samples of a task; in parallel the mean over every choice of them. */
function tokensOf(samples: readonly Sample[], order: Order, count: number): number {
  const counted = order === 'parallel' ? samples : samples.slice(0, count);
  const sum = counted.reduce((total, { tokens }) => total + tokens, 0);
  return order === 'parallel' ? (sum * count) / samples.length : sum;
}

/**
 * What a curve comes to at so many tokens, on a line between its points over the logarithm of tokens;
 * null where the curve does not reach so far.
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
