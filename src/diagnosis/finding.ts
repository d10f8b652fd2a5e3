/** What diagnosis says of a run: which way it fails, since when, what shows it and what would cure it. */

import type { MetricKey } from '../runs/metrics.ts';
import type { ModeName } from '../runs/mode-names.ts';

export type { ModeName } from '../runs/mode-names.ts';

/** A metric over some iterations, as it was there. */
export interface Proof {
  readonly metric: MetricKey;
  /** First and last iteration. */
  readonly iterations: readonly [from: number, to: number];
  readonly values: readonly number[];
}

/** A setting to change; `value` is absent where only the direction is known. */
export interface Remedy {
  /** Path of a config field. */
  readonly setting: string;
  readonly value?: number | string;
  /** What has to change with it, for it to be of use. */
  readonly also?: readonly { readonly setting: string; readonly value: number | string }[];
  /** What to do, as a sentence. */
  readonly text: string;
}

/** What a remedy sets, and what has to change with it; nothing where only the direction is known. */
export function changesOf({
  setting,
  value,
  also = [],
}: Remedy): readonly { readonly setting: string; readonly value: number | string }[] {
  return value === undefined ? [] : [{ setting, value }, ...also];
}

export interface Rival {
  readonly mode: ModeName;
  /** The number or the run that tells the two apart, as a sentence. */
  readonly separatedBy: string;
  /** What would cure the run if it were this one. */
  readonly remedies: readonly Remedy[];
}

export interface Finding {
  readonly mode: ModeName;
  /** A headline. */
  readonly title: string;
  /** What happened and why, with this run's numbers, in a sentence or two. */
  readonly text: string;
  /** Iteration in which it began. */
  readonly onset: number;
  /** Iterations between which it began. */
  readonly interval: readonly [from: number, to: number];
  /** Iteration in which the signs were enough to say so. */
  readonly known: number;
  /** From 0 to 1. */
  readonly confidence: number;
  readonly evidence: readonly Proof[];
  readonly rivals: readonly Rival[];
  readonly remedies: readonly Remedy[];
  /** What to say beside the chart of a metric. */
  readonly beside: Readonly<Partial<Record<MetricKey, string>>>;
}

/** A mode that these rows say nothing of. */
export interface NotComputable {
  readonly mode: ModeName;
  /** Metrics and config fields that would have to be logged. */
  readonly log: readonly string[];
}

export interface Findings {
  /** At most `MOST_FINDINGS`, the first cause first. */
  readonly findings: readonly Finding[];
  readonly notComputable: readonly NotComputable[];
}

/** More than this nobody follows. */
export const MOST_FINDINGS = 3;
