/** The results of a sweep so far: trials with intervals over seeds, and parameter importance. */
import { boundedInterval, type Estimate, studentInterval } from '../algorithms/confidence.ts';
import { type Metric, metrics } from '../runs/metrics.ts';
import type { Sweep } from './file.ts';
import { type Importance, importances } from './importance.ts';
import { type Outcome, runName, type Trial } from './plan.ts';
import type { RunRecord } from './record.ts';

/** A trial, aggregated over its seeds. */
export interface TrialSummary extends Trial {
  readonly standing: 'finished' | 'stopped' | 'failed' | 'running';
  /** Interval over the seeds with a value; null if none has one. */
  readonly estimate: Estimate | null;
  /** The metric for each seed, in the sweep's order; null if missing. */
  readonly bySeed: readonly (number | null)[];
  /** Number of rungs that all seeds reached. */
  readonly rungs: number;
  readonly iterations: number;
  readonly turns: number;
  /** The error of its first failed run. */
  readonly error: string | null;
}

export interface SweepSummary {
  /** Best first: finished trials, then stopped ones, then the others. */
  readonly trials: readonly TrialSummary[];
  readonly importances: readonly Importance[];
  readonly metric: Metric;
}

/** The part of a run's record that is read. */
type Ended = Pick<RunRecord, 'outcome' | 'reason' | 'value' | 'rungs'> & {
  readonly summary: Pick<RunRecord['summary'], 'iterations' | 'turns'>;
};

/** Records by run name. */
export type Records = ReadonlyMap<string, Ended>;

export function summarizeSweep(
  sweep: Sweep,
  trials: readonly Trial[],
  records: Records,
): SweepSummary {
  const metric = metrics.find(({ key }) => key === sweep.metric.key);
  if (metric === undefined) throw new TypeError(`no metric ${sweep.metric.key}`);
  const sign = sweep.metric.goal === 'maximize' ? 1 : -1;
  const summaries = trials
    // Trials beyond a lowered cap no longer count.
    .slice(0, sweep.trials)
    .map((trial) => summarizeTrial(sweep, metric, trial, records))
    .sort((a, b) => better(a, b, sign));
  const scored = summaries.flatMap(({ standing, estimate, values }) =>
    (standing === 'finished' || standing === 'stopped') && estimate !== null
      ? [{ values, score: sign * estimate.mean }]
      : [],
  );
  return { trials: summaries, importances: importances(sweep.parameters, scored), metric };
}

function summarizeTrial(
  sweep: Sweep,
  metric: Metric,
  trial: Trial,
  records: Records,
): TrialSummary {
  const found = sweep.seeds.map((seed) => records.get(runName(trial.number, seed)) ?? null);
  const known = found.filter((record) => record !== null);
  const bySeed = found.map((record) => record?.value ?? null);
  const values = bySeed.filter((value) => value !== null);
  const has = (outcome: Outcome) => known.some((record) => record.outcome === outcome);
  const [least, most] = metric.range;
  const interval =
    least !== null && most !== null
      ? boundedInterval(values, [least, most])
      : studentInterval(values);
  return {
    ...trial,
    standing: has('failed')
      ? 'failed'
      : known.length < found.length
        ? 'running'
        : has('stopped')
          ? 'stopped'
          : 'finished',
    estimate: values.length === 0 ? null : interval,
    bySeed,
    rungs: Math.min(...found.map((record) => record?.rungs.length ?? 0)),
    iterations: known.reduce((sum, { summary }) => sum + summary.iterations, 0),
    turns: known.reduce((sum, { summary }) => sum + summary.turns, 0),
    error: known.find(({ outcome }) => outcome === 'failed')?.reason ?? null,
  };
}

const order = { finished: 0, stopped: 1, running: 2, failed: 3 } as const;

function better(a: TrialSummary, b: TrialSummary, sign: number): number {
  const standing = order[a.standing] - order[b.standing];
  if (standing !== 0) return standing;
  if (a.standing === 'stopped' && a.rungs !== b.rungs) return b.rungs - a.rungs;
  const score = ({ estimate }: TrialSummary) =>
    estimate === null ? Number.NEGATIVE_INFINITY : sign * estimate.mean;
  return score(b) - score(a) || a.number - b.number;
}
