/** A log as a page shows and keeps it: plain data, diagnosed already. */

import { diagnose } from '../../diagnosis/diagnose.ts';
import type { Finding, Findings } from '../../diagnosis/finding.ts';
import type { LogAxis } from './axis.ts';
import type { LogTool } from './counterparts.ts';
import { countOf, type LogSeries, type RunLog } from './log.ts';

/** What is known of a log without its numbers. */
export interface LogEntry {
  readonly id: string;
  readonly name: string;
  readonly tool: LogTool;
  readonly format: string;
  readonly axis: LogAxis;
  /** What its rows are counted as. */
  readonly count: ReturnType<typeof countOf>;
  /** Rows that were diagnosed. */
  readonly rows: number;
  /** Where on the axis the last one lies. */
  readonly end: number;
  readonly findings: Findings;
  /** Where on the axis each finding began. */
  readonly spans: readonly LogSpan[];
  /** Where on it each finding's evidence lies, in their order; absent in logs that were kept before. */
  readonly proofs?: readonly (readonly [from: number, to: number])[];
  /** The newest success rate, where the log has one. */
  readonly success: number | null;
  readonly notes: readonly string[];
  /** Milliseconds since 1970. */
  readonly updated: number;
}

export interface LogSpan {
  readonly text: string;
  readonly at: number;
  readonly to: number;
}

export interface ShownLog {
  readonly entry: LogEntry;
  readonly series: readonly LogSeries[];
}

/** Diagnoses a log and takes what a page shows of it. */
export function shownLog(log: RunLog, id: string, now: number): ShownLog {
  const { name, tool, format, axis, places, evidence, notes, series } = log;
  const { rows } = evidence;
  const findings = diagnose(evidence);
  const placeOf = (iteration: number) =>
    places[rows.findIndex((row) => row.iteration === iteration)] ?? iteration;
  const spanOf = ({ title, interval: [from, to] }: Finding): LogSpan => ({
    ...{ text: title, at: placeOf(from), to: placeOf(to) },
  });
  const success = rows.findLast(({ metrics }) => metrics['rollout/success_rate'] !== undefined);
  return {
    entry: {
      ...{ id, name, tool, format, axis, notes, findings, updated: now, rows: rows.length },
      count: countOf(log),
      end: places.at(-1) ?? series.reduce((most, { x }) => Math.max(most, x.at(-1) ?? 0), 0),
      spans: findings.findings.map(spanOf),
      proofs: findings.findings.flatMap(({ evidence: shown }) =>
        shown.map(({ iterations: [from, to] }) => [placeOf(from), placeOf(to)] as const),
      ),
      success: success?.metrics['rollout/success_rate'] ?? null,
    },
    series,
  };
}
