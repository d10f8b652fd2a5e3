/** Diagnosis of a log: what changed, and the causes that this suggests. */

import { finitePoints, type Measured } from '../../diagnosis/changes.ts';
import { diagnose } from '../../diagnosis/diagnose.ts';
import type { Finding, Findings, SeriesProof } from '../../diagnosis/finding.ts';
import { causesOf, hasFailed, type LogCause, logModes } from '../../diagnosis/modes/of-logs.ts';
import { howToLog, type Quantity, quantityNames } from '../../diagnosis/quantities.ts';
import { moveText, type WhatChanged, whatChanged } from '../../diagnosis/what-changed.ts';
import type { MetricKey } from '../../runs/metrics.ts';
import { listed } from '../../runs/numbers.ts';
import type { LogTool } from './counterparts.ts';
import { LogError, shown } from './error.ts';
import type { LogSeries, RunLog } from './log.ts';

export interface LogDiagnosis extends Findings {
  readonly changed: WhatChanged;
  /** The summary paragraph, including the sentence for logs without a cause. */
  readonly summary: string;
}

/** Series by quantity, as mapped by the user. */
export type NamedColumns = ReadonlyMap<Quantity, string>;

/** Quantities of mapped series; sign and unit are corrected. */
const quantityOfMetric: Readonly<Partial<Record<MetricKey, Quantity>>> = {
  'rollout/score': 'score',
  'rollout/success_rate': 'success',
  'eval/score': 'held_out',
  'eval/success_rate': 'held_out',
  'policy/entropy': 'entropy',
  'policy/ref_kl': 'kl',
  'policy/approx_kl': 'step_kl',
  'policy/grad_norm': 'grad_norm',
  'policy/clip_fraction': 'clip_fraction',
  'rollout/group_zero_std': 'equal_groups',
  'rollout/answer_tokens': 'length',
  'policy/sampler_gap': 'mismatch',
  'value/loss': 'value_loss',
  'value/explained_variance': 'explained_variance',
};

/** Tools whose policies choose actions instead of generating text. */
const ofActions: ReadonlySet<LogTool> = new Set(['sb3', 'cleanrl', 'rllib']);

/** Name of one step of the log's axis in a sentence. */
export function stepOf({ axis }: Pick<RunLog, 'axis'>): 'iteration' | 'step' | 'row' {
  if (axis.iterations) return 'iteration';
  return /rows$/.test(axis.unit) ? 'row' : 'step';
}

/** Series with unique names; if a name is mapped to two metrics, the first series is kept. */
function distinct(series: readonly LogSeries[]): readonly LogSeries[] {
  const seen = new Set<string>();
  return series.filter(({ key }) => {
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/**
 * Diagnoses a log.
 *
 * @throws {LogError} for a column that the log does not have
 */
export function diagnoseLog(log: RunLog, columns: NamedColumns = new Map()): LogDiagnosis {
  const series = distinct(log.series);
  const unit = stepOf(log);
  const named = new Map<Quantity, string>();
  for (const { key, metric } of series) {
    const quantity = metric === null ? undefined : quantityOfMetric[metric];
    if (quantity !== undefined && !named.has(quantity)) named.set(quantity, key);
  }
  for (const [quantity, key] of columns) {
    if (!series.some((one) => one.key === key)) {
      throw new LogError(
        `has no column ${shown(key)}; it has ${series
          .slice(0, 20)
          .map((one) => one.key)
          .join(', ')}`,
      );
    }
    named.set(quantity, key);
  }
  const changed = whatChanged({ series, unit, named });
  if (log.tool === 'palestra') {
    return { ...diagnose(log.evidence), changed, summary: changed.text };
  }
  const text = !ofActions.has(log.tool);
  const causes = causesOf({ changed, unit, text });
  return {
    changed,
    findings: causes.slice(0, 3).map((cause) => findingOf(cause, changed, series)),
    past: [],
    notComputable: missing(changed, log.tool),
    summary: changed.text + withoutCause(changed, causes, unit),
  };
}

function withoutCause(changed: WhatChanged, causes: readonly LogCause[], unit: string): string {
  if (causes.length > 0 || !hasFailed(changed)) return '';
  const { movers } = changed;
  return movers.length === 0
    ? ' These series show no cause.'
    : ` These series show no single cause; the first changes: ${listed(movers.slice(0, 3).map((move) => moveText(move, unit)))}.`;
}

/** Maximum number of values in an evidence plot. */
const MOST_VALUES = 12;

function proofOf(series: Measured, from: number, to: number): SeriesProof {
  const { x, y } = finitePoints(series, Number.POSITIVE_INFINITY);
  const first = Math.max(0, x.findIndex((at) => at >= from) - 2);
  const last = x.findLastIndex((at) => at <= to) + 2;
  const places = x.map((_, i) => i).filter((i) => i >= first && i <= last);
  const stride = Math.ceil(places.length / MOST_VALUES);
  const kept = places.filter((_, i) => i % stride === 0);
  return {
    series: series.key,
    steps: kept.map((i) => x[i] ?? Number.NaN),
    values: kept.map((i) => Number((y[i] ?? Number.NaN).toPrecision(4))),
  };
}

function findingOf(
  { mode, title, text, at, from, to, until, known, confidence, shows }: LogCause,
  changed: WhatChanged,
  series: readonly LogSeries[],
): Finding {
  const proofs = shows.flatMap((quantity) => {
    const one = changed.quantities.get(quantity);
    return one === undefined || finitePoints(one).y.length === 0
      ? []
      : [proofOf(one, from, Math.max(to, until ?? to))];
  });
  return {
    ...{ mode: mode.name, title, text, onset: at, interval: [from, to], known },
    confidence: Number(confidence.toFixed(2)),
    evidence: proofs.flatMap((proof) => {
      const metric = series.find(({ key }) => key === proof.series)?.metric ?? null;
      const [first, last] = [proof.steps[0], proof.steps.at(-1)];
      return metric === null || first === undefined || last === undefined
        ? []
        : [{ metric, iterations: [first, last] as const, values: proof.values }];
    }),
    series: proofs,
    rivals: [],
    remedies: mode.remedies.map((remedy) => ({ text: remedy })),
    beside: {},
  };
}

/** Failure modes that this log cannot show, and how to log the metrics they need with its tool. */
function missing({ quantities }: WhatChanged, tool: LogTool): Findings['notComputable'] {
  return logModes.flatMap(({ name, reads, ofText = false }) => {
    if (ofText && ofActions.has(tool)) return [];
    const lacking = reads.filter((group) => !group.some((quantity) => quantities.has(quantity)));
    const log = lacking.flatMap((group) => {
      const [first] = group;
      return first === undefined ? [] : [howToLog(first, tool) ?? first];
    });
    return log.length === 0 ? [] : [{ mode: name, log }];
  });
}

/**
 * `score=my_reward` as a quantity and its column.
 *
 * @returns null for a text that names no quantity
 */
export function namedColumn(text: string): readonly [Quantity, string] | null {
  const at = text.indexOf('=');
  const quantity = quantityNames.find((name) => name === text.slice(0, at).trim());
  const column = text.slice(at + 1).trim();
  return at === -1 || quantity === undefined || column === '' ? null : [quantity, column];
}
