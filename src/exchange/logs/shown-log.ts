/** A log as the page shows and stores it: plain data with its diagnosis. */

import type { Finding, Findings } from '../../diagnosis/finding.ts';
import type { OutcomeState } from '../../diagnosis/outcome.ts';
import { quantities } from '../../diagnosis/quantities.ts';
import { moveText } from '../../diagnosis/what-changed.ts';
import type { LogAxis } from './axis.ts';
import type { LogTool } from './counterparts.ts';
import { diagnoseLog, stepOf } from './diagnose-log.ts';
import type { LogSeries, RunLog } from './log.ts';

/** A log without its numbers. */
export interface LogEntry {
  readonly id: string;
  readonly name: string;
  readonly tool: LogTool;
  readonly format: string;
  readonly axis: LogAxis;
  /** What its axis counts. */
  readonly count: ReturnType<typeof stepOf>;
  /** Number of diagnosed rows. */
  readonly rows: number;
  /** Position of the last one on the axis. */
  readonly end: number;
  readonly findings: Findings;
  /** Summary paragraph of the diagnosis; absent in logs that older versions stored. */
  readonly summary?: string;
  /** State of the outcome; null without a known score, absent in logs that older versions stored. */
  readonly state?: OutcomeState | null;
  /** The series that the state was taken from; null without a known score. */
  readonly score?: string | null;
  /** Names of known quantities by series, for titles. */
  readonly titles?: Readonly<Record<string, string>>;
  readonly settings?: Readonly<Record<string, number | string | boolean>>;
  /** Changes before the fall of the outcome, or the strongest changes if it did not fall, by step. */
  readonly movers?: readonly LogMover[];
  /** Interval of each finding on the axis. */
  readonly spans: readonly LogSpan[];
  /** Positions of each finding's evidence, in order; absent in logs stored by older versions. */
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

/** A change of a series, for the timeline. */
interface LogMover {
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

/** Diagnoses a log and returns what the page shows. */
export function shownLog(log: RunLog, id: string, now: number): ShownLog {
  const { name, tool, format, axis, places, evidence, notes, series } = log;
  const { rows } = evidence;
  const { findings: found, past, notComputable, changed, summary } = diagnoseLog(log);
  const findings = { findings: found, past, notComputable };
  const unit = stepOf(log);
  // Findings in another tool's log already refer to steps of its axis.
  const placeOf = (iteration: number) =>
    tool === 'palestra'
      ? (places[rows.findIndex((row) => row.iteration === iteration)] ?? iteration)
      : iteration;
  const spanOf = ({ title, interval: [from, to] }: Finding): LogSpan => ({
    ...{ text: title, at: placeOf(from), to: placeOf(to) },
  });
  const success = rows.findLast(({ metrics }) => metrics['rollout/success_rate'] !== undefined);
  return {
    entry: {
      ...{ id, name, tool, format, axis, notes, findings, updated: now, rows: rows.length },
      ...{ count: unit, summary, state: changed.outcome?.state ?? null },
      score: changed.outcome?.key ?? null,
      titles: Object.fromEntries(
        [...changed.quantities].map(([quantity, { key }]) => [key, quantities[quantity].title]),
      ),
      settings: Object.fromEntries(log.settings),
      movers: changed.movers.map((move) => ({
        ...{ text: moveText(move, unit), from: move.at, to: Math.max(move.at, move.until) },
      })),
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
