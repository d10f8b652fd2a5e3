/** Formats a sweep as a Markdown page, and its trials as CSV. */
import type { Estimate } from '../algorithms/confidence.ts';
import { markdownTable } from '../experiments/markdown-table.ts';
import { type CsvCell, csvTable } from '../runs/csv.ts';
import type { Sweep } from './file.ts';
import { LEAST_TRIALS } from './importance.ts';
import { trialFlags } from './settings.ts';
import { isFixed, type Parameter, type Value } from './space.ts';
import type { SweepSummary, TrialSummary } from './summary.ts';

/** What the command to train a trial again depends on, besides the trial. */
interface Training {
  /** How the `train` command is called. */
  readonly train: string;
  /** The kind of device that computes the sweep; null before the first run. */
  readonly device: string | null;
}

/** The Markdown page of a sweep, finished or in progress. */
export function sweepPage(sweep: Sweep, summary: SweepSummary, training: Training): string {
  return `${[
    `# ${line(sweep.name)}`,
    ...(sweep.description === '' ? [] : [sweep.description]),
    explanation(sweep, summary),
    ...bestSection(sweep, summary, training),
    trialTable(sweep, summary),
    `## Which parameters matter\n\n${importanceSection(summary)}`,
    ...fixedSection(sweep),
    ...failureSection(summary),
  ].join('\n\n')}\n`;
}

function explanation(sweep: Sweep, { trials, metric }: SweepSummary): string {
  const { sampler, seeds, halving } = sweep;
  const ended = trials.filter(({ standing }) => standing !== 'running').length;
  const method = { grid: 'a grid', random: 'random search', bayes: 'bayes (TPE)' }[sampler];
  const rungs =
    halving === null
      ? ''
      : ` After ${halving.rungs.slice(0, 4).join(', ')}${halving.rungs.length > 4 ? ', …' : ''} points of the metric, a trial continues only if it is among the best 1/${halving.eta} of the trials that have reached this point so far.`;
  return `${ended} of ${sweep.trials} trials by ${method}, each with ${seeds.length === 1 ? 'one seed' : `${seeds.length} seeds`} (${seeds.join(', ')}). The metric is \`${metric.key}\`, to ${sweep.metric.goal}: ${metric.meaning} ${howMeasured(metric.key)} Brackets contain the 95% confidence interval of the mean over seeds (Student’s t${isBounded(metric.range) ? ', on the logit scale so that it stays within the bounds' : ''}).${rungs}`;
}

function howMeasured(key: string): string {
  return key.startsWith('eval/')
    ? 'It is measured by the final evaluation on every task; for a stopped trial, by its last evaluation during training.'
    : 'Each trial is scored by its last value.';
}

const isBounded = ([least, most]: readonly [number | null, number | null]) =>
  least !== null && most !== null;

/** Parameters with more than one value. */
const searched = ({ parameters }: Sweep): readonly Parameter[] =>
  parameters.filter((parameter) => !isFixed(parameter));

function bestSection(
  sweep: Sweep,
  { trials }: SweepSummary,
  { train, device }: Training,
): readonly string[] {
  const [best] = trials;
  if (best?.standing !== 'finished' || best.estimate === null) return [];
  const [seed = 1] = sweep.seeds;
  // A GPU is recorded by its name.
  const choice = device === null ? '' : ` --device ${device === 'processor' ? device : 'webgpu'}`;
  return [
    `The best is trial ${best.number}, with ${interval(best.estimate)}. To train it again:\n\n    ${train} ${trialFlags(best.values, seed)}${choice}`,
  ];
}

function trialTable(sweep: Sweep, { trials, metric }: SweepSummary): string {
  const shown = searched(sweep);
  const several = sweep.seeds.length > 1;
  return markdownTable([
    [
      ...['trial', ...shown.map(({ path }) => `\`${path}\``), metric.title],
      ...(several ? ['by seed'] : []),
      ...['iterations', 'turns', ''],
    ],
    ...trials.map((trial) => [
      trial.number,
      ...shown.map(({ path }) => valueText(trial.values[path] ?? null)),
      trial.estimate === null ? '–' : interval(trial.estimate),
      ...(several
        ? [trial.bySeed.map((value) => (value === null ? '–' : short(value))).join(', ')]
        : []),
      ...[trial.iterations, trial.turns, standingText(trial)],
    ]),
  ]);
}

function standingText({ standing, rungs }: TrialSummary): string {
  switch (standing) {
    case 'finished':
      return '';
    case 'stopped':
      return `stopped at rung ${rungs}`;
    case 'failed':
    case 'running':
      return standing;
    default:
      return standing satisfies never;
  }
}

function importanceSection({ importances }: SweepSummary): string {
  if (importances.length === 0) {
    return `Parameter importance requires at least ${LEAST_TRIALS} trials with a value of the metric, and a parameter that varies.`;
  }
  const table = markdownTable([
    ['parameter', 'explains', 'correlation'],
    ...importances.map(({ path, share, correlation }) => [
      `\`${path}\``,
      `${(100 * share).toFixed(0)}%`,
      correlation === null ? '–' : (correlation > 0 ? '+' : '') + correlation.toFixed(2),
    ]),
  ]);
  const rest = Math.max(0, 1 - importances.reduce((sum, { share }) => sum + share, 0));
  return `${table}\n\n“Explains” is the share of the variance between trials that a parameter explains alone (functional analysis of variance over a forest of regression trees); ${(100 * rest).toFixed(0)}% is due to interactions between parameters. “Correlation” is Spearman’s rank correlation; + means that larger values are better. With few trials, both are rough estimates.`;
}

function fixedSection(sweep: Sweep): readonly string[] {
  const fixed = sweep.parameters.filter(isFixed);
  if (fixed.length === 0) return [];
  const values = fixed.map(({ path, dimension }) => {
    const value = dimension.kind === 'choice' ? (dimension.values[0] ?? null) : dimension.low;
    return `\`${path}=${valueText(value)}\``;
  });
  return [`Every trial has ${values.join(', ')}.`];
}

function failureSection({ trials }: SweepSummary): readonly string[] {
  const failed = trials.filter(({ error }) => error !== null);
  if (failed.length === 0) return [];
  const lines = failed.map(({ number, error }) => `- Trial ${number}: ${line(error ?? '')}`);
  return [`## Failed\n\n${lines.join('\n')}`];
}

/** The trials as CSV, ordered by number, with one column per parameter. */
export function sweepCsv(sweep: Sweep, { trials, metric }: SweepSummary): string {
  const paths = sweep.parameters.map(({ path }) => path);
  const cell = (value: Value): CsvCell =>
    typeof value === 'number' || typeof value === 'string' ? value : JSON.stringify(value);
  return csvTable(
    [
      [
        ...['trial', ...paths, metric.key, 'low', 'high'],
        ...sweep.seeds.map((seed) => `seed ${seed}`),
        ...['standing', 'rungs', 'iterations', 'turns'],
      ],
      ...trials
        .toSorted((a, b) => a.number - b.number)
        .map((trial) => [
          ...[trial.number, ...paths.map((path) => cell(trial.values[path] ?? null))],
          ...[trial.estimate?.mean ?? null, trial.estimate?.low ?? null],
          ...[trial.estimate?.high ?? null, ...trial.bySeed],
          ...[trial.standing, trial.rungs, trial.iterations, trial.turns],
        ]),
    ],
    '\n',
  );
}

function interval({ mean, low, high }: Estimate): string {
  return Number.isFinite(low) ? `${short(mean)} [${short(low)}, ${short(high)}]` : short(mean);
}

/** Formats a number with four significant digits, without trailing zeros. */
function short(value: number): string {
  return String(Number(value.toPrecision(4)));
}

function valueText(value: Value): string {
  const text =
    typeof value === 'number'
      ? short(value)
      : typeof value === 'string'
        ? value
        : JSON.stringify(value);
  return line(text).replaceAll('|', '\\|');
}

/** Collapses white space to fit text on one line, for headings and cells. */
const line = (text: string) => text.replaceAll(/\s+/g, ' ').trim();
