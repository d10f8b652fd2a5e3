import { withSign } from '../runs/numbers.ts';
import { autopsySection } from './autopsy.ts';
import type { Experiment } from './catalogue.ts';
import {
  armCell,
  type ColumnName,
  columns,
  decimals,
  NOT_KEPT,
  pairedDifference,
  percent,
  runCell,
  thousands,
  usualColumns,
  withInterval,
} from './columns.ts';
import { curvesSection } from './curves.ts';
import { diagnosisSection } from './diagnosis.ts';
import { domainsSection } from './domains.ts';
import { type KeptRun, staleMark, staleNote } from './kept-run.ts';
import { markdownTable } from './markdown-table.ts';
import { type ExperimentRun, hasEarlierDefinitions } from './run.ts';

/** Number of runs whose last evaluation, on every task, is at or above the target. */
export function endsAtTarget(runs: readonly ExperimentRun[], target: number): number {
  return runs.filter(({ greedySuccess }) => greedySuccess >= target).length;
}

/** Number of runs that reached the target in any evaluation during training. */
export function reachedTarget(runs: readonly ExperimentRun[]): number {
  return runs.filter(({ turnsToTarget }) => turnsToTarget !== null).length;
}

/** The runs as a Markdown page: a summary by arm, paired comparisons, then every run. */
export function experimentPage(experiment: Experiment, runs: readonly KeptRun[]): string {
  const warm = runs.some(({ imitationSuccess }) => typeof imitationSuccess === 'number');
  const named = experiment.columns ?? usualColumns;
  const shown: readonly ColumnName[] =
    warm && !named.includes('greedyBefore') ? ['imitation', ...named] : named;
  const sections = [
    summaryTable(experiment, shown, runs),
    ...(experiment.comparisons === undefined ? [] : [comparisonSection(experiment, runs)]),
    ...(runs.some(({ testTime }) => testTime !== undefined)
      ? [curvesSection(experiment, runs)]
      : []),
    ...(runs.some(({ domains }) => domains !== undefined)
      ? [domainsSection(experiment, runs)]
      : []),
    ...(runs.some(({ diagnosed }) => diagnosed !== undefined)
      ? [diagnosisSection(experiment, runs)]
      : []),
    ...(runs.some(({ autopsy }) => autopsy !== undefined)
      ? [autopsySection(experiment, runs)]
      : []),
    `## Every run\n\n${everyRun(experiment, shown, runs)}`,
    ...(runs.some(({ environments }) => environments !== undefined)
      ? [`## By environment\n\n${byEnvironment(runs)}`]
      : []),
  ];
  return `# ${experiment.title}

${experiment.question}

${explanation(experiment, shown, runs)}

${sections.join('\n\n')}
`;
}

function explanation(
  { name, target }: Experiment,
  shown: readonly ColumnName[],
  runs: readonly KeptRun[],
): string {
  const adapters = [...new Set(runs.map(({ adapter }) => adapter))].join('; ');
  const meanings = [...new Set(shown.map((column) => columns[column].meaning))];
  const earlier = runs.some(hasEarlierDefinitions)
    ? ' ‡ by an earlier definition: sampled success and entropy are means over the last ten iterations, and the area is sampled success averaged over turns.'
    : '';
  const old = staleNote(runs);
  return `\`npm run reproduce -- ${name}\`, on ${adapters || 'no adapter yet'}. ${target === null ? '' : '“Reached” counts the runs in which any evaluation during training meets the target; “ends at target” counts those whose final evaluation, on every task, meets it. '}${meanings.join(' ')} Brackets show 95% confidence intervals over seeds: Student’s t for means, and Student’s t on the logit for shares, which keeps them between 0 and 1.${tasksNote(runs)}${earlier}${old === '' ? '' : `\n\n${old}`}`;
}

/** States the numbers of tasks after imitation and at the end if they differ. */
function tasksNote(runs: readonly KeptRun[]): string {
  const different = runs.flatMap(({ evaluationTasks: tasks }) =>
    tasks !== undefined && tasks.onTheWay !== tasks.atTheEnd
      ? `${tasks.onTheWay} tasks after imitation and during training, ${tasks.atTheEnd} at the end`
      : [],
  );
  return different.length === 0 ? '' : ` Evaluations use ${[...new Set(different)].join('; or ')}.`;
}

function summaryTable(
  experiment: Experiment,
  shown: readonly ColumnName[],
  runs: readonly KeptRun[],
): string {
  const goals = new Set(experiment.arms.map((arm) => targetOf(experiment, arm.name)));
  const [goal = null] = goals;
  const aimed =
    goal === null
      ? []
      : [`reached ${goals.size === 1 ? percent(goal) : 'its target'}`, 'ends at target'];
  return markdownTable([
    ['arm', 'seeds', ...aimed, ...shown.map((column) => columns[column].title)],
    ...experiment.arms.flatMap(({ name, target }) => {
      const of = runs.filter(({ arm }) => arm === name);
      if (of.length === 0) return [];
      return [
        [
          (target === undefined ? name : `${name} (target ${percent(target)})`) + staleMark(of),
          of.length,
          ...reaching(of, targetOf(experiment, name)),
          ...shown.map((column) => armCell(column, of)),
        ],
      ];
    }),
  ]);
}

/**
 * Cells with the numbers of runs that reached the target and that end at it; none without a target.
 */
function reaching(runs: readonly ExperimentRun[], target: number | null): readonly string[] {
  if (target === null) return [];
  return [reachedTarget(runs), endsAtTarget(runs, target)].map(
    (count) => `${count} of ${runs.length}`,
  );
}

/** The target of an arm; null if the experiment does not measure success. */
function targetOf({ arms, target }: Experiment, name: string): number | null {
  return arms.find((arm) => arm.name === name)?.target ?? target;
}

function comparisonSection({ comparisons = [] }: Experiment, runs: readonly KeptRun[]): string {
  const rows = comparisons.flatMap(({ arm, against, of }) =>
    of.flatMap((column) => {
      const paired = pairedDifference(column, runs, arm, against);
      if (paired.pairs === 0) return [];
      const { format, title } = columns[column];
      const signed = (value: number) => withSign(value, format);
      const both = runs.filter((run) => run.arm === arm || run.arm === against);
      return [
        [
          arm + staleMark(both),
          against,
          title,
          paired.pairs,
          withInterval(paired, signed),
          paired.differences.map(signed).join(', '),
        ],
      ];
    }),
  );
  return `## Paired by seed

The first arm minus the second, paired by seed: mean difference, its 95% confidence interval, and each seed’s difference. If an interval contains 0, the sign of the difference is uncertain.

${markdownTable([['arm', 'minus', 'of', 'pairs', 'difference', 'each seed'], ...rows])}`;
}

function everyRun(
  experiment: Experiment,
  shown: readonly ColumnName[],
  runs: readonly KeptRun[],
): string {
  const each = shown.filter((column) => columns[column].over !== 'iqm');
  const aims = experiment.target !== null;
  const ends = ({ arm, greedySuccess }: KeptRun) =>
    greedySuccess >= (targetOf(experiment, arm) ?? 0) ? 'yes' : 'no';
  const title = (column: ColumnName) =>
    column === 'turnsToTarget' ? 'turns to target' : columns[column].title;
  const ahead = each.includes('turns') ? [] : ['turns'];
  return markdownTable([
    [
      ...['arm', 'seed', ...(aims ? ['ends at target'] : [])],
      ...[...each.map(title), ...ahead, 'iterations', 'seconds', 'made'],
    ],
    ...runs.map((run) => [
      run.arm + staleMark([run]),
      run.seed,
      ...(aims ? [ends(run)] : []),
      ...each.map((column) => runCell(column, run)),
      ...ahead.map(() => thousands(run.turns)),
      run.iterations,
      run.seconds.toFixed(0),
      run.made === undefined ? NOT_KEPT : `${run.made.date}, code ${run.made.code.slice(0, 8)}`,
    ]),
  ]);
}

function byEnvironment(runs: readonly KeptRun[]): string {
  return markdownTable([
    ['arm', 'seed', 'environment', 'evaluation tasks', 'greedy success', 'score'],
    ...runs.flatMap((run) =>
      (run.environments ?? []).map(({ id, episodes, successRate, score }) => [
        run.arm + staleMark([run]),
        run.seed,
        id,
        episodes,
        percent(successRate),
        decimals(score),
      ]),
    ),
  ]);
}
