import { withFirstClip } from '../runs/first-clip.ts';
import type { MetricKey, MetricRow } from '../runs/metrics.ts';
import { metrics } from '../runs/metrics.ts';
import type { IterationResult } from '../training/trainer.ts';

/** `1 run`, `2 runs`. */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** The metrics of a row in the order of the registry, to print as one line of JSON. */
export function jsonRow(row: MetricRow): Record<string, number> {
  const ordered: Record<string, number> = {};
  for (const { key } of metrics) {
    const value = row[key];
    if (value !== undefined) ordered[key] = value;
  }
  return ordered;
}

/**
 * An iteration for a line of JSON: its row and, in a mixture, the training and evaluation results of each
 * environment, under the names used in run files.
 */
export function jsonIteration(result: IterationResult): object {
  const { details, evaluation } = result;
  const { environments } = details;
  const evaluated = evaluation?.environments;
  return {
    ...jsonRow(withFirstClip(result)),
    ...(environments === undefined ? {} : { environments }),
    ...(evaluated === undefined ? {} : { evaluated }),
  };
}

interface Column {
  readonly head: string;
  readonly key: MetricKey;
  readonly digits: number;
}

const columns: readonly Column[] = [
  { head: 'iteration', key: 'iteration', digits: 0 },
  { head: 'success', key: 'rollout/success_rate', digits: 3 },
  { head: 'score', key: 'rollout/score', digits: 3 },
  { head: 'turns', key: 'rollout/turns', digits: 1 },
  { head: 'horizon', key: 'rollout/horizon', digits: 0 },
  { head: 'entropy', key: 'policy/entropy', digits: 3 },
  { head: 'kl', key: 'policy/approx_kl', digits: 4 },
  { head: 'clipped', key: 'policy/clip_fraction', digits: 3 },
  { head: 'grad norm', key: 'policy/grad_norm', digits: 3 },
  { head: 'eval', key: 'eval/success_rate', digits: 3 },
  { head: 'all turns', key: 'progress/turns', digits: 0 },
  { head: 'turns/s', key: 'time/turns_per_second', digits: 0 },
  { head: 'seconds', key: 'time/seconds', digits: 1 },
];

const width = (column: Column) => Math.max(column.head.length, 8);

/** The header of the table; `tableRow` formats its rows. */
export function tableHead(): string {
  return columns.map((column) => column.head.padStart(width(column))).join(' ');
}

/** One iteration as a line; `–` marks metrics that were not measured. */
export function tableRow(row: MetricRow): string {
  return columns
    .map((column) => (row[column.key]?.toFixed(column.digits) ?? '–').padStart(width(column)))
    .join(' ');
}
