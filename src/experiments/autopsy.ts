/** The section of an experiment's page on the forks of failed runs. */

import type { Experiment } from './catalogue.ts';
import { percent } from './columns.ts';
import type { KeptAutopsy, KeptCure } from './kept-autopsy.ts';
import { type KeptRun, staleMark } from './kept-run.ts';
import { markdownTable } from './markdown-table.ts';

/** A count out of a total. */
export interface Share {
  readonly count: number;
  readonly of: number;
}

/** Totals over runs with injected faults. */
interface AutopsySummary {
  /** Runs in which the injected fault is the top-ranked finding. */
  readonly found: Share;
  /** Forked runs in which a remedy for the injected fault works. */
  readonly rightLives: Share;
  /** Remedies for other causes that work, out of all such remedies tried. */
  readonly wrongLives: Share;
  /** Remedies for other causes that only help, out of all such remedies tried. */
  readonly wrongHelps: Share;
  /** Cost of the forks, a mean over forked runs. */
  readonly iterations: number;
  readonly seconds: number;
}

const isRight =
  ({ provoked }: KeptAutopsy) =>
  ({ mode }: Pick<KeptCure, 'mode'>) =>
    mode === provoked;

export function autopsySummary(autopsies: readonly KeptAutopsy[]): AutopsySummary {
  const forked = autopsies.flatMap((one) =>
    one.forks === null ? [] : [{ ...one, forks: one.forks }],
  );
  const wrong = forked.flatMap((one) => one.forks.cures.filter((cure) => !isRight(one)(cure)));
  const share = (all: readonly unknown[], count: number) => ({ count, of: all.length });
  const mean = (of: (forks: (typeof forked)[number]['forks']) => number) =>
    forked.reduce((sum, { forks }) => sum + of(forks), 0) / forked.length;
  return {
    found: share(
      autopsies,
      autopsies.filter(({ found, provoked }) => found?.mode === provoked).length,
    ),
    rightLives: share(
      forked,
      forked.filter((one) =>
        one.forks.cures.some((cure) => isRight(one)(cure) && cure.fate === 'lives'),
      ).length,
    ),
    wrongLives: share(wrong, wrong.filter(({ fate }) => fate === 'lives').length),
    wrongHelps: share(wrong, wrong.filter(({ fate }) => fate === 'helps').length),
    iterations: mean(({ iterations }) => iterations),
    seconds: mean(({ seconds }) => seconds),
  };
}

const ratio = ({ count, of }: Share) => `${count} of ${of}`;
const named = (mode: string) => mode.replaceAll('_', ' ');
const costs = ({ iterations, seconds }: AutopsySummary) => [
  Number.isNaN(iterations) ? '–' : iterations.toFixed(0),
  Number.isNaN(seconds) ? '–' : seconds.toFixed(0),
];

/** The experiment's numbers for documents, by claim. */
export function autopsyClaims(runs: readonly KeptRun[]): Readonly<Record<string, string>> {
  const summary = autopsySummary(runs.flatMap(({ autopsy }) => autopsy ?? []));
  const [iterations = '–', seconds = '–'] = costs(summary);
  return {
    found: ratio(summary.found),
    'right-lives': ratio(summary.rightLives),
    'wrong-lives': ratio(summary.wrongLives),
    'wrong-helps': ratio(summary.wrongHelps),
    ...{ iterations, seconds },
  };
}

/** The section: by failure and overall, then remedy by remedy. */
export function autopsySection({ arms }: Experiment, runs: readonly KeptRun[]): string {
  const of = (name: string) =>
    runs.filter(({ arm, autopsy }) => arm === name && autopsy !== undefined);
  const autopsiesOf = (some: readonly KeptRun[]) => some.flatMap(({ autopsy }) => autopsy ?? []);
  const line = (name: string, some: readonly KeptRun[]) => {
    const summary = autopsySummary(autopsiesOf(some));
    const { found, rightLives, wrongLives, wrongHelps } = summary;
    return [name, ...[found, rightLives, wrongLives, wrongHelps].map(ratio), ...costs(summary)];
  };
  const present = arms.filter(({ name }) => of(name).length > 0);
  return `## Which remedies work

Each run is diagnosed and forked before the onset of its first finding. One fork is unchanged. Every other fork applies one change: a remedy for the finding, a remedy for another cause injected here, or a fresh optimizer. A fork’s result is its mean success over the last quarter of its iterations. A remedy works (“lives”) if it gains at least ten points over the unchanged fork and at least two thirds of the best remedy’s gain. It helps if it gains ten points but less than that.

${markdownTable([
  [
    'failure',
    'ranked first',
    'correct remedy works',
    'wrong remedies that work',
    'wrong remedies that help',
    'iterations',
    'seconds',
  ],
  ...present.map(({ name }) => line(name + staleMark(of(name)), of(name))),
  line(
    'all',
    present.flatMap(({ name }) => of(name)),
  ),
])}

## Remedy by remedy

${markdownTable([
  [
    'failure',
    'seed',
    'finding',
    'onset',
    'forks',
    'unchanged',
    'remedy',
    'remedy for',
    'success',
    'greedy',
    'fate',
  ],
  ...present.flatMap(({ name }) => of(name).flatMap((run) => cureRows(run))),
])}`;
}

function cureRows(run: KeptRun): (string | number)[][] {
  const { arm, seed, autopsy } = run;
  if (autopsy === undefined) return [];
  const { found, forks } = autopsy;
  const head = [
    arm + staleMark([run]),
    seed,
    found === null ? 'nothing' : named(found.mode),
    found?.onset ?? '–',
  ];
  if (forks === null) return [[...head, ...Array.from({ length: 7 }, () => '–')]];
  const { after, to, asItWas, cures } = forks;
  return cures.map(({ name, mode, success, greedy, fate }) => [
    ...head,
    `${after} to ${to}`,
    percent(asItWas.success),
    `\`${name}\``,
    mode === null ? '–' : named(mode),
    percent(success),
    greedy === null ? '–' : percent(greedy),
    mode === autopsy.provoked ? `**${fate}**` : fate,
  ]);
}
