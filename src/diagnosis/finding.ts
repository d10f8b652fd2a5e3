/** The findings of a diagnosis: failure mode, onset, evidence, alternatives and remedies. */

import type { MetricKey } from '../runs/metrics.ts';
import type { ModeName } from '../runs/mode-names.ts';

export type { ModeName } from '../runs/mode-names.ts';

/** The values of a metric over some iterations. */
export interface Proof {
  readonly metric: MetricKey;
  /** First and last iteration. */
  readonly iterations: readonly [from: number, to: number];
  readonly values: readonly number[];
}

/** The values of a log series at some steps. */
export interface SeriesProof {
  readonly series: string;
  readonly steps: readonly number[];
  readonly values: readonly number[];
}

/** A remedy. If it is a setting, `path` names it; without a value only the direction is known. */
export interface Remedy {
  /** Path of a config field; absent in logs of other tools. */
  readonly setting?: string;
  readonly value?: number | string;
  /** Settings that have to change together with it. */
  readonly also?: readonly { readonly setting: string; readonly value: number | string }[];
  /** The sentence that says what to do. */
  readonly text: string;
}

/** The settings that a remedy changes; none if only the direction is known. */
export function changesOf({
  setting,
  value,
  also = [],
}: Remedy): readonly { readonly setting: string; readonly value: number | string }[] {
  return value === undefined || setting === undefined ? [] : [{ setting, value }, ...also];
}

export interface Rival {
  readonly mode: ModeName;
  /** The number or the run that distinguishes the two, as a sentence. */
  readonly separatedBy: string;
  /** Remedies for the run if this were its cause. */
  readonly remedies: readonly Remedy[];
}

export interface Finding {
  readonly mode: ModeName;
  /** A headline. */
  readonly title: string;
  /** What happened and why, with this run's numbers, in a sentence or two. */
  readonly text: string;
  /** Iteration in which it began; in a log of another tool the step on its axis. */
  readonly onset: number;
  /** Iterations between which the onset lies. */
  readonly interval: readonly [from: number, to: number];
  /** First iteration with sufficient signs. */
  readonly known: number;
  /** From 0 to 1. */
  readonly confidence: number;
  readonly evidence: readonly Proof[];
  /** For a log of another tool: evidence by series name, including series that match no metric. */
  readonly series?: readonly SeriesProof[];
  readonly rivals: readonly Rival[];
  readonly remedies: readonly Remedy[];
  /** What to say beside the chart of a metric. */
  readonly beside: Readonly<Partial<Record<MetricKey, string>>>;
}

/** A mode that cannot be diagnosed from the rows. */
export interface NotComputable {
  readonly mode: ModeName;
  /** Metrics and config fields to log; for a log of another tool, how to log them there. */
  readonly log: readonly string[];
}

/** A finding whose signs have ended. */
export interface PastFinding {
  readonly mode: ModeName;
  readonly title: string;
  readonly text: string;
  /** First and last iteration. */
  readonly from: number;
  readonly to: number;
  /** First iteration with sufficient signs. */
  readonly known: number;
}

export interface Findings {
  /** At most `MOST_FINDINGS`, in causal order. */
  readonly findings: readonly Finding[];
  /** Findings that no longer hold, oldest first; only the newest `MOST_FINDINGS`. */
  readonly past: readonly PastFinding[];
  readonly notComputable: readonly NotComputable[];
}

/** Maximum number of findings shown. */
export const MOST_FINDINGS = 3;
