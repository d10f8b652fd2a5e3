/**
 * The state of a run, computed once for the headline, the end of the run and the sentence beside
 * success.
 */

import type { MetricKey } from '../runs/metrics.ts';
import { type Evidence, remembered } from './evidence.ts';
import { History } from './history.ts';
import { meanOf, type Sample, WINDOW } from './trend.ts';

/** `random`: before any learning; `falling`: clearly below the run's best. */
export type ProgressState = 'random' | 'improving' | 'flat' | 'falling' | 'solved';

export interface Progress {
  readonly state: ProgressState;
  /** First iteration of the state; for `falling`, the last iteration at the best level. */
  readonly since: number;
  /** Mean success of the newest training episodes, over `WINDOW` iterations. */
  readonly now: number;
  /** The same at `since`. */
  readonly before: number;
  /** The same over the first iterations. */
  readonly first: number;
  /** The highest such mean. */
  readonly best: number;
  /** Whether `now` is clearly above `first`. */
  readonly learned: boolean;
  /** Newest evaluation; absent without one. */
  readonly greedy?: number;
  /** Entropy as a share of a uniform policy's entropy; absent if the vocabulary is unknown. */
  readonly randomness?: number;
}

/** Success rate above which a task counts as solved. */
export const SOLVED = 0.95;
/** Smaller changes of success are not reported. */
const LEAST_CHANGE = 0.03;
/** The best level is the highest of many means, so a larger difference is needed to be below it. */
const LEAST_FALL = 0.05;
/** Two means differ if they are this many standard errors apart. */
const STANDARD_ERRORS = 2.5;
/** Minimum number of rows for a run to count as flat. */
const LEAST_FLAT = 2 * WINDOW;
/** Window lengths for comparing means, in iterations: short ones detect steps, long ones slow rises. */
const WINDOWS = [WINDOW, 2 * WINDOW, 4 * WINDOW];
/** A state counts as uninterrupted if it recurs within this many iterations. */
const GAP = 4;
/** Share of the maximum entropy above which generated words count as nearly random. */
const RANDOM = 0.9;
/** Success rate below which a policy of unknown entropy counts as random. */
const RANDOM_SUCCESS = 0.05;

const SUCCESS: MetricKey = 'rollout/success_rate';

/** Whether `a` is above `b` by more than noise. */
function above(a: Sample, b: Sample, least = LEAST_CHANGE): boolean {
  const error = Math.sqrt(a.error + b.error);
  return a.mean - b.mean > Math.max(least, STANDARD_ERRORS * error);
}

interface Point extends Omit<Progress, 'since' | 'before' | 'state'> {
  readonly state: ProgressState | null;
  /** Index of the last row of the best window. */
  readonly bestAt: number;
}

/** Every row's state, from that row and the ones before it. */
function pointsOf(history: History, evidence: Evidence): readonly Point[] {
  const success = history.column(SUCCESS);
  const entropy = history.column('policy/entropy');
  const windowEnding = (index: number, length = WINDOW) =>
    meanOf(success.subarray(Math.max(0, index + 1 - length), Math.max(0, index + 1)));
  const largest = evidence.vocabulary === undefined ? undefined : Math.log(evidence.vocabulary);
  const points: Point[] = [];
  let first: Sample | undefined;
  let best: Sample | undefined;
  let bestAt = 0;
  let evaluated = 0;
  let greedy: number | undefined;
  for (let index = 0; index < history.length; index++) {
    const iteration = history.iteration(index);
    while ((evidence.evaluations[evaluated]?.iteration ?? Number.POSITIVE_INFINITY) <= iteration) {
      greedy = evidence.evaluations[evaluated]?.metrics['eval/success_rate'] ?? greedy;
      evaluated += 1;
    }
    const now = windowEnding(index);
    if (now === undefined) continue;
    if (first === undefined || index < WINDOW) first = now;
    if (index + 1 >= WINDOW && (best === undefined || now.mean >= best.mean)) {
      [best, bestAt] = [now, index];
    }
    const randomness =
      largest === undefined || !Number.isFinite(entropy[index] ?? Number.NaN)
        ? undefined
        : Math.min(1, (entropy[index] ?? 0) / largest);
    const learned = above(now, first);
    points.push({
      ...(greedy === undefined ? {} : { greedy }),
      ...(randomness === undefined ? {} : { randomness }),
      now: now.mean,
      first: first.mean,
      best: best?.mean ?? now.mean,
      bestAt,
      learned,
      state: stateOf(index),
    });

    function stateOf(at: number): ProgressState | null {
      if (now === undefined || first === undefined) return null;
      const changed = (direction: 1 | -1) =>
        WINDOWS.some((length) => {
          const window = Math.min(length, Math.floor((at + 1) / 2));
          if (window < 2) return false;
          const recent = windowEnding(at, window);
          const earlier = windowEnding(at - window, window);
          if (recent === undefined || earlier === undefined) return false;
          return direction === 1 ? above(recent, earlier) : above(earlier, recent);
        });
      const rising = changed(1) && now.mean > first.mean;
      const fallen = best !== undefined && above(best, now, LEAST_FALL);
      if (at + 1 >= 3 && now.mean >= SOLVED) return 'solved';
      if ((greedy ?? 0) >= SOLVED && !fallen) return 'solved';
      if (fallen && !rising) return 'falling';
      if (rising) return 'improving';
      if (
        !learned &&
        (randomness === undefined ? now.mean < RANDOM_SUCCESS : randomness > RANDOM)
      ) {
        return 'random';
      }
      return at + 1 < LEAST_FLAT ? null : 'flat';
    }
  }
  return points;
}

/**
 * The state of a run after its last row; null without a success rate, or while there are too few
 * rows to tell. It depends only on training success, evaluations, entropy and vocabulary, so it
 * works for every recipe whose episodes are those of the agent: in Critique-RL they are critiques.
 */
export const progressOf = remembered((evidence): Progress | null => {
  if (evidence.facts.recipe === 'critique') return null;
  const history = new History({
    ...evidence,
    rows: evidence.rows.filter(({ metrics }) => Number.isFinite(metrics[SUCCESS] ?? Number.NaN)),
  });
  const points = pointsOf(history, evidence);
  const last = points.at(-1);
  if (last === undefined || last.state === null) return null;
  const { bestAt, state, ...rest } = last;
  let from = points.length - 1;
  if (state === 'falling') from = bestAt;
  else {
    for (let at = from; at >= 0 && from - at <= GAP; at--) {
      if (points[at]?.state === state) from = at;
    }
  }
  return { ...rest, state, since: history.iteration(from), before: points[from]?.now ?? last.now };
});
