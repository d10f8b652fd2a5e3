/** Reads a sweep file in the format of W&B. */
import { LineCounter, parseDocument } from 'yaml';
import { didYouMean } from '../config/nearest.ts';
import { isMetricKey, type MetricKey, metrics } from '../runs/metrics.ts';
import { type Halving, rungsDown, rungsUp } from './asha.ts';
import { SweepError } from './error.ts';
import { type FileNode, readNode } from './node.ts';
import { readParameters, readSeeds, type SeedsAndParameters } from './parameters.ts';
import { gridSize, type Sampler, samplers } from './samplers.ts';
import { checkSettings } from './settings.ts';
import { gridCount } from './space.ts';

/** A sweep as plain data. */
export interface Sweep extends SeedsAndParameters {
  /** `name` in the file, or the file name. */
  readonly name: string;
  readonly description: string;
  readonly sampler: Sampler;
  readonly metric: { readonly key: MetricKey; readonly goal: Goal };
  /** Early stopping; null for none. */
  readonly halving: Halving | null;
  /** Number of trials; each runs with every seed. */
  readonly trials: number;
}

const goals = ['maximize', 'minimize'] as const;
export type Goal = (typeof goals)[number];

/** A sweep, and notes on ignored keys and on runs that `run_cap` leaves unused, one sentence each. */
export interface ReadSweep {
  readonly sweep: Sweep;
  readonly notes: readonly string[];
}

/** Keys that W&B uses to run programs. */
const elsewhere = ['program', 'command', 'project', 'entity', 'controller'];

const KEYS = [
  ...['name', 'description', 'method', 'metric', 'parameters', 'early_terminate', 'run_cap'],
  ...elsewhere,
];

/** The YAML parser keeps an error of about 1 KB for each wrong character. */
const MOST_CHARACTERS = 60_000;

/** Sweep folders with more runs are slow to read. */
const MOST_RUNS = 10_000;

/**
 * Parses a sweep file.
 *
 * @param text YAML, of which JSON is a subset
 * @param name name of the sweep if the file has none
 * @throws {SweepError} naming the first invalid key
 */
export function readSweep(text: string, name: string): ReadSweep {
  try {
    return readFile(text, name);
  } catch (error) {
    // The YAML parser and the reader below are recursive.
    if (error instanceof RangeError) throw new SweepError('', 'this file is nested too deeply');
    throw error;
  }
}

function readFile(text: string, name: string): ReadSweep {
  if (text.length > MOST_CHARACTERS) {
    const [length, most] = [text.length, MOST_CHARACTERS].map((n) => n.toLocaleString('en-US'));
    throw new SweepError('', `this file has ${length} characters; the limit is ${most}`);
  }
  const file = readNode('', parseYaml(text));
  file.only(KEYS);
  const sampler = file.choice('method', samplers);
  const { seeds, parameters } = readSeeds(readParameters(file.child('parameters')));
  checkSettings(parameters);
  const halving = file.has('early_terminate') ? readHalving(file.child('early_terminate')) : null;
  const cap = file.has('run_cap') ? file.whole('run_cap', 1, MOST_RUNS) : null;
  const sweep: Sweep = {
    name: file.has('name') ? file.text('name') : name,
    description: file.has('description') ? file.text('description') : '',
    sampler,
    metric: readMetric(file.child('metric')),
    parameters,
    seeds,
    halving,
    trials: readTrials(sampler, { seeds, parameters }, cap),
  };
  const unused = elsewhere.filter((key) => file.has(key));
  return { sweep, notes: notesOn(unused, cap, sweep) };
}

function notesOn(unused: readonly string[], cap: number | null, sweep: Sweep): readonly string[] {
  const { seeds, trials } = sweep;
  const left = cap === null || sweep.sampler === 'grid' ? 0 : cap - trials * seeds.length;
  return [
    ...(unused.length === 0
      ? []
      : [`${unused.join(', ')}: ignored, because Palestra starts the runs itself, without W&B`]),
    ...(left === 0
      ? []
      : [
          `run_cap: ${trials} trials with ${seeds.length} seeds each make ${trials * seeds.length} runs, ${left} fewer than it allows`,
        ]),
  ];
}

/** Parses integers as bigint, because W&B distinguishes 1 from 1.0. */
function parseYaml(text: string): unknown {
  const lines = new LineCounter();
  // Pretty messages for all errors take quadratic time, but only the first one is shown.
  const document = parseDocument(text, {
    ...{ intAsBigInt: true, logLevel: 'silent', prettyErrors: false, lineCounter: lines },
  });
  const [error] = document.errors;
  if (error !== undefined) {
    if (error.message.includes('call stack')) throw new RangeError(error.message);
    const { line, col } = lines.linePos(error.pos[0]);
    const [first = ''] = error.message.split('\n');
    throw new SweepError('', `this is not YAML: ${first} at line ${line}, column ${col}`);
  }
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch (problem) {
    throw new SweepError('', problem instanceof Error ? problem.message : String(problem));
  }
}

function readMetric(node: FileNode): Sweep['metric'] {
  node.only(['name', 'goal']);
  const name = node.text('name');
  if (!isMetricKey(name)) {
    const near = didYouMean(
      name,
      metrics.map(({ key }) => key),
    );
    const hint = near === '' ? '; use one such as eval/success_rate' : `.${near}`;
    throw new SweepError(node.at('name'), `no metric is called ${JSON.stringify(name)}${hint}`);
  }
  if (name.startsWith('time/')) {
    throw new SweepError(
      node.at('name'),
      'is a time, which differs even between identical runs; choose another metric',
    );
  }
  return { key: name, goal: node.has('goal') ? node.choice('goal', goals) : 'minimize' };
}

function readHalving(node: FileNode): Halving {
  node.only(['type', 'min_iter', 'max_iter', 's', 'eta', 'strict']);
  node.choice('type', ['hyperband']);
  const eta = node.has('eta') ? node.number('eta') : 3;
  if (!(eta > 1)) throw new SweepError(node.at('eta'), `must be greater than 1, got ${eta}`);
  if (node.has('strict')) node.flag('strict');
  const rungs = readRungs(node, eta);
  if (rungs.length === 0) {
    throw new SweepError(node.at('max_iter'), 'leaves no rung; raise it or lower s');
  }
  return { rungs, eta };
}

const MOST_POINTS = 1_000_000;

function readRungs(node: FileNode, eta: number): readonly number[] {
  if (node.has('min_iter')) {
    if (node.has('max_iter')) {
      throw new SweepError(node.at('max_iter'), 'cannot be combined with min_iter; choose one');
    }
    return rungsUp(node.whole('min_iter', 1, MOST_POINTS), eta, MOST_POINTS);
  }
  if (!node.has('max_iter')) {
    throw new SweepError(node.at('min_iter'), 'is missing; give min_iter, or max_iter and s');
  }
  if (!node.has('s')) {
    throw new SweepError(node.at('s'), 'is missing; max_iter needs it');
  }
  return rungsDown(node.whole('max_iter', 1, MOST_POINTS), eta, node.whole('s', 1, 16));
}

/** The number of trials; `run_cap` counts runs, one per trial and seed. */
function readTrials(
  sampler: Sampler,
  { seeds, parameters }: SeedsAndParameters,
  cap: number | null,
): number {
  const capped = cap === null ? null : Math.floor(cap / seeds.length);
  if (capped === 0) {
    throw new SweepError('run_cap', `must allow one run for each of the ${seeds.length} seeds`);
  }
  if (sampler !== 'grid') {
    if (capped !== null) return capped;
    throw new SweepError('run_cap', `is missing; method ${sampler} would never end without it`);
  }
  const endless = parameters.find(({ dimension }) => gridCount(dimension) === null);
  if (endless !== undefined) {
    throw new SweepError(
      `parameters.${endless.path}`,
      'is continuous and cannot be in a grid; give values, or an int_uniform or q_uniform distribution',
    );
  }
  const all = gridSize(parameters);
  const trials = Math.min(all, capped ?? all);
  if (trials * seeds.length > MOST_RUNS) {
    throw new SweepError(
      'parameters',
      `make a grid of ${all} trials with ${seeds.length === 1 ? '1 seed' : `${seeds.length} seeds`} each; the limit is ${MOST_RUNS} runs, so shorten the lists, raise q or set run_cap`,
    );
  }
  return trials;
}
