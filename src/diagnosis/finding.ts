/** What diagnosis says of a run: which way it fails, since when, what shows it and what would cure it. */

import type { MetricKey } from '../runs/metrics.ts';

/** Ways in which a run fails, by the name that files and commands write. */
export const modeNames = [
  'not_finite',
  'no_step_bound',
  'bounds_too_tight',
  'learning_rate_too_high',
  'too_many_epochs',
  'nothing_moves',
  'horizon_too_short',
  'bootstrapping_at_horizon',
  'value_head_untrained',
  'entropy_bonus_too_strong',
  'reference_too_tight',
  'groups_agree',
  'entropy_collapse',
  'setback',
] as const;

export type ModeName = (typeof modeNames)[number];

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
  readonly value?: number;
  /** What to do, as a sentence. */
  readonly text: string;
}

export interface Rival {
  readonly mode: ModeName;
  /** The number or the run that tells the two apart, as a sentence. */
  readonly separatedBy: string;
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
