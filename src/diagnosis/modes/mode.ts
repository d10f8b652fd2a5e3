/** A way to fail, as data: what it needs, what shows it, what it explains and what would cure it. */

import type { MetricKey } from '../../runs/metrics.ts';
import type { Facts } from '../evidence.ts';
import type { Finding, ModeName, Remedy, Rival } from '../finding.ts';
import type { Moment } from '../history.ts';

/** Where in an iteration a cause acts; what acts earlier comes first where two began together. */
export const stages = ['config', 'data', 'update', 'policy', 'outcome'] as const;

/** A config field that a rule has to know, and how it is found among the facts. */
export const factReaders = {
  'algorithm.advantage': ({ algorithm }) => algorithm?.advantage,
  'algorithm.gamma': ({ algorithm }) => algorithm?.gamma,
  'algorithm.entropy_coef': ({ algorithm }) => algorithm?.entropy_coef,
  'algorithm.kl_coef': ({ algorithm }) => algorithm?.kl_coef,
  'algorithm.epochs': ({ algorithm }) => algorithm?.epochs,
  'algorithm.mini_batches': ({ algorithm }) => algorithm?.mini_batches,
  'rollout.group_size': ({ rollout }) => rollout?.group_size,
} satisfies Readonly<Record<string, (facts: Facts) => unknown>>;

export type FactName = keyof typeof factReaders;

/** What a mode says once it has been raised. */
export interface Told extends Pick<Finding, 'title' | 'text' | 'beside'> {
  /** From 0 to 1: how far what was seen is past what is needed. */
  readonly confidence: number;
}

export interface Mode {
  readonly name: ModeName;
  readonly stage: (typeof stages)[number];
  /** Metrics without which nothing can be said. */
  readonly reads: readonly MetricKey[];
  /** Fields of the config without which nothing can be said. */
  readonly asks: readonly FactName[];
  /** Whether a run with these settings can fail in this way at all. */
  readonly applies: (facts: Facts) => boolean;
  /** Whether the signs are there in one iteration, by what was known then. */
  readonly holds: (moment: Moment) => boolean;
  /** Weaker signs by which a finding that was made stays; the same ones where absent. */
  readonly lasts?: (moment: Moment) => boolean;
  /** Iterations in a row in which the signs have to be there. */
  readonly hold: number;
  /**
   * Iterations in a row without the signs after which the finding ends. By default it stays until the
   * run also does as well as it ever did, and well.
   */
  readonly release?: number;
  /** Where the change is looked for; else it began with the first iteration of the signs. */
  readonly onset?: (raised: Moment) => {
    readonly at: number;
    readonly from: number;
    readonly to: number;
  };
  readonly proofs: readonly MetricKey[];
  readonly tell: (raised: Moment, onset: Moment, now: Moment) => Told;
  /**
   * What would cure it, the first to try first. Asked of runs in which it was not raised as well, where
   * it is another mode's rival.
   */
  readonly remedies: (raised: Moment) => readonly Remedy[];
  /** What follows from it and is no cause of its own. */
  readonly explains: readonly ModeName[];
  readonly rivals: readonly Pick<Rival, 'mode' | 'separatedBy'>[];
}

/** How far past a limit, from ½ at the limit to almost 1 far beyond it. */
export function beyond(value: number, limit: number): number {
  const ratio = Math.abs(value / limit);
  return Number.isFinite(ratio) ? Math.min(0.99, Math.max(0.5, ratio / (1 + ratio))) : 0.99;
}
