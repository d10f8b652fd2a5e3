/** When two runs diverge, by their success in training. */

import { percent, several } from '../../../runs/numbers.ts';
import type { Row } from '../../../runs/row.ts';

/** Iterations per average. */
const WINDOW = 5;
/** Difference between two runs that counts as significant, in standard errors. */
const APART = 2.5;

interface Standing {
  readonly iteration: number;
  /** First minus second; `error` is its standard error. */
  readonly difference: number;
  readonly error: number;
  readonly first: number;
  readonly second: number;
}

/** The iteration from which one run stays ahead. */
interface Parting {
  readonly iteration: number;
  /** Recent success of the first and of the second. */
  readonly now: readonly [number, number];
}

/**
 * Moving averages of both runs and their difference, up to the shorter run.
 *
 * @param episodes per iteration
 */
function standings(
  first: readonly Row[],
  second: readonly Row[],
  episodes: number,
): readonly Standing[] {
  const length = Math.min(first.length, second.length);
  const mean = (rows: readonly Row[], end: number) => {
    const shares = rows
      .slice(end - WINDOW, end)
      .flatMap(({ metrics }) => metrics['rollout/success_rate'] ?? []);
    return shares.reduce((sum, share) => sum + share, 0) / shares.length;
  };
  return Array.from({ length: Math.max(0, length - WINDOW + 1) }, (_, i) => {
    const end = i + WINDOW;
    const [a, b] = [mean(first, end), mean(second, end)];
    // Shares of 0 and 1 get a minimum variance, as if half an episode had ended differently.
    const variance = (p: number) => Math.max(p * (1 - p), 0.5 / (WINDOW * episodes));
    const error = Math.sqrt((variance(a) + variance(b)) / (WINDOW * episodes));
    return { iteration: end, difference: a - b, error, first: a, second: b };
  });
}

/** The first iteration from which one run is significantly ahead in every window up to now. */
function partingAmong(all: readonly Standing[]): Parting | null {
  const last = all.at(-1);
  if (last === undefined) return null;
  const ahead = Math.sign(last.difference);
  const together = all.findLastIndex(
    ({ difference, error }) => ahead * difference <= APART * error,
  );
  const from = all[together + 1];
  return from === undefined ? null : { iteration: from.iteration, now: [last.first, last.second] };
}

/** One sentence on when the two diverge; without a test if both have ended too soon for one. */
export function partingInWords(
  names: readonly [string, string],
  first: readonly Row[],
  second: readonly Row[],
  episodes: number,
  ended: boolean,
): string {
  const all = standings(first, second, episodes);
  const last = all.at(-1);
  if (last === undefined) {
    const length = Math.min(first.length, second.length);
    if (!ended || length === 0) return 'Too early to compare.';
    const [a, b] = [first, second].map((rows) =>
      percent(rows[length - 1]?.metrics['rollout/success_rate']),
    );
    return `After ${several(length, 'iteration')}: ${names[0]} solves ${a}, ${names[1]} ${b}.`;
  }
  const parting = partingAmong(all);
  if (parting === null) {
    return `No clear difference up to iteration ${last.iteration}: ${names[0]} solves ${percent(last.first)}, ${names[1]} ${percent(last.second)}.`;
  }
  const [a, b] = parting.now;
  const [better, worse] = a > b ? [0, 1] : [1, 0];
  const share = (place: number) => percent(parting.now[place]);
  return `${names[better]} has been ahead since about iteration ${parting.iteration}: it solves ${share(better)}, ${names[worse]} ${share(worse)}.`;
}
