/** Evaluates the forks of a run: which cures work, and whether that supports the finding. */

import { boundedInterval, type Estimate } from '../algorithms/confidence.ts';
import type { TrialOutcome } from '../diagnosis/evidence.ts';
import { type Fate, fates } from '../experiments/kept-autopsy.ts';
import { listed, percent } from '../runs/numbers.ts';
import type { Cure } from './cures.ts';
import { type AutopsyEvent, type AutopsyRow, SHARED } from './perform.ts';
import { type AutopsyPlan, forksOf } from './plan.ts';

/** Minimum gain in success over the unchanged run; a smaller one may be noise. */
const MARGIN = 0.1;
/** Minimum share of the best cure's gain to count as `lives`; a cure below it only `helps`. */
const SHARE = 2 / 3;
/** Minimum success rate of a run that needs no cure. */
const WELL = 0.9;

/** The part of a fork that has been played so far. */
export interface PlayedFork {
  readonly rows: readonly AutopsyRow[];
  readonly end: Extract<AutopsyEvent, { readonly type: 'end' }> | null;
}

/** The part of an autopsy plan that has been played so far. */
export interface Played {
  /** The iterations that all forks share. */
  readonly shared: readonly AutopsyRow[];
  /** In the order of `forksOf`. */
  readonly forks: readonly PlayedFork[];
}

export function nothingPlayed(plan: AutopsyPlan): Played {
  return { shared: [], forks: forksOf(plan).map(() => ({ rows: [], end: null })) };
}

/** Returns the played part extended by an event. */
export function withEvent({ shared, forks }: Played, event: AutopsyEvent): Played {
  if (event.type === 'row' && event.place === SHARED) {
    return { shared: [...shared, event.row], forks };
  }
  return {
    shared,
    forks: forks.map((fork, place) => {
      if (place !== event.place) return fork;
      return event.type === 'row'
        ? { ...fork, rows: [...fork.rows, event.row] }
        : { ...fork, end: event };
    }),
  };
}

/** Number of iterations played. */
export const iterationsOf = ({ shared, forks }: Played) =>
  forks.reduce((sum, { rows }) => sum + rows.length, shared.length);

/**
 * Mean success of a fork over the last quarter of its iterations, when a cure should have taken
 * effect. Iterations skipped because the fork reached the run's target count with its final greedy
 * success; those missing because of non-finite numbers count as failures.
 */
function successOf({ after, to }: AutopsyPlan, { rows, end }: PlayedFork): number {
  const from = to - Math.max(1, Math.floor((to - after) / 4)) + 1;
  const last = rows.at(-1)?.iteration ?? after;
  const values = rows.flatMap(({ iteration, metrics }) => {
    const success = metrics['rollout/success_rate'];
    return iteration < from || success === undefined ? [] : [success];
  });
  const missing = to - Math.max(last, from - 1);
  const rest = end?.greedy ?? 0;
  const sum = values.reduce((total, value) => total + value, 0) + missing * rest;
  return sum / (values.length + missing);
}

/** The result of a cure, or of the unchanged run. */
export interface Outcome {
  /** `successOf` over seeds; the interval is NaN for a single seed. */
  readonly success: Estimate;
  /** Greedy success at the end, averaged over seeds; null if a fork did not finish. */
  readonly greedy: number | null;
  readonly iterations: number;
  /** Why forks could not be completed. */
  readonly problems: readonly string[];
}

interface TriedCure extends Outcome {
  readonly cure: Cure;
  /** Difference in success from the unchanged run, paired by seed. */
  readonly difference: Estimate;
  readonly fate: Fate;
}

export interface Trial {
  readonly outcome: TrialOutcome;
  readonly asItWas: Outcome;
  readonly cures: readonly TriedCure[];
  /** The conclusion, in a few sentences. */
  readonly text: string;
}

function outcomeOf(plan: AutopsyPlan, forks: readonly PlayedFork[]): Outcome {
  const greedy = forks.map(({ end }) => end?.greedy ?? Number.NaN);
  const mean = greedy.reduce((sum, value) => sum + value, 0) / forks.length;
  return {
    success: boundedInterval(forks.map((fork) => successOf(plan, fork))),
    greedy: Number.isNaN(mean) ? null : mean,
    iterations: forks.reduce((sum, { rows }) => sum + rows.length, 0),
    problems: forks.flatMap(({ end }) => end?.problem ?? []),
  };
}

/** @param most largest mean gain of any cure */
function fateOf({ mean, low }: Estimate, most: number): Fate {
  if (mean < MARGIN) return 'fails';
  // A single seed has no interval. With several seeds, the interval must exclude zero gain.
  if (!Number.isNaN(low) && low <= 0) return 'open';
  return mean >= SHARE * most ? 'lives' : 'helps';
}

/** The verdict over completed seeds; null before the first is complete. */
export function judge(plan: AutopsyPlan, { forks }: Played): Trial | null {
  const width = plan.cures.length + 1;
  const bySeed = plan.seeds
    .map((_, place) => forks.slice(place * width, (place + 1) * width))
    .filter((of) => of.every(({ end }) => end !== null));
  if (bySeed.length === 0) return null;
  const column = (place: number) => bySeed.flatMap((of) => of[place] ?? []);
  const before = column(0).map((fork) => successOf(plan, fork));
  const differences = plan.cures.map((_, place) =>
    boundedInterval(
      column(place + 1).map((fork, seed) => successOf(plan, fork) - (before[seed] ?? 0)),
      [-1, 1],
    ),
  );
  const most = Math.max(...differences.map(({ mean }) => mean));
  const asItWas = outcomeOf(plan, column(0));
  const cures = differences.map((difference, place): TriedCure => {
    const cure = plan.cures[place];
    if (cure === undefined) throw new RangeError('a difference for every cure');
    return {
      cure,
      ...outcomeOf(plan, column(place + 1)),
      difference,
      fate: fateOf(difference, most),
    };
  });
  const outcome = outcomeOfTrial(cures.filter(({ cure }) => cure.mode === plan.mode));
  return { outcome, asItWas, cures, text: textOf(plan, bySeed.length, asItWas, cures) };
}

/** @param own cures of the finding itself */
function outcomeOfTrial(own: readonly TriedCure[]): TrialOutcome {
  if (own.some(({ fate }) => fate === 'lives')) return 'proved';
  return own.length === 0 || own.some(({ fate }) => fate === 'open') ? 'open' : 'refuted';
}

const namedMode = (mode: string) => mode.replaceAll('_', ' ');

function withInterval({ mean, low, high }: Estimate): string {
  return Number.isNaN(low)
    ? percent(mean)
    : `${percent(mean)} (${percent(low)} to ${percent(high)})`;
}

const fateWords: Readonly<Record<Fate, string>> = {
  lives: 'It gains most with',
  helps: 'It gains less with',
  fails: 'It gains little or nothing with',
  open: 'The seeds disagree on',
};

function textOf(
  { after, to, mode }: AutopsyPlan,
  seeds: number,
  asItWas: Outcome,
  cures: readonly TriedCure[],
): string {
  const successOf = ({ cure, success }: TriedCure) =>
    `${cure.name} (${withInterval(success)}${cure.mode === null || cure.mode === mode ? '' : `, a cure of ${namedMode(cure.mode)}`})`;
  const sentences = fates.flatMap((fate) => {
    const of = cures
      .filter((cure) => cure.fate === fate)
      .toSorted((a, b) => b.success.mean - a.success.mean);
    return of.length === 0 ? [] : [`${fateWords[fate]} ${listed(of.map(successOf))}.`];
  });
  return [
    `Continued from iteration ${after} to ${to}${seeds === 1 ? '' : ` with ${seeds} seeds`}, the unchanged run solves ${withInterval(asItWas.success)} in the end.`,
    ...(asItWas.success.mean >= WELL ? ['It succeeds without a cure.'] : []),
    ...sentences,
  ].join(' ');
}

/**
 * Checks that the replay equals the run bit for bit. Compares metrics present in both, except
 * wall-clock times.
 *
 * @param rows rows of the run
 * @returns the first iteration with different numbers; null if there is none
 */
export function firstDifference(
  rows: readonly AutopsyRow[],
  { shared, forks }: Played,
): number | null {
  const [asItWas] = forks;
  const played = new Map([...shared, ...(asItWas?.rows ?? [])].map((row) => [row.iteration, row]));
  for (const { iteration, metrics } of rows) {
    const again = played.get(iteration);
    if (again !== undefined && !equal(metrics, again.metrics)) return iteration;
  }
  return null;
}

function equal(a: AutopsyRow['metrics'], b: AutopsyRow['metrics']): boolean {
  const other = new Map<string, number>(Object.entries(b));
  return Object.entries(a).every(([key, value]) => {
    const again = other.get(key);
    if (again === undefined || key.startsWith('time/')) return true;
    return again === value || (Number.isNaN(again) && Number.isNaN(value));
  });
}
