import type { Estimate } from '../algorithms/confidence.ts';
import { csvTable } from './csv.ts';
import type { EnvironmentRef } from './episode.ts';
import { several } from './numbers.ts';

/** The result of an evaluation as plain data, for `structuredClone` and JSON. */

/**
 * The player. `greedy`: the agent, always choosing the most probable token. `sampled`: the agent at
 * its training temperature. `random`: uniform over the admissible actions.
 */
export type Player = 'greedy' | 'sampled' | 'expert' | 'random';

export const playerTitles: Readonly<Record<Player, string>> = {
  greedy: 'Agent, greedy',
  sampled: 'Agent, sampled',
  expert: 'Expert',
  random: 'Random agent',
};

/** Results of one player in one environment. */
export interface PlayerResult {
  readonly player: Player;
  /** Number of episodes per task. */
  readonly episodesPerTask: number;
  /**
   * Share of episodes that solve their task, by the success predicate, with Wilson's interval for
   * the effective number of tasks given their clusters (`clusteredShare`).
   */
  readonly success: Estimate;
  /**
   * Mean score with a cluster-robust interval, within 0 and 1; no interval (NaN) for a single
   * cluster of tasks.
   */
  readonly score: Estimate;
  /** Mean number of turns per episode. */
  readonly turns: number;
  /**
   * pass@1, pass@2, … up to the number of episodes per task: the probability that the best of k
   * episodes solves the task (arXiv:2107.03374). Intervals as for `success`. Empty for
   * deterministic players.
   */
  readonly passAtK: readonly Estimate[];
}

export interface EnvironmentReport {
  readonly environment: EnvironmentRef;
  /** Number of evaluation tasks played. */
  readonly tasks: number;
  /**
   * Kind and number of the tasks' clusters if several tasks share one; null if tasks are
   * independent.
   */
  readonly clusters: { readonly name: string; readonly count: number } | null;
  /** How these tasks differ from training tasks, in one or two sentences. */
  readonly asks: string;
  /** Maximum number of turns per episode. */
  readonly horizon: number;
  /** The reason why the agent cannot play here, as a sentence; null if it played. */
  readonly agentUnable: string | null;
  readonly results: readonly PlayerResult[];
}

/** Training progress of the agent. */
export interface Trained {
  readonly iteration: number;
  /** Environment turns and generated tokens in training episodes. */
  readonly turns: number;
  readonly tokens: number;
}

export interface EvaluationReport {
  readonly trained: Trained;
  readonly seed: number;
  /** Temperature of the sampled agent. */
  readonly temperature: number;
  readonly environments: readonly EnvironmentReport[];
}

export const reportFormats = ['table', 'markdown', 'csv', 'json'] as const;
export type ReportFormat = (typeof reportFormats)[number];

/** Formats the report as text, ending with a line break. */
export function formatReport(report: EvaluationReport, format: ReportFormat): string {
  switch (format) {
    case 'table':
      return textTable(report);
    case 'markdown':
      return markdown(report);
    case 'csv':
      return csv(report);
    case 'json':
      return `${JSON.stringify(report, null, 2)}\n`;
    default:
      return format satisfies never;
  }
}

/** The values of k shown in tables: 1, 2, 4, … and the largest available. */
export function shownK(report: EvaluationReport): readonly number[] {
  const most = mostSamples(report);
  const shown: number[] = [];
  for (let k = 1; k < most; k *= 2) shown.push(k);
  return most === 0 ? [] : [...shown, most];
}

/** The environment's id with its options, such as `maze/generated-v1, size 9`. */
export function environmentTitle({ id, options }: EnvironmentRef): string {
  const given = Object.entries(options).map(([name, value]) => {
    const text = String(value).replaceAll(/\s+/g, ' ');
    return `, ${name} ${text.length > 24 ? `${text.slice(0, 23)}…` : text}`;
  });
  return id + given.join('');
}

export const percent = (share: number) => `${(100 * share).toFixed(1)}%`;
export const decimal = (value: number) => value.toFixed(2);

/** A mean with its interval if it has one: `80.0% [49.0, 94.3]`. */
export function withInterval({ mean, low, high }: Estimate, format: (value: number) => string) {
  if (!Number.isFinite(low)) return format(mean);
  const bound = (value: number) => format(value).replace('%', '');
  return `${format(mean)} [${bound(low)}, ${bound(high)}]`;
}

/** Describes how the numbers were measured, in a few sentences. */
export function explainReport({ trained, seed, temperature }: EvaluationReport): string {
  const training = `The agent was trained for ${several(trained.iteration, 'iteration')} (${trained.turns.toLocaleString('en-US')} turns).`;
  return `${training} Success is the share of episodes that meet the success predicate; score is the mean sum of rewards. Brackets contain 95% confidence intervals over tasks: Wilson's for success, and for the score Student's t on its logit, which keeps it between 0 and 1. Tasks that ask about the same thing form a cluster and count for less than independent ones. The greedy agent takes the most probable token; the sampled one draws at temperature ${temperature}, and pass@k is the probability that the best of k such episodes solves the task (arXiv:2107.03374). The random agent draws uniformly from the admissible actions. Seed ${seed}.`;
}

function mostSamples({ environments }: EvaluationReport): number {
  const samples = environments.flatMap(({ results }) =>
    results.map(({ passAtK }) => passAtK.length),
  );
  return Math.max(0, ...samples);
}

/**
 * Table rows under their headings; an environment that the agent could not play has two short rows.
 */
function cells(report: EvaluationReport): readonly (readonly string[])[] {
  const ks = shownK(report);
  const head = ['Environment', 'Player', 'Episodes', 'Success', 'Score', 'Turns'];
  const rows = report.environments.flatMap(({ environment, tasks, agentUnable, results }) => {
    const title = environmentTitle(environment);
    const played = results.map((result) => [
      title,
      playerTitles[result.player],
      `${tasks} × ${result.episodesPerTask}`,
      withInterval(result.success, percent),
      withInterval(result.score, decimal),
      result.turns.toFixed(1),
      ...ks.map((k) => {
        const estimate = result.passAtK[k - 1];
        return estimate === undefined ? '–' : withInterval(estimate, percent);
      }),
    ]);
    const unable = [title, 'Agent', '–', 'not played', '–', '–', ...ks.map(() => '–')];
    return agentUnable === null ? played : [unable, ...played];
  });
  return [[...head, ...ks.map((k) => `pass@${k}`)], ...rows];
}

/** `60 tasks of 15 goals`, or the number of tasks alone; a single task forms no cluster. */
export function tasksPlayed({ tasks, clusters }: EnvironmentReport): string {
  return clusters === null || tasks === 1
    ? several(tasks, 'task')
    : `${tasks} tasks of ${clusters.count} ${clusters.name}`;
}

/** What was played in each environment and, if the agent did not play, why. */
function notes({ environments }: EvaluationReport): string[] {
  return environments.flatMap((of) => {
    const title = environmentTitle(of.environment);
    const played = `${title}: ${tasksPlayed(of)}. ${of.asks}`;
    return of.agentUnable === null
      ? [played]
      : [played, `The agent did not play ${title}: ${of.agentUnable}`];
  });
}

function textTable(report: EvaluationReport): string {
  const rows = cells(report);
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  const lines = rows.map((row) =>
    row
      .map((cell, column) =>
        column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  );
  return `${[...lines, '', ...notes(report), explainReport(report)].join('\n')}\n`;
}

function markdown(report: EvaluationReport): string {
  const [head = [], ...rows] = cells(report);
  const line = (row: readonly string[]) =>
    `| ${row.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  const rule = `|${head.map((_, column) => (column < 2 ? ' --- |' : ' ---: |')).join('')}`;
  const table = [line(head), rule, ...rows.map(line)].join('\n');
  return `${[table, ...notes(report), explainReport(report)].join('\n\n')}\n`;
}

/** One line per player, at full precision. RFC 4180 except for the line breaks. */
function csv(report: EvaluationReport): string {
  const ks = Array.from({ length: mostSamples(report) }, (_, i) => i + 1);
  const bounds = (name: string) => [name, `${name}_low`, `${name}_high`];
  const head = [
    ...['environment', 'options', 'horizon', 'player', 'tasks', 'clusters', 'episodes_per_task'],
    ...bounds('success'),
    ...bounds('score'),
    'turns',
    ...ks.flatMap((k) => bounds(`pass_at_${k}`)),
    'note',
  ];
  const numbers = (estimate: Estimate | undefined) =>
    [estimate?.mean, estimate?.low, estimate?.high].map((value) => value ?? null);
  const rows = report.environments.flatMap(({ environment, tasks, clusters, horizon, ...rest }) => {
    const place = [environment.id, JSON.stringify(environment.options), horizon];
    const played = rest.results.map(
      ({ player, episodesPerTask, success, score, turns, passAtK }) => [
        ...place,
        ...[player, tasks, clusters?.count ?? tasks, episodesPerTask],
        ...numbers(success),
        ...numbers(score),
        turns,
        ...ks.flatMap((k) => numbers(passAtK[k - 1])),
        '',
      ],
    );
    if (rest.agentUnable === null) return played;
    const empty = head.slice(place.length + 2).map(() => '');
    return [[...place, 'greedy', ...empty, rest.agentUnable], ...played];
  });
  return csvTable([head, ...rows], '\n');
}
