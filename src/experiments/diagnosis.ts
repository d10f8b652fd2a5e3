/** The section of an experiment's page on the accuracy of diagnosis in runs with a known cause. */

import { median } from '../algorithms/median.ts';
import { thresholdAlarm } from '../algorithms/threshold-alarm.ts';
import type { Experiment } from './catalogue.ts';
import type { Diagnosed, DiagnosisQuestion } from './kept-diagnosis.ts';
import { type KeptRun, staleMark } from './kept-run.ts';
import { markdownTable } from './markdown-table.ts';
import { type ExperimentRun, keptColumn, measuredRows } from './run.ts';

/** A run with its known cause and its diagnosis. */
export interface Answer {
  readonly arm: string;
  readonly seed: number;
  readonly question: DiagnosisQuestion;
  readonly diagnosed: Diagnosed;
  readonly mark: string;
  /** Whether success fell to less than half of its earlier level. */
  readonly halved: boolean;
  /** Iteration in which the threshold alarm is raised; with a fault, the first one after it. */
  readonly threshold: number | null;
}

/** Maximum error, in iterations, of an onset that counts as correct. */
const DATED = 3;

/** Minimum earlier success rate for a loss to count. */
const SUCCEEDS = 0.3;

/**
 * Whether the mean success of two consecutive iterations was ever below half of an earlier three-iteration
 * mean: then something went wrong, with or without a finding.
 */
export function isHalved(run: Pick<ExperimentRun, 'rows'>): boolean {
  const success = keptColumn(run, 'rollout/success_rate') ?? [];
  const mean = (to: number, count: number) =>
    success.slice(to - count, to).reduce((sum, value) => sum + value, 0) / count;
  let best = 0;
  for (let to = 3; to + 2 <= success.length; to++) {
    best = Math.max(best, mean(to, 3));
    if (best >= SUCCEEDS && mean(to + 2, 2) < best / 2) return true;
  }
  return false;
}

/** Iteration in which the threshold alarm on success is raised; alarms before the fault do not count. */
export function thresholdOf({ rows }: Pick<ExperimentRun, 'rows'>, from = 1): number | null {
  const measured = (rows === undefined ? [] : measuredRows(rows)).flatMap(
    ({ iteration, metrics: { 'rollout/success_rate': success } }) =>
      success === undefined ? [] : [{ iteration, success }],
  );
  const first = measured.findIndex(({ iteration }) => iteration >= from);
  if (first === -1) return null;
  const at = thresholdAlarm(
    measured.map(({ success }) => success),
    first,
  );
  return at === null ? null : (measured[at]?.iteration ?? null);
}

/** Counts over runs with a known cause. */
interface DiagnosisSummary {
  readonly runs: number;
  /** Runs whose cause is ranked first after the last iteration. */
  readonly right: number;
  /** Of these, runs in which no other cause was ranked first before. */
  readonly alone: number;
  /**
   * |onset − iteration of the fault| in correct runs whose fault begins in a known iteration.
   */
  readonly errors: readonly number[];
  /** Other causes that were ranked first in any iteration, with the number of runs. */
  readonly confused: ReadonlyMap<string, number>;
}

const named = (mode: string) => mode.replaceAll('_', ' ');

/** Modes other than the cause that were ever ranked first. */
function others({ question, diagnosed: { said } }: Answer): readonly string[] {
  const modes = said.flatMap(({ mode }) =>
    mode === null || mode === question.cause ? [] : [mode],
  );
  return [...new Set(modes)];
}

const isRight = ({ question, diagnosed }: Answer) => diagnosed.found?.mode === question.cause;

function counted(all: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const one of all) counts.set(one, (counts.get(one) ?? 0) + 1);
  return counts;
}

export function diagnosisSummary(answers: readonly Answer[]): DiagnosisSummary {
  const right = answers.filter(isRight);
  return {
    runs: answers.length,
    right: right.length,
    alone: right.filter((answer) => others(answer).length === 0).length,
    errors: right.flatMap(({ question: { from }, diagnosed: { found } }) =>
      from === undefined || found === null ? [] : [Math.abs(found.onset - from)],
    ),
    confused: counted(
      answers.flatMap((answer) => [
        ...others(answer).map(named),
        ...(answer.diagnosed.found === null ? ['nothing'] : []),
      ]),
    ),
  };
}

const share = (count: number, of: number) => `${count} of ${of}`;

const listed = (counts: ReadonlyMap<string, number>) =>
  [...counts].map(([what, count]) => `${what} (${count})`).join(', ') || '–';

function causeCells(answers: readonly Answer[]): readonly (string | number)[] {
  const { runs, right, alone, errors, confused } = diagnosisSummary(answers);
  const dated = errors.filter((error) => error <= DATED).length;
  return [
    share(right, runs),
    share(alone, runs),
    errors.length === 0 ? '–' : share(dated, errors.length),
    errors.length === 0 ? '–' : median(errors),
    errors.length === 0 ? '–' : Math.max(...errors),
    listed(confused),
  ];
}

const causeHead = [
  'correct',
  'no other cause before',
  `onset within ${DATED} iterations`,
  'median error',
  'largest',
  'confused with',
];

function grouped<Key>(answers: readonly Answer[], by: (answer: Answer) => Key) {
  const groups = new Map<Key, Answer[]>();
  for (const answer of answers) {
    const group = groups.get(by(answer)) ?? [];
    groups.set(by(answer), group);
    group.push(answer);
  }
  return groups;
}

const markOf = (answers: readonly Answer[]) =>
  answers.some(({ mark }) => mark !== '') ? ' †' : '';

function soundTable(sound: readonly Answer[]): string {
  const line = (name: string, some: readonly Answer[]) => [
    name,
    some.length,
    some.filter((answer) => others(answer).length > 0).length,
    some.filter((answer) => answer.halved && others(answer).length > 0).length,
    some.filter(({ diagnosed }) => diagnosed.found !== null).length,
    listed(counted(some.flatMap((answer) => others(answer).map(named)))),
  ];
  return markdownTable([
    [
      'preset',
      'runs',
      'with a finding in any iteration',
      'of which lost half of their success',
      'at the end',
      'findings',
    ],
    ...[...grouped(sound, ({ arm }) => arm)].map(([arm, some]) => line(arm + markOf(some), some)),
    line('all', sound),
  ]);
}

function everyAnswer(answers: readonly Answer[]): string {
  return markdownTable([
    ['arm', 'seed', 'cause', 'from', 'found', 'onset', 'known', 'findings during the run'],
    ...answers.map(({ arm, seed, mark, question: { cause, from }, diagnosed: { found, said } }) => [
      ...[arm + mark, seed, cause === null ? '–' : named(cause), from ?? '–'],
      ...(found === null ? ['nothing', '–', '–'] : [named(found.mode), found.onset, found.known]),
      said
        .map(({ mode, after }) => `${mode === null ? 'nothing' : named(mode)} after ${after}`)
        .join(', ') || '–',
    ]),
  ]);
}

const perTwenty = (count: number, runs: readonly Answer[]) =>
  ((20 * count) / runs.length).toFixed(1);

/** Totals over the runs of the experiment. */
interface DiagnosisCounts {
  readonly answers: readonly Answer[];
  readonly sound: readonly Answer[];
  /** Healthy runs with a finding in any iteration. */
  readonly alarmed: readonly Answer[];
  /** Of these, runs whose success fell to less than half of its earlier level. */
  readonly halved: number;
  /** Of the others, runs whose only finding was a setback. */
  readonly setBack: number;
  readonly failing: readonly Answer[];
}

export function diagnosisCounts(
  { arms }: Pick<Experiment, 'arms'>,
  runs: readonly KeptRun[],
): DiagnosisCounts {
  const answers = runs.flatMap((run): Answer[] => {
    const { arm, seed, diagnosed } = run;
    const question = arms.find(({ name }) => name === arm)?.diagnosis;
    if (diagnosed === undefined || question === undefined) return [];
    const threshold = thresholdOf(run, question.from);
    return [
      {
        ...{ arm, seed, question, diagnosed, threshold },
        ...{ mark: staleMark([run]), halved: isHalved(run) },
      },
    ];
  });
  const sound = answers.filter(({ question }) => question.cause === null);
  const alarmed = sound.filter((answer) => others(answer).length > 0);
  return {
    ...{ answers, sound, alarmed },
    halved: alarmed.filter((answer) => answer.halved).length,
    setBack: alarmed.filter((answer) => !answer.halved && others(answer).join() === 'setback')
      .length,
    failing: answers.filter(({ question }) => question.cause !== null),
  };
}

/** The experiment's numbers for documents, by claim. */
export function diagnosisClaims(counts: DiagnosisCounts): Readonly<Record<string, string>> {
  const { sound, alarmed, halved, setBack, failing } = counts;
  const { runs, right, errors } = diagnosisSummary(failing);
  const causes = [...grouped(failing, ({ question: { cause } }) => cause).values()].map(
    diagnosisSummary,
  );
  const least = causes.toSorted((a, b) => a.right / a.runs - b.right / b.runs)[0];
  return {
    alarmed: share(alarmed.length, sound.length),
    'alarmed-of-20': `${perTwenty(alarmed.length, sound)} of 20`,
    halved: String(halved),
    setback: String(setBack),
    'false-of-20': `${perTwenty(alarmed.length - halved - setBack, sound)} of 20`,
    right: share(right, runs),
    dated: share(errors.filter((error) => error <= DATED).length, errors.length),
    least: least === undefined ? '–' : share(least.right, least.runs),
    causes: String(causes.length),
    ...lagClaims(failing),
  };
}

function lagClaims(failing: readonly Answer[]): Readonly<Record<string, string>> {
  const { finding, threshold } = lagsOf(failing);
  return {
    lag: String(median(finding.lags)),
    'lag-raised': share(finding.lags.length, finding.runs),
    'threshold-lag': String(median(threshold.lags)),
    'threshold-raised': share(threshold.lags.length, threshold.runs),
  };
}

/** Findings in healthy runs, if the experiment has such runs. */
function soundSection({ sound, alarmed, halved, setBack }: DiagnosisCounts): string {
  if (sound.length === 0) return '';
  return `## Healthy runs

The current rules diagnose each run after every iteration, from the stored rows. A run counts if any iteration has a finding: ${share(alarmed.length, sound.length)} do (${perTwenty(alarmed.length, sound)} per 20 runs). In ${halved} of these, success did fall: the mean of two consecutive iterations was below half the mean of three earlier ones. In ${setBack} others, the only finding was a setback: success fell by more than its noise, and no cause is named. Excluding these two kinds, ${perTwenty(alarmed.length - halved - setBack, sound)} per 20 runs have a finding.

${soundTable(sound)}

`;
}

/** Iterations from the fault to the alarm. */
interface Lags {
  readonly lags: readonly number[];
  readonly runs: number;
}

/** Iterations from each fault to the first finding, to the true cause, and to the threshold alarm. */
export function lagsOf(answers: readonly Answer[]): {
  readonly finding: Lags;
  readonly cause: Lags;
  readonly threshold: Lags;
} {
  const timed = answers.flatMap((answer) =>
    answer.question.from === undefined ? [] : [{ ...answer, from: answer.question.from }],
  );
  const of = (at: (answer: (typeof timed)[number]) => number | null | undefined): Lags => ({
    lags: timed.flatMap((answer) => {
      const raised = at(answer);
      return raised === null || raised === undefined ? [] : [raised - answer.from];
    }),
    runs: timed.length,
  });
  return {
    finding: of(
      ({ diagnosed, from }) =>
        diagnosed.said.find(({ mode, after }) => mode !== null && after >= from)?.after,
    ),
    cause: of(
      ({ diagnosed, question, from }) =>
        diagnosed.said.find(({ mode, after }) => mode === question.cause && after >= from)?.after,
    ),
    threshold: of(({ threshold }) => threshold),
  };
}

const lagCells = ({ lags, runs }: Lags): readonly (string | number)[] => [
  share(lags.length, runs),
  ...(lags.length === 0 ? ['–', '–'] : [median(lags), Math.max(...lags)]),
];

/** Lag of alarms after faults, if a fault was injected in a known iteration. */
function lagSection({ failing, sound, alarmed }: DiagnosisCounts): string {
  const timed = failing.filter(({ question }) => question.from !== undefined);
  if (timed.length === 0) return '';
  const cells = (answers: readonly Answer[]) => {
    const { finding, cause, threshold } = lagsOf(answers);
    return [finding, cause, threshold].flatMap(lagCells);
  };
  const healthy =
    sound.length === 0
      ? ''
      : ` Of the healthy runs, ${share(alarmed.length, sound.length)} have a finding in some iteration, and ${share(sound.filter(({ threshold }) => threshold !== null).length, sound.length)} raise the threshold alarm.`;
  const kinds = ['finding', 'true cause', 'threshold'];
  return `## Lag

The lag is the number of iterations from the injection of a fault to the alarm. “Finding” is the first finding of any kind; “true cause” is the first iteration in which the true cause is ranked first. “Threshold” is a simple alarm: mean success over 5 iterations is below half of its highest mean over 10.${healthy}

${markdownTable([
  ['cause', ...kinds.flatMap((kind) => [kind, 'median lag', 'largest'])],
  ...[...grouped(timed, ({ question: { cause } }) => cause)].map(([cause, some]) => [
    named(cause ?? '') + markOf(some),
    ...cells(some),
  ]),
  ['all', ...cells(timed)],
])}

`;
}

/** False findings in healthy runs, then results by cause, by failure and by run. */
export function diagnosisSection(experiment: Experiment, runs: readonly KeptRun[]): string {
  const counts = diagnosisCounts(experiment, runs);
  const { answers, failing } = counts;
  return `${soundSection(counts)}## Causes

A diagnosis counts as correct if the injected cause is ranked first after the last iteration. Where known, the onset is compared with the iteration in which the fault was injected. “Confused with” counts the runs that ever ranked another cause first, or that end without a finding.

${markdownTable([
  ['cause', ...causeHead],
  ...[...grouped(failing, ({ question: { cause } }) => cause)].map(([cause, some]) => [
    named(cause ?? '') + markOf(some),
    ...causeCells(some),
  ]),
  ['all', ...causeCells(failing)],
])}

${lagSection(counts)}## Failure by failure

${markdownTable([
  ['failure', ...causeHead],
  ...[...grouped(failing, ({ arm }) => arm)].map(([arm, some]) => [
    arm + markOf(some),
    ...causeCells(some),
  ]),
])}

## Findings of each run

${everyAnswer(answers)}`;
}
