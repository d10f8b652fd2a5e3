/** The sweep that records of runs belong to, as far as they show it: for records without their `sweep.json`. */
import { type Metric, type MetricKey, metrics } from '../runs/metrics.ts';
import { leastAndMost } from '../runs/numbers.ts';
import type { Sweep } from './file.ts';
import type { RunRecord } from './record.ts';
import { type Dimension, isFixed, type Parameter, type Value } from './space.ts';

/** What is looked for first, since most sweeps are about it. */
const usual: readonly MetricKey[] = [
  ...(['eval/success_rate', 'rollout/success_rate'] as const),
  ...(['eval/score', 'rollout/score'] as const),
];

/** What is looked at of a run's record. */
type Told = Pick<RunRecord, 'trial' | 'seed' | 'values' | 'value' | 'evaluation' | 'rows'>;

/**
 * Parameters are what the records have values for, from the smallest number that was tried to the largest;
 * the metric is the first one whose value at the end is what every record gives.
 *
 * @returns null where no metric is
 */
export function sweepOfRecords(name: string, records: readonly Told[]): Sweep | null {
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

function metricOf(records: readonly Told[]): Metric | null {
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

/** Whether a record's value is this metric's at the end; rows are kept to five digits. */
function endsWith({ value, evaluation, rows }: Told, key: MetricKey): boolean {
  const evaluated = evaluation?.[key];
  if (evaluated !== undefined) return evaluated === value;
  const column = rows?.columns.indexOf(key) ?? -1;
  const last = rows?.values.findLast((row) => typeof row[column] === 'number')?.[column];
  return typeof last === 'number' && Number(value?.toPrecision(5)) === Number(last.toPrecision(5));
}

/** Numbers that differ by more than this factor were tried on a scale of logarithms. */
const WIDE = 20;

function parameterOf(path: string, records: readonly Told[]): Parameter {
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
