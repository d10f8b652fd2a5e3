/** Reconstructs a sweep from the records of its runs, if `sweep.json` is missing. */
import { type Metric, type MetricKey, metrics } from '../runs/metrics.ts';
import { leastAndMost } from '../runs/numbers.ts';
import type { Sweep } from './file.ts';
import type { RunRecord } from './record.ts';
import { type Dimension, isFixed, type Parameter, type Value } from './space.ts';

/** Preferred metrics, in order: most sweeps use one of them. */
const usual: readonly MetricKey[] = [
  ...(['eval/success_rate', 'rollout/success_rate'] as const),
  ...(['eval/score', 'rollout/score'] as const),
];

/** The part of a run's record that is read. */
type SweepRecord = Pick<RunRecord, 'trial' | 'seed' | 'values' | 'value' | 'evaluation' | 'rows'>;

/**
 * Reconstructs a sweep. Its parameters are those with values in the records, with ranges from the
 * smallest to the largest value tried. Its metric is the first one whose final value matches every
 * record.
 *
 * @returns null if no metric matches
 */
export function sweepOfRecords(name: string, records: readonly SweepRecord[]): Sweep | null {
  const metric = metricOf(records);
  if (metric === null) return null;
  const paths = [...new Set(records.flatMap(({ values }) => Object.keys(values)))];
  const parameters = paths.map((path) => parameterOf(path, records));
  const trials = new Set(records.map(({ trial }) => trial)).size;
  return {
    ...{
      name,
      description: '',
      sampler: parameters.some(isFree) ? 'random' : 'grid',
      halving: null,
    },
    metric: {
      key: metric.key as MetricKey,
      goal: metric.good === 'down' ? 'minimize' : 'maximize',
    },
    ...{ parameters, trials },
    seeds: [...new Set(records.map(({ seed }) => seed))].sort((a, b) => a - b),
  };
}

const isFree = (parameter: Parameter) => parameter.dimension.kind === 'span' && !isFixed(parameter);

function metricOf(records: readonly SweepRecord[]): Metric | null {
  const measured = records.filter(({ value }) => value !== null);
  const rank = ({ key }: Metric) => [...usual, key].indexOf(key as MetricKey);
  const ordered = metrics
    .filter(({ key }) => !key.startsWith('time/'))
    .toSorted((a, b) => rank(a) - rank(b));
  return (
    ordered.find(({ key }) => measured.every((record) => endsWith(record, key as MetricKey))) ??
    null
  );
}

/** Whether the value of a record is the final value of this metric. Rows store five significant digits. */
function endsWith({ value, evaluation, rows }: SweepRecord, key: MetricKey): boolean {
  const evaluated = evaluation?.[key];
  if (evaluated !== undefined) return evaluated === value;
  const column = rows?.columns.indexOf(key) ?? -1;
  const last = rows?.values.findLast((row) => typeof row[column] === 'number')?.[column];
  return typeof last === 'number' && Number(value?.toPrecision(5)) === Number(last.toPrecision(5));
}

/** Ranges with a larger ratio of bounds than this are assumed to be logarithmic. */
const WIDE = 20;

function parameterOf(path: string, records: readonly SweepRecord[]): Parameter {
  const values = records.flatMap(({ values: tried }) =>
    Object.hasOwn(tried, path) ? [tried[path] ?? null] : [],
  );
  const numbers = values.filter((value) => typeof value === 'number');
  const different = new Set(numbers).size;
  return {
    path,
    dimension: numbers.length === values.length && different > 1 ? span(numbers) : choice(values),
  };
}

function choice(values: readonly Value[]): Dimension {
  const known = new Map(values.map((value) => [JSON.stringify(value), value]));
  const different = [...known.values()];
  return {
    kind: 'choice',
    values: different,
    probabilities: different.map(() => 1 / different.length),
  };
}

function span(numbers: readonly number[]): Dimension {
  const [low, high] = leastAndMost(numbers);
  const log = low > 0 && high / low > WIDE;
  return {
    kind: 'span',
    scale: log ? 'log' : 'linear',
    low: log ? Math.log(low) : low,
    high: log ? Math.log(high) : high,
    normal: null,
    quantum: null,
    whole: !log && numbers.every(Number.isInteger),
  };
}
