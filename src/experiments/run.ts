import { z } from 'zod';
import type { Estimate } from '../algorithms/confidence.ts';
import { parseConfig } from '../config/check.ts';
import { ConfigError } from '../config/error.ts';
import type { Config } from '../config/schema.ts';
import type { EnvironmentResult } from '../runs/details.ts';
import { domainNumbers, type KeptDomain } from '../runs/domains.ts';
import type { MetricKey, MetricRow } from '../runs/metrics.ts';
import { isMetricKey, metrics } from '../runs/metrics.ts';
import { modeNames } from '../runs/mode-names.ts';
import {
  drawNames,
  type KeptCurve,
  type KeptTestTime,
  type TestTimePlan,
} from '../runs/test-time.ts';
import { fates, type KeptAutopsy } from './kept-autopsy.ts';

/** How a kept run was made. */
interface RunOrigin {
  /** The command that made the run. */
  readonly command: string;
  /** Day on which the run ended, as `2026-11-21`. */
  readonly date: string;
  /** Fingerprint of the code that affects the run's numbers. */
  readonly code: string;
  /** Metrics of the first iterations, to check whether later code gives bit-identical results. */
  readonly opening: {
    readonly iterations: number;
    readonly metrics: readonly string[];
    /** SHA-256 of these metrics' values. */
    readonly digest: string;
  };
}

/**
 * The metrics that tables need: one column per metric, one row per iteration or window of
 * iterations.
 */
export interface KeptRows {
  /** Iterations per row; more than 1 only for long runs. */
  readonly window: number;
  readonly columns: readonly MetricKey[];
  /** Rounded to five significant digits; null if a metric was not measured. */
  readonly values: readonly (readonly (number | null)[])[];
}

/**
 * The result of one run of an experiment. Optional fields are missing in files of earlier versions.
 */
export interface ExperimentRun {
  readonly arm: string;
  readonly seed: number;
  readonly config: Config;
  readonly adapter: string;
  readonly made?: RunOrigin;
  /** Greedy success after imitation and before reinforcement learning; null without imitation. */
  readonly imitationSuccess?: number | null;
  /** Number of evaluation tasks after imitation and during training, and at the end. */
  readonly evaluationTasks?: { readonly onTheWay: number; readonly atTheEnd: number };
  /** Training turns spent when greedy success first reached the target; null if it never did. */
  readonly turnsToTarget: number | null;
  readonly turns: number;
  /** Tokens the agent wrote in training. */
  readonly tokens?: number;
  readonly iterations: number;
  /** Greedy success on every evaluation task at the end. */
  readonly greedySuccess: number;
  /** Greedy success in each environment of a mixture at the end. */
  readonly environments?: readonly EnvironmentResult[];
  /**
   * Sampled success of training episodes, mean over the last tenth of the run's turns; null if none
   * was played.
   */
  readonly sampledSuccess: number | null;
  /** The same as a mean over all iterations: the area under its curve. */
  readonly areaUnderCurve: number | null;
  /**
   * Mean token entropy over the last tenth of the run's turns, nats; null if nothing was learned.
   */
  readonly entropy: number | null;
  /** The largest global gradient norm of any update, before clipping; null if it overflowed. */
  readonly worstGradNorm?: number | null;
  /**
   * Mean number of policy versions between generating a token and training on it, over the run's
   * iterations.
   */
  readonly staleness?: number | null;
  readonly seconds: number;
  /** [turns, greedy success] of every evaluation. */
  readonly evaluations: readonly (readonly [number, number])[];
  readonly rows?: KeptRows;
  /** Further metrics of the final evaluation, for recipes that have them. */
  readonly measured?: Measured;
  /** The samples drawn from the trained run, and their results. */
  readonly testTime?: KeptTestTime;
  /** The critic's results inside and outside its training domain. */
  readonly domains?: readonly KeptDomain[];
  /** The diagnosis of its failure, and the remedies that work. */
  readonly autopsy?: KeptAutopsy;
}

export type Measured = Readonly<Partial<Record<MetricKey, number>>>;

/**
 * Whether a file uses the earlier definitions: sampled success and entropy are means over the last
 * ten iterations, and the area a mean over turns. The worst gradient norm was added with the
 * current definitions.
 */
export function hasEarlierDefinitions(run: ExperimentRun): boolean {
  return run.worstGradNorm === undefined;
}

/** The numbers of a run that follow from its rows. */
export function summarize(rows: readonly MetricRow[], target: number) {
  const evaluations = rows.flatMap((row): [number, number][] => {
    const greedy = row['eval/success_rate'];
    return greedy === undefined ? [] : [[row['progress/turns'] ?? 0, greedy]];
  });
  const turns = rows.at(-1)?.['progress/turns'] ?? 0;
  const end = rows.filter((row) => (row['progress/turns'] ?? 0) > 0.9 * turns);
  return {
    turnsToTarget: evaluations.find(([, greedy]) => greedy >= target)?.[0] ?? null,
    turns,
    tokens: rows.at(-1)?.['progress/tokens'] ?? 0,
    iterations: rows.length,
    sampledSuccess: mean(end, 'rollout/success_rate'),
    areaUnderCurve: mean(rows, 'rollout/success_rate'),
    entropy: mean(end, 'policy/entropy'),
    worstGradNorm: rows.reduce((most, row) => Math.max(most, row['policy/grad_norm_max'] ?? 0), 0),
    staleness: mean(rows, 'policy/staleness'),
    evaluations,
  };
}

/**
 * Mean of a metric over iterations, which have about the same number of turns each. Iterations
 * without a value, for instance because no partial rollout finished, are skipped; null if no
 * iteration has one.
 */
function mean(rows: readonly MetricRow[], key: MetricKey): number | null {
  const values = rows.flatMap((row) => row[key] ?? []);
  if (values.length === 0) return null;
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Metrics that tables use. */
const keptColumns: readonly MetricKey[] = [
  'iteration',
  'progress/turns',
  'progress/tokens',
  'rollout/success_rate',
  'rollout/score',
  'rollout/turns',
  'rollout/horizon',
  'rollout/truncated',
  'rollout/group_zero_std',
  'rollout/replay_share',
  'rollout/paused',
  'policy/episodes',
  'policy/entropy',
  'policy/clip_fraction_low',
  'policy/clip_fraction_high',
  'policy/clip_low',
  'policy/clip_high',
  'policy/grad_norm',
  'policy/grad_norm_max',
  'policy/staleness',
  'policy/staleness_max',
  'policy/skipped_updates',
  'value/explained_variance',
  'eval/success_rate',
  'imitation/success_rate',
  'evolution/explored',
  'evolution/kept',
  'evolution/kept_share',
  'evolution/loss',
  ...metrics.flatMap(({ key }) => (/^(critique|self_improvement)\//.test(key) ? [key] : [])),
];

/** Metrics that a diagnosis may read: all metrics of episodes, policy, values and evaluations. */
export const diagnosedColumns: readonly MetricKey[] = metrics.flatMap(({ key }) =>
  /^(iteration$|progress\/turns$|(rollout|policy|value|eval)\/)/.test(key) ? [key] : [],
);

/** Maximum number of rows kept of a run; a file then stays below about 40 kB. */
const MOST_ROWS = 200;

/** Metrics for which a window keeps the last value (counts) or the largest value (maxima). */
const lastOf: ReadonlySet<MetricKey> = new Set([
  'iteration',
  'progress/turns',
  'progress/tokens',
  'rollout/horizon',
  'eval/success_rate',
]);
const mostOf: ReadonlySet<MetricKey> = new Set(['policy/grad_norm_max', 'policy/staleness_max']);
const sumOf: ReadonlySet<MetricKey> = new Set(['policy/skipped_updates']);

/**
 * The kept rows of a run, by default with the metrics that tables use. Runs of more than 200
 * iterations are divided into windows of equal length: counts keep their last value, maxima their
 * largest, other metrics their mean.
 */
export function keepRows(
  rows: readonly MetricRow[],
  asked: readonly MetricKey[] = keptColumns,
): KeptRows {
  const window = Math.ceil(rows.length / MOST_ROWS);
  const columns = asked.filter((key) => rows.some((row) => row[key] !== undefined));
  const values: (number | null)[][] = [];
  for (let from = 0; from < rows.length; from += window) {
    const joined = rows.slice(from, from + window);
    values.push(columns.map((key) => rounded(join(joined, key))));
  }
  return { window, columns, values };
}

function join(rows: readonly MetricRow[], key: MetricKey): number | null {
  const values = rows.flatMap((row) => row[key] ?? []);
  const sum = values.reduce((total, value) => total + value, 0);
  if (lastOf.has(key)) return values.at(-1) ?? null;
  if (values.length === 0) return null;
  if (mostOf.has(key)) return values.reduce((most, value) => Math.max(most, value));
  return sumOf.has(key) ? sum : sum / values.length;
}

/**
 * Whole numbers unchanged, others with five significant digits; null for infinity, which JSON
 * lacks.
 */
function rounded(value: number | null): number | null {
  if (value === null || !Number.isFinite(value)) return null;
  return Number.isInteger(value) ? value : Number(value.toPrecision(5));
}

/** Kept rows as metric rows; metrics without a value are absent. */
export function measuredRows({
  columns,
  values,
}: Pick<KeptRows, 'columns' | 'values'>): readonly { iteration: number; metrics: MetricRow }[] {
  return values.map((row, index) => {
    const metrics: MetricRow = Object.fromEntries(
      columns.flatMap((key, place) => {
        const value = row[place];
        return value === null || value === undefined ? [] : [[key, value]];
      }),
    );
    return { iteration: metrics.iteration ?? index + 1, metrics };
  });
}

/**
 * A column of the kept rows without missing values; null if there are no rows or no such column.
 */
export function keptColumn(
  run: Pick<ExperimentRun, 'rows'>,
  key: MetricKey,
): readonly number[] | null {
  const at = run.rows?.columns.indexOf(key) ?? -1;
  if (run.rows === undefined || at < 0) return null;
  return run.rows.values.flatMap((row) => row[at] ?? []);
}

/** Metrics of an evaluation other than success and score, rounded; nothing if there are none. */
export function measuredAtTheEnd(evaluated: MetricRow): Pick<ExperimentRun, 'measured'> {
  const known = ['eval/success_rate', 'eval/score'];
  const more = Object.entries(evaluated)
    .filter(([key]) => !known.includes(key))
    .flatMap(([key, value]) => {
      const kept = rounded(value);
      return kept === null ? [] : [[key, kept] as const];
    });
  return more.length === 0 ? {} : { measured: Object.fromEntries(more) };
}

/** Means of a column over the run, or over the last tenth of its turns. */
export function keptMean(
  run: ExperimentRun,
  key: MetricKey,
  over: 'run' | 'end' = 'run',
): number | null {
  const { rows } = run;
  const at = rows?.columns.indexOf(key) ?? -1;
  const turns = rows?.columns.indexOf('progress/turns') ?? -1;
  if (rows === undefined || at < 0) return null;
  const values = rows.values
    .filter((row) => over === 'run' || (row[turns] ?? 0) > 0.9 * run.turns)
    .flatMap((row) => row[at] ?? []);
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The content of the run's file: readable, with one line per row. */
export function formatRun<Run extends object>(run: Run & { readonly rows?: KeptRows }): string {
  const { rows, ...rest } = run;
  const text = JSON.stringify(rest, null, 1);
  if (rows === undefined) return `${text}\n`;
  const { values, ...head } = rows;
  const start = JSON.stringify(head).slice(0, -1);
  const lines = values.map((row) => `  ${JSON.stringify(row)}`).join(',\n');
  return `${text.slice(0, -2)},\n "rows": ${start},"values":[\n${lines}\n ]}\n}\n`;
}

/** Curves with rounded numbers, as stored. */
export function keptTestTime(plan: TestTimePlan, curves: readonly KeptCurve[]): KeptTestTime {
  return {
    plan,
    curves: curves.map(({ points, ...draw }) => ({
      ...draw,
      points: points.map(({ samples, tokens, majority, pass, last }) => ({
        samples,
        tokens: rounded(tokens) ?? 0,
        majority: shortened(majority),
        pass: shortened(pass),
        last: last === null ? null : shortened(last),
      })),
    })),
  };
}

/** Results by domain with rounded numbers, as stored. */
export function keptDomains(domains: readonly KeptDomain[]): readonly KeptDomain[] {
  return domains.map(({ numbers, ...domain }) => {
    const kept = domainNumbers.map((name) => {
      const number = numbers[name];
      return [name, number === null ? null : shortened(number)] as const;
    });
    return { ...domain, numbers: Object.fromEntries(kept) as KeptDomain['numbers'] };
  });
}

function shortened({ mean, low, high }: Estimate): Estimate {
  return { mean: rounded(mean) ?? 0, low: rounded(low) ?? 0, high: rounded(high) ?? 0 };
}

/** Thrown for a kept file that is invalid or was edited by hand. */
export class KeptRunError extends Error {
  override readonly name = 'KeptRunError';
  constructor(file: string, problem: string) {
    super(`${file} is not a run of an experiment: ${problem}`);
  }
}

const count = z.int().min(0);
const share = z.number().min(0).max(1);
/** A number, or null for one that was not finite. */
const measured = z.number().nullable();
/**
 * Equivalent to `z.array(z.array(measured))`, in a fraction of the time, because a file consists
 * almost entirely of rows.
 */
const matrix = z.custom<readonly (readonly (number | null)[])[]>(
  (rows) =>
    Array.isArray(rows) &&
    rows.every(
      (row) => Array.isArray(row) && row.every((cell) => cell === null || Number.isFinite(cell)),
    ),
  'must be lists of numbers and null',
);

const drawPlan = z.object({
  how: z.enum(drawNames),
  samples: count,
  rounds: count.exactOptional(),
});
const estimate = z.object({ mean: share, low: share, high: share });

const mode = z.enum(modeNames);
const keptFork = z.object({ success: share, greedy: share.nullable() });
const autopsy = z.object({
  provoked: mode,
  found: z.object({ mode, onset: count, known: count }).nullable(),
  forks: z
    .object({
      after: count,
      to: count,
      asItWas: keptFork,
      cures: z.array(
        keptFork.extend({ name: z.string(), mode: mode.nullable(), fate: z.enum(fates) }),
      ),
      iterations: count,
      seconds: z.number(),
    })
    .nullable(),
});

const schema = z.object({
  autopsy: autopsy.exactOptional(),
  domains: z
    .array(
      z.object({
        name: z.string(),
        heard: z.boolean(),
        tasks: count,
        numbers: z.record(z.enum(domainNumbers), estimate.nullable()),
      }),
    )
    .exactOptional(),
  arm: z.string(),
  seed: z.int(),
  config: z.unknown(),
  adapter: z.string(),
  made: z
    .object({
      command: z.string(),
      date: z.iso.date(),
      code: z.string(),
      opening: z.object({
        iterations: count,
        metrics: z.array(z.string()),
        digest: z.string(),
      }),
    })
    .exactOptional(),
  imitationSuccess: share.nullable().exactOptional(),
  evaluationTasks: z.object({ onTheWay: count, atTheEnd: count }).exactOptional(),
  turnsToTarget: count.nullable(),
  turns: count,
  tokens: count.exactOptional(),
  iterations: count,
  greedySuccess: share,
  environments: z
    .array(
      z.object({
        id: z.string(),
        episodes: count,
        successRate: share,
        score: z.number(),
        turns: z.number(),
      }),
    )
    .exactOptional(),
  sampledSuccess: share.nullable(),
  areaUnderCurve: share.nullable(),
  entropy: measured,
  worstGradNorm: measured.exactOptional(),
  staleness: measured.exactOptional(),
  seconds: z.number(),
  evaluations: z.array(z.tuple([count, share])),
  rows: z
    .object({
      window: count,
      columns: z.array(z.string().refine(isMetricKey)),
      values: matrix,
    })
    .exactOptional(),
  measured: z.partialRecord(z.string().refine(isMetricKey), z.number()).exactOptional(),
  testTime: z
    .object({
      plan: z.object({ tasks: count, draws: z.array(drawPlan) }),
      curves: z.array(
        drawPlan.extend({
          points: z.array(
            z.object({
              samples: count,
              tokens: z.number().min(0),
              ...{ majority: estimate, pass: estimate, last: estimate.nullable() },
            }),
          ),
        }),
      ),
    })
    .exactOptional(),
});

/**
 * Reads a kept file. Fields that its config lacks get their defaults, which change nothing.
 *
 * @param file its name, for the error
 * @throws {KeptRunError}
 */
export function parseRun(file: string, text: string): ExperimentRun {
  try {
    return readRun(file, JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError) throw new KeptRunError(file, error.message);
    throw error;
  }
}

/** Like `parseRun`, for parsed JSON. */
export function readRun(file: string, value: unknown): ExperimentRun {
  try {
    const run = schema.parse(value);
    return { ...run, config: parseConfig(run.config) };
  } catch (error) {
    if (error instanceof z.ZodError) {
      const [issue] = error.issues;
      throw new KeptRunError(file, `${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`);
    }
    if (error instanceof ConfigError) throw new KeptRunError(file, error.message);
    throw error;
  }
}
