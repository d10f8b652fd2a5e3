/**
 * The registry of claims. Each computes a value from kept files and registries. `npm run claims --
 * --list` prints them all. A value computed from stale runs carries a mark.
 */

import { runLexicon } from '../../agents/lexicon.ts';
import { policyShape } from '../../agents/shape.ts';
import { advantageNames } from '../../algorithms/advantages.ts';
import { boundedInterval, interquartileMean, meanAndSpread } from '../../algorithms/confidence.ts';
import { median } from '../../algorithms/median.ts';
import { surrogates } from '../../algorithms/surrogates.ts';
import { getConfigValue } from '../../config/fields.ts';
import { methods } from '../../config/methods.ts';
import { presetConfig, presets } from '../../config/presets.ts';
import type { Config } from '../../config/schema.ts';
import { environmentFamilies, environmentFor } from '../../envs/registry.ts';
import { autopsyClaims } from '../../experiments/autopsy.ts';
import { type Experiment, experimentConfig } from '../../experiments/catalogue.ts';
import {
  armCell,
  type ColumnName,
  columns,
  pairedDifference,
  percent,
  runCell,
  thousands,
  withInterval,
} from '../../experiments/columns.ts';
import { type CurvePlace, curveCell, gainCell, readings } from '../../experiments/curves.ts';
import { diagnosisClaims, diagnosisCounts } from '../../experiments/diagnosis.ts';
import { domainCell } from '../../experiments/domains.ts';
import { type KeptRun, STALE_MARK, staleMark } from '../../experiments/kept-run.ts';
import { markdownTable } from '../../experiments/markdown-table.ts';
import { endsAtTarget, reachedTarget } from '../../experiments/page.ts';
import { parameterLayout } from '../../policy/layout.ts';
import { WordTokenizer } from '../../policy/tokenizer.ts';
import { domainNumbers } from '../../runs/domains.ts';
import { withSign } from '../../runs/numbers.ts';
import { evaluationTasks } from '../../training/environments.ts';

/** The data that claims are computed from. */
export interface Sources {
  /** @throws {UnknownExperimentError} */
  experiment(name: string): Experiment;
  /** @throws {KeptRunError} */
  kept(experiment: Experiment): readonly KeptRun[];
  /** A report in bench/results or docs/results by name, as JSON. */
  report(name: string): unknown;
  /** The required Node.js version, from package.json. */
  readonly node: string;
}

/** A claim's computed value. */
export interface Outcome {
  readonly text: string;
  /** Runs that the value is computed from. */
  readonly runs: readonly KeptRun[];
  /** Set if the text already marks stale numbers. */
  readonly marked?: true;
}

/** A maze agent's greedy success and its probability of walking into a wall, from `bench/heads.ts`. */
interface HeadMeasures {
  readonly success: number;
  readonly wall: number;
}

interface HeadsReport {
  readonly runs: readonly {
    readonly whole: HeadMeasures;
    readonly off: readonly HeadMeasures[];
  }[];
}

/** Thrown for a claim that cannot be computed. The message states what is missing. */
export class ClaimError extends Error {
  override readonly name = 'ClaimError';
}

interface Kind {
  readonly usage: string;
  readonly meaning: string;
  compute(args: readonly string[], sources: Sources): Outcome | string;
}

const formats: Readonly<Record<string, (value: number) => string>> = {
  k: thousands,
  points: (value) => (100 * value).toFixed(0),
  '0%': (value) => `${(100 * value).toFixed(0)}%`,
  '0.0%': (value) => `${(100 * value).toFixed(1)}%`,
  '0': (value) => value.toFixed(0),
  '0.0': (value) => value.toFixed(1),
  '0.00': (value) => value.toFixed(2),
  '0.000': (value) => value.toFixed(3),
};

const statistics: Readonly<Record<string, (values: readonly number[]) => number>> = {
  mean: (values) => meanAndSpread(values).mean,
  std: (values) => meanAndSpread(values).std,
  iqm: interquartileMean,
  median,
  least: (values) => values.reduce((a, b) => Math.min(a, b)),
  greatest: (values) => values.reduce((a, b) => Math.max(a, b)),
};

const counts: Readonly<Record<string, () => number>> = {
  methods: () => methods.length,
  presets: () => presets.length,
  environments: () => environmentFamilies.length,
  families: () => new Set(environmentFamilies.map(({ id }) => id.split('/')[0])).size,
  mixed: () => presetConfig('generalist').env.mixture.length,
  babyai: () => environmentFamilies.filter(({ id }) => id.startsWith('babyai/')).length,
  mazes: () => environmentFamilies.filter(({ id }) => id.startsWith('maze/')).length,
  estimators: () => advantageNames.length,
  objectives: () => surrogates.length,
};

const kinds: Readonly<Record<string, Kind>> = {
  of: {
    usage: 'of EXPERIMENT ARM COLUMN STATISTIC [FORMAT]',
    meaning: `${Object.keys(statistics).join(', ')} of a column; also each (one value per seed), interval, or seed=N`,
    compute([name, arm, column, statistic, format], sources) {
      const runs = runsOf(sources, name, arm);
      const known = columnOf(column);
      const form = formatOf(format) ?? columns[known].format;
      if (statistic === 'interval') return { text: armCell(known, runs), runs };
      if (statistic === 'each') return { text: each(known, runs, form), runs };
      const seed = /^seed=(\d+)$/.exec(statistic ?? '')?.[1];
      const chosen = seed === undefined ? runs : runs.filter((run) => String(run.seed) === seed);
      const values = valuesOf(known, chosen);
      const compute = seed === undefined ? statistics[statistic ?? ''] : statistics.mean;
      return { text: form(lookUp('statistic', compute, statistic)(values)), runs: chosen };
    },
  },
  reached: {
    usage: 'reached EXPERIMENT ARM',
    meaning: 'N of M seeds that reached the target in at least one evaluation',
    compute([name, arm], sources) {
      const runs = runsOf(sources, name, arm);
      return { text: `${reachedTarget(runs)} of ${runs.length}`, runs };
    },
  },
  ends: {
    usage: 'ends EXPERIMENT ARM [TARGET]',
    meaning: 'N of M seeds whose last evaluation is at or above the target',
    compute([name, arm, target], sources) {
      const runs = runsOf(sources, name, arm);
      const experiment = sources.experiment(name ?? '');
      const own = experiment.arms.find((known) => known.name === arm)?.target;
      const goal = target === undefined ? (own ?? experiment.target ?? Number.NaN) : Number(target);
      return { text: `${endsAtTarget(runs, goal)} of ${runs.length}`, runs };
    },
  },
  paired: {
    usage: 'paired EXPERIMENT ARM AGAINST COLUMN [FORMAT]',
    meaning: 'mean difference of two arms, paired by seed, with its 95% interval',
    compute([name, arm, against, column, format], sources) {
      const known = columnOf(column);
      const form = formatOf(format) ?? columns[known].format;
      const runs = [...runsOf(sources, name, arm), ...runsOf(sources, name, against)];
      const difference = pairedDifference(known, runs, arm ?? '', against ?? '');
      if (difference.pairs === 0) throw new ClaimError('the two arms have no seed in common');
      return { text: withInterval(difference, (value) => withSign(value, form)), runs };
    },
  },
  beats: {
    usage: 'beats EXPERIMENT ARM AGAINST COLUMN [less]',
    meaning: 'N of M seeds on which the first arm is above the second; with less, below it',
    compute([name, arm, against, column, less], sources) {
      const known = columnOf(column);
      if (less !== undefined && less !== 'less') throw new ClaimError('the only option is "less"');
      const runs = [...runsOf(sources, name, arm), ...runsOf(sources, name, against)];
      const { pairs, differences } = pairedDifference(known, runs, arm ?? '', against ?? '');
      if (pairs === 0) throw new ClaimError('the two arms have no seed in common');
      const sign = less === undefined ? 1 : -1;
      const ahead = differences.filter((difference) => sign * difference > 0);
      return { text: `${ahead.length} of ${pairs}`, runs };
    },
  },
  drawn: {
    usage: `drawn EXPERIMENT ARM DRAW SAMPLES ${readings.join('|')}`,
    meaning: 'a test-time result of an arm’s runs, with its 95% interval over seeds',
    compute([name, arm, ...place], sources) {
      const runs = runsOf(sources, name, arm);
      const text = curveCell(runs, placeOf(place));
      return { text: lookUp('draw', text ?? undefined, place[0]), runs };
    },
  },
  gain: {
    usage: `gain EXPERIMENT ARM DRAW SAMPLES ${readings.join('|')}`,
    meaning:
      'like drawn, minus the majority vote over the same runs’ plain answers for the same number of tokens, with its 95% interval',
    compute([name, arm, ...place], sources) {
      const runs = runsOf(sources, name, arm);
      const text = gainCell(runs, placeOf(place));
      return { text: lookUp('draw', text ?? undefined, place[0]), runs };
    },
  },
  domain: {
    usage: `domain EXPERIMENT ARM DOMAIN ${domainNumbers.join('|')}`,
    meaning: 'a critic’s result in one domain, with its 95% interval over seeds',
    compute([name, arm, domain, number], sources) {
      const runs = runsOf(sources, name, arm);
      const known = lookUp(
        'number',
        domainNumbers.find((one) => one === number),
        number,
      );
      const text = domainCell(runs, domain ?? '', known);
      return { text: lookUp('domain', text ?? undefined, domain), runs };
    },
  },
  environment: {
    usage: 'environment EXPERIMENT ARM FAMILY STATISTIC [FORMAT]',
    meaning: 'final greedy success of a mixture’s agent in one environment',
    compute([name, arm, family, statistic, format = '0.00'], sources) {
      const runs = runsOf(sources, name, arm);
      const values = inEnvironment(runs, family ?? '');
      const form = lookUp('format', formatOf(format), format);
      if (statistic === 'each') return { text: values.map(form).join(', '), runs };
      return {
        text: form(lookUp('statistic', statistics[statistic ?? ''], statistic)(values)),
        runs,
      };
    },
  },
  behind: {
    usage: 'behind FAMILY SPECIALIST',
    meaning:
      'points by which the generalist’s mean greedy success is below a gym specialist’s; negative if above',
    compute([family, specialist], sources) {
      const own = runsOf(sources, 'generalist', 'generalist');
      const other = runsOf(sources, 'gym', specialist);
      const less =
        meanAndSpread(valuesOf('greedy', other)).mean -
        meanAndSpread(inEnvironment(own, family ?? '')).mean;
      return { text: (100 * less).toFixed(0).replace(/^-0$/, '0'), runs: [...own, ...other] };
    },
  },
  beside: {
    usage: 'beside EXPERIMENT ARM',
    meaning:
      'a table of greedy success by environment: a generalist and the gym’s specialist for the same tasks, with intervals over seeds',
    compute([name, arm = ''], sources) {
      const own = runsOf(sources, name, arm);
      const specialists = sources.kept(sources.experiment('gym'));
      const parts = (own[0]?.config.env.mixture ?? []).map(({ id, options }) => {
        const tasks = JSON.stringify([id, options]);
        return {
          id,
          alone: specialists.filter(
            ({ config: { env } }) => JSON.stringify([env.id, env.options]) === tasks,
          ),
        };
      });
      const rows = parts.map(({ id, alone }) => [
        id,
        withInterval(boundedInterval(inEnvironment(own, id)), percent),
        alone.length === 0 ? '–' : armCell('greedy', alone) + staleMark(alone),
      ]);
      const head = ['environment', arm + staleMark(own), 'specialist'];
      const runs = [...own, ...parts.flatMap(({ alone }) => alone)];
      return { text: markdownTable([head, ...rows]), runs, marked: true };
    },
  },
  table: {
    usage: 'table EXPERIMENT [arms=PART] COLUMN…',
    meaning: 'a table of arms: each column as an interval over seeds',
    compute([name, ...rest], sources) {
      const { runs, arms, named } = tableOf(sources, name, rest);
      const rows = arms.map((arm) => {
        const of = runs.filter((run) => run.arm === arm);
        return [arm + staleMark(of), of.length, ...named.map((column) => armCell(column, of))];
      });
      const head = ['arm', 'seeds', ...named.map((column) => columns[column].title)];
      return { text: markdownTable([head, ...rows]), runs, marked: true };
    },
  },
  seeds: {
    usage: 'seeds EXPERIMENT [arms=PART] COLUMN [COLUMN]',
    meaning:
      'a table of arms by seeds: each cell has the first column and, in brackets, an optional second one; then the median of the first',
    compute([name, ...rest], sources) {
      const { runs, arms, named } = tableOf(sources, name, rest);
      const [first, second] = named;
      if (first === undefined) throw new ClaimError('name a column');
      const { seeds } = sources.experiment(name ?? '');
      const rows = arms.map((arm) => {
        const of = runs.filter((run) => run.arm === arm);
        const cells = seeds.map((seed) => {
          const run = of.find((known) => known.seed === seed);
          if (run === undefined) return '–';
          return runCell(first, run) + (second === undefined ? '' : ` (${runCell(second, run)})`);
        });
        return [arm + staleMark(of), ...cells, columns[first].format(median(valuesOf(first, of)))];
      });
      const head = ['arm', ...seeds.map((seed) => `seed ${seed}`), 'median'];
      return { text: markdownTable([head, ...rows]), runs, marked: true };
    },
  },
  diagnosis: {
    usage:
      'diagnosis alarmed|alarmed-of-20|halved|setback|false-of-20|right|dated|least|causes|lag|lag-raised|threshold-lag|threshold-raised',
    meaning:
      'from the experiment diagnosis, in this order: healthy runs with a finding, in total and per 20 runs; among them, the runs that lost half of their success and the runs with only a setback; the remaining ones per 20 runs; runs whose true cause is ranked first; of these, runs whose onset is within 3 iterations of the fault; for the worst cause, runs in which it is ranked first; the number of causes; the median lag of the first finding after a fault, and the runs that have one; the same for the threshold alarm',
    compute([what], sources) {
      const experiment = sources.experiment('diagnosis');
      const runs = sources.kept(experiment);
      const claims = diagnosisClaims(diagnosisCounts(experiment, runs));
      return { text: lookUp('part', claims[what ?? ''], what), runs };
    },
  },
  autopsy: {
    usage: 'autopsy found|right-lives|wrong-lives|wrong-helps|iterations|seconds',
    meaning:
      'from the experiment autopsy, in this order: runs whose true cause is ranked first; forked runs that recover with its remedy; remedies for other causes with which a run recovers; remedies for other causes that help; mean iterations and seconds of all forks of a run',
    compute([what], sources) {
      const runs = sources.kept(sources.experiment('autopsy'));
      return { text: lookUp('part', autopsyClaims(runs)[what ?? ''], what), runs };
    },
  },
  blamed: {
    usage: 'blamed EXPERIMENT ARM',
    meaning: 'N of M runs in which the arm’s true cause is ranked first',
    compute([name, arm], sources) {
      const runs = runsOf(sources, name, arm);
      const { diagnosis } =
        sources.experiment(name ?? '').arms.find((known) => known.name === arm) ?? {};
      if (!diagnosis?.cause) throw new ClaimError('the arm has no known cause');
      const right = runs.filter(({ diagnosed }) => diagnosed?.found?.mode === diagnosis.cause);
      return { text: `${right.length} of ${runs.length}`, runs };
    },
  },
  'stale-note': {
    usage: 'stale-note',
    meaning: `the footnote that explains ${STALE_MARK}; empty if the document has none`,
    // The checker replaces this text, because it knows which runs the document cites.
    compute: () => '',
  },
  count: {
    usage: `count ${Object.keys(counts).join('|')}`,
    meaning: 'the number of these in Palestra',
    compute: ([what]) => String(lookUp('count', counts[what ?? ''], what)()),
  },
  setting: {
    usage: 'setting PRESET FIELD [FORMAT]',
    meaning: 'a preset’s config field, such as rollout.group_size',
    compute: ([preset, field, format]) => setting(presetConfig(preset ?? ''), field, format),
  },
  'arm-setting': {
    usage: 'arm-setting EXPERIMENT ARM FIELD [FORMAT]',
    meaning: 'a config field of an experiment’s arm',
    compute([name, arm, field, format], sources) {
      const experiment = sources.experiment(name ?? '');
      const found = lookUp(
        'arm',
        experiment.arms.find((known) => known.name === arm),
        arm,
      );
      return setting(experimentConfig(experiment, found, 1), field, format);
    },
  },
  plan: {
    usage: 'plan EXPERIMENT seeds|arms|target',
    meaning: 'the number of seeds or arms of an experiment, or its target',
    compute([name, what], sources) {
      const { seeds, arms, target } = sources.experiment(name ?? '');
      const own = target === null ? {} : { target };
      const values = { seeds: seeds.length, arms: arms.length, ...own };
      return String(lookUp('part', new Map(Object.entries(values)).get(what ?? ''), what));
    },
  },
  tasks: {
    usage: 'tasks PRESET train|evaluation|during-training',
    meaning:
      'number of tasks on which a preset trains, or is evaluated at the end or during training',
    compute([preset, which]) {
      const config = presetConfig(preset ?? '');
      const environment = environmentFor(config.env);
      const numbers = {
        train: environment.trainTasks.length,
        evaluation: environment.evalTasks.length,
        'during-training': evaluationTasks(environment, config.evaluation.tasks).length,
      };
      return String(
        lookUp('kind of tasks', new Map(Object.entries(numbers)).get(which ?? ''), which),
      );
    },
  },
  played: {
    usage: 'played EXPERIMENT ARM end|during-training',
    meaning:
      'number of evaluation tasks in the kept runs of a mixture’s arm: at the end, or after imitation and during training',
    compute([name, arm, when], sources) {
      const runs = runsOf(sources, name, arm);
      const numbers = runs.map((run) => tasksOf(run, when));
      const [first, ...others] = new Set(numbers);
      if (first === undefined || first === 0 || others.length > 0) {
        throw new ClaimError(
          `its runs were evaluated on different numbers of tasks: ${numbers.join(', ')}`,
        );
      }
      return { text: String(first), runs };
    },
  },
  parameters: {
    usage: 'parameters PRESET [DIGITS]',
    meaning: 'number of weights of a preset’s network, rounded to DIGITS significant digits',
    compute([preset, digits]) {
      const config = presetConfig(preset ?? '');
      const words = runLexicon(config, environmentFor(config.env));
      const shape = policyShape(config, new WordTokenizer(words).size);
      const count = parameterLayout(shape).parameterCount;
      const rounded = digits === undefined ? count : Number(count.toPrecision(Number(digits)));
      return rounded.toLocaleString('en-US');
    },
  },
  step: {
    usage: 'step REPORT S|M SUBJECT ms|s|times',
    meaning:
      'median time of a training step in a report of bench/results, or its ratio to Palestra’s time',
    compute([name, shape, subject, unit], sources) {
      const report = sources.report(name ?? '') as Record<string, StepRows | undefined>;
      const rows = report[`step${shape}`]?.rows ?? [];
      const of = (wanted: string | undefined) =>
        lookUp(
          'subject',
          rows.find((row) => row.name === wanted),
          wanted,
        ).time.median;
      if (unit === 'times') return Number((of(subject) / of('Palestra')).toPrecision(2)).toString();
      const milliseconds = of(subject);
      if (unit === 'ms') return milliseconds.toFixed(0);
      if (unit === 's') return (milliseconds / 1000).toFixed(1);
      throw new ClaimError(`no unit is called ${JSON.stringify(unit)}; choose one of ms, s, times`);
    },
  },
  heads: {
    usage: 'heads needed POINTS | whole|worst success|wall',
    meaning:
      'from docs/results/heads.json: N of M seeds on which switching off one head costs at least POINTS of greedy success; or, with its interval, the success or wall probability with all heads or without the most important one',
    compute([what, of], sources) {
      const { runs } = sources.report('heads') as HeadsReport;
      if (what === 'needed') {
        const fall = Number(of) / 100;
        const needed = runs.filter(
          ({ whole, off }) =>
            Math.min(...off.map(({ success }) => success)) <= whole.success - fall,
        );
        return `${needed.length} of ${runs.length}`;
      }
      if (of !== 'success' && of !== 'wall')
        throw new ClaimError(`no measure is called ${of}; choose success or wall`);
      const values = runs.map(({ whole, off }) => {
        if (what === 'whole') return whole[of];
        const all = off.map((one) => one[of]);
        return of === 'success' ? Math.min(...all) : Math.max(...all);
      });
      return withInterval(boundedInterval(values), (value) => `${(100 * value).toFixed(0)}%`);
    },
  },
  node: {
    usage: 'node',
    meaning: 'the minimum Node.js version in package.json',
    compute: (_, { node }) => node,
  },
};

interface StepRows {
  readonly rows: readonly { readonly name: string; readonly time: { readonly median: number } }[];
}

/**
 * Computes a claim from the kept files.
 *
 * @throws {ClaimError} for a claim that does not exist or cannot be computed
 */
export function compute(name: string, args: readonly string[], sources: Sources): Outcome {
  const kind = lookUp(
    'claim',
    Object.entries(kinds).find(([key]) => key === name),
    name,
  )[1];
  try {
    const outcome = kind.compute(args, sources);
    if (typeof outcome === 'string') return { text: outcome, runs: [] };
    return { ...outcome, text: outcome.text + (outcome.marked ? '' : mark(outcome.runs)) };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new ClaimError(`${error.message} (${kind.usage})`);
  }
}

/** All claims, one per line. */
export function claimList(): string {
  const all = Object.values(kinds).map(({ usage, meaning }) => `  ${usage}\n      ${meaning}`);
  return `${all.join('\n')}\n\nColumns: ${Object.keys(columns).join(', ')}.\nFormats: ${Object.keys(formats).join(', ')}.`;
}

/** The stale mark if any of the runs is stale. */
function mark(runs: readonly KeptRun[]): string {
  return runs.some(({ stale }) => stale !== null) ? STALE_MARK : '';
}

function lookUp<T>(what: string, found: T | undefined, name: string | undefined): T {
  if (found === undefined)
    throw new ClaimError(`no ${what} is called ${JSON.stringify(name ?? '')}`);
  return found;
}

function columnOf(name: string | undefined): ColumnName {
  const found = Object.keys(columns).find((column): column is ColumnName => column === name);
  return lookUp('column', found, name);
}

function formatOf(name: string | undefined): ((value: number) => string) | undefined {
  return name === undefined ? undefined : lookUp('format', formats[name], name);
}

function runsOf(sources: Sources, name = '', arm: string | undefined): readonly KeptRun[] {
  const experiment = sources.experiment(name);
  lookUp(
    `arm of ${name}`,
    experiment.arms.find((known) => known.name === arm),
    arm,
  );
  const runs = sources.kept(experiment).filter((run) => run.arm === arm);
  if (runs.length === 0) throw new ClaimError(`no run of ${name}, arm ${arm}, is stored`);
  return runs;
}

/** @throws {ClaimError} */
function placeOf([draw = '', samples, reading]: readonly (string | undefined)[]): CurvePlace {
  const known = lookUp(
    'reading',
    readings.find((one) => one === reading),
    reading,
  );
  return { draw, samples: Number(samples), reading: known };
}

/** One value per run. Throws if a run has none, because a mean over only some of the seeds would mislead. */
function valuesOf(column: ColumnName, runs: readonly KeptRun[]): readonly number[] {
  const values = runs.flatMap((run) => columns[column].value(run) ?? []);
  if (values.length === 0 || values.length < runs.length) {
    throw new ClaimError(`not every run has ${column}`);
  }
  return values;
}

function each(
  column: ColumnName,
  runs: readonly KeptRun[],
  format: (value: number) => string,
): string {
  return valuesOf(column, runs).map(format).join(', ');
}

function inEnvironment(runs: readonly KeptRun[], family: string): readonly number[] {
  return runs.map(
    ({ environments = [] }) =>
      lookUp(
        'environment',
        environments.find(({ id }) => id === family || id.startsWith(`${family}/`)),
        family,
      ).successRate,
  );
}

/**
 * Number of evaluation tasks of a kept run. Files of earlier versions do not store it, so it is derived from
 * other fields.
 */
function tasksOf(run: KeptRun, when: string | undefined): number {
  const { evaluationTasks: tasks, environments = [], config } = run;
  if (when === 'end') {
    return tasks?.atTheEnd ?? environments.reduce((sum, { episodes }) => sum + episodes, 0);
  }
  if (when !== 'during-training') throw new ClaimError('choose end or during-training');
  const { env, evaluation } = config;
  return tasks?.onTheWay ?? evaluationTasks(environmentFor(env), evaluation.tasks).length;
}

function tableOf(sources: Sources, name: string | undefined, rest: readonly string[]) {
  const experiment = sources.experiment(name ?? '');
  const runs = sources.kept(experiment);
  const part = rest.find((word) => word.startsWith('arms='))?.slice('arms='.length) ?? '';
  const arms = experiment.arms
    .map((arm) => arm.name)
    .filter((arm) => arm.includes(part) && runs.some((run) => run.arm === arm));
  if (arms.length === 0) throw new ClaimError('no run of these arms is stored');
  const named = rest.filter((word) => !word.startsWith('arms=')).map(columnOf);
  return { runs: runs.filter(({ arm }) => arms.includes(arm)), arms, named };
}

function setting(config: Config, field: string | undefined, format: string | undefined): string {
  const value = lookUp('field', getConfigValue(config, field ?? ''), field);
  const form = formatOf(format);
  if (form !== undefined && typeof value === 'number') return form(value);
  return Array.isArray(value) ? value.join(', ') : String(value);
}
