/** Reads `parameters` of a sweep file: distributions, lists, constants and nested parameters. */
import { SweepError } from './error.ts';
import { type FileNode, plain, readNode } from './node.ts';
import type { Choice, Dimension, Parameter, Span, Value } from './space.ts';

export interface SeedsAndParameters {
  /** Every trial runs once with each seed. */
  readonly seeds: readonly number[];
  readonly parameters: readonly Parameter[];
}

/** The keys of each distribution. */
const distributions = {
  constant: ['value'],
  categorical: ['values', 'probabilities'],
  int_uniform: ['min', 'max'],
  uniform: ['min', 'max'],
  q_uniform: ['min', 'max', 'q'],
  log_uniform: ['min', 'max'],
  log_uniform_values: ['min', 'max'],
  q_log_uniform: ['min', 'max', 'q'],
  q_log_uniform_values: ['min', 'max', 'q'],
  inv_log_uniform: ['min', 'max'],
  inv_log_uniform_values: ['min', 'max'],
  normal: ['mu', 'sigma'],
  q_normal: ['mu', 'sigma', 'q'],
  log_normal: ['mu', 'sigma'],
  q_log_normal: ['mu', 'sigma', 'q'],
} as const satisfies Readonly<Record<string, readonly string[]>>;
type Distribution = keyof typeof distributions;
const names = Object.keys(distributions) as readonly Distribution[];

const KEYS = [
  ...['distribution', 'value', 'values', 'probabilities'],
  ...['min', 'max', 'q', 'mu', 'sigma'],
];

/** @throws {SweepError} */
export function readParameters(node: FileNode): readonly Parameter[] {
  const parameters = parametersIn(node, '');
  if (parameters.length === 0)
    throw new SweepError(node.path, 'has no parameter; add at least one');
  const seen = new Set<string>();
  for (const { path } of parameters) {
    if (seen.has(path)) throw new SweepError(`${node.path}.${path}`, 'is given twice');
    seen.add(path);
  }
  return parameters;
}

function parametersIn(node: FileNode, prefix: string): readonly Parameter[] {
  return node.keys().flatMap((key): readonly Parameter[] => {
    const path = prefix === '' ? key : `${prefix}.${key}`;
    const parameter = readNode(node.at(key), node.raw(key));
    if (parameter.has('parameters')) {
      parameter.only(['parameters']);
      return parametersIn(parameter.child('parameters'), path);
    }
    parameter.only(KEYS);
    return [{ path, dimension: readDimension(parameter) }];
  });
}

/** The distribution of a parameter; if missing, the one that W&B infers. */
function distributionOf(node: FileNode): Distribution {
  if (node.has('distribution')) return node.choice('distribution', names);
  if (node.has('values')) return 'categorical';
  if (node.has('value')) return 'constant';
  if (node.has('mu') || node.has('sigma')) return 'normal';
  if (!node.has('min') && !node.has('max')) {
    throw new SweepError(node.path, 'has no values; give value, values, or min and max');
  }
  const whole = ['min', 'max'].every((key) => node.has(key) && node.isWritten(key) === 'whole');
  return whole ? 'int_uniform' : 'uniform';
}

function readDimension(node: FileNode): Dimension {
  const distribution = distributionOf(node);
  const takes: readonly string[] = distributions[distribution];
  const other = node.keys().find((key) => key !== 'distribution' && !takes.includes(key));
  if (other !== undefined) {
    throw new SweepError(
      node.at(other),
      `does not belong to the distribution ${distribution}, which takes ${takes.join(', ')}`,
    );
  }
  if (distribution === 'constant') return choice([plain(node.raw('value')) as Value]);
  if (distribution === 'categorical') return readChoice(node);
  return readSpan(node, distribution);
}

function choice(values: readonly Value[], probabilities?: readonly number[]): Choice {
  return {
    kind: 'choice',
    values,
    probabilities: probabilities ?? values.map(() => 1 / values.length),
  };
}

function readChoice(node: FileNode): Choice {
  const values = node.list('values') as readonly Value[];
  const twice = values.find((value, at) => values.findIndex((other) => same(other, value)) !== at);
  if (twice !== undefined) {
    throw new SweepError(node.at('values'), `has ${JSON.stringify(twice)} twice`);
  }
  if (!node.has('probabilities')) return choice(values);
  const probabilities = node.list('probabilities').map(Number);
  const sum = probabilities.reduce((total, part) => total + part, 0);
  const good = probabilities.every((part) => part >= 0) && Math.abs(sum - 1) < 1e-6;
  if (probabilities.length !== values.length || !good) {
    throw new SweepError(
      node.at('probabilities'),
      `must be ${values.length} numbers from 0 to 1 that sum to 1, one for each value`,
    );
  }
  return choice(values, probabilities);
}

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** Bound in standard deviations; no draw exceeds it in practice. */
const NORMAL_REACH = 12;

/** Distributions whose `min` and `max` are logarithms. */
const inExponents: ReadonlySet<Distribution> = new Set([
  'log_uniform',
  'q_log_uniform',
  'inv_log_uniform',
]);

function readSpan(node: FileNode, distribution: Distribution): Span {
  const isLog = distribution.includes('log');
  const scale = isLog ? 'log' : 'linear';
  const quantum = distribution.startsWith('q_') ? readQuantum(node) : null;
  const rest = { kind: 'span', scale, quantum, whole: distribution === 'int_uniform' } as const;
  if (distribution.endsWith('normal')) {
    const normal = readNormal(node);
    const reach = NORMAL_REACH * normal.sigma;
    return { ...rest, low: normal.mu - reach, high: normal.mu + reach, normal };
  }
  const [min, max] = readEnds(node, distribution);
  const asPlace = (value: number) =>
    isLog && !inExponents.has(distribution) ? Math.log(value) : value;
  const [low, high] = [asPlace(min), asPlace(max)];
  // For inv_log_uniform, log(1/x) is uniform in [low, high], so log x is uniform in [−high, −low].
  return distribution === 'inv_log_uniform'
    ? { ...rest, low: -high, high: -low, normal: null }
    : { ...rest, low, high, normal: null };
}

function readEnds(node: FileNode, distribution: Distribution): readonly [number, number] {
  const read = (key: string) =>
    distribution === 'int_uniform'
      ? node.whole(key, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)
      : node.number(key);
  const min = read('min');
  const max = read('max');
  if (distribution.endsWith('values') && !(min > 0)) {
    throw new SweepError(node.at('min'), `must be greater than 0 for ${distribution}, got ${min}`);
  }
  if (max < min) throw new SweepError(node.at('max'), `must be at least min ${min}, got ${max}`);
  return [min, max];
}

function readQuantum(node: FileNode): number {
  const q = node.has('q') ? node.number('q') : 1;
  if (q > 0) return q;
  throw new SweepError(node.at('q'), `must be greater than 0, got ${q}`);
}

function readNormal(node: FileNode): { readonly mu: number; readonly sigma: number } {
  const mu = node.has('mu') ? node.number('mu') : 0;
  const sigma = node.has('sigma') ? node.number('sigma') : 1;
  if (sigma > 0) return { mu, sigma };
  throw new SweepError(node.at('sigma'), `must be greater than 0, got ${sigma}`);
}

/** Separates the parameter `seed`, which is not searched: every trial runs with each seed. */
export function readSeeds(parameters: readonly Parameter[]): SeedsAndParameters {
  const found = parameters.find(({ path }) => path === 'seed');
  const others = parameters.filter((parameter) => parameter !== found);
  if (others.length === 0) {
    throw new SweepError(
      'parameters',
      'has only seeds; add a parameter to compare, such as preset',
    );
  }
  if (found === undefined) return { seeds: [1], parameters: others };
  const { dimension } = found;
  const seeds = dimension.kind === 'choice' ? dimension.values : [];
  const good = seeds.every(
    (seed) => typeof seed === 'number' && Number.isInteger(seed) && seed >= 0 && seed < 2 ** 32,
  );
  if (!good || seeds.length === 0) {
    throw new SweepError(
      'parameters.seed',
      'must be a whole number from 0 to 4294967295 or a list of them; every trial runs with each seed',
    );
  }
  return { seeds: seeds.map(Number), parameters: others };
}
