/** A failure mode as data: requirements, signs, consequences and remedies. */

import type { MetricKey } from '../../runs/metrics.ts';
import type { Facts } from '../evidence.ts';
import type { Finding, ModeName, Remedy, Rival } from '../finding.ts';
import type { Moment } from '../history.ts';

/**
 * The stage of an iteration in which a cause acts; of causes with the same onset, the earlier stage
 * comes first.
 */
export const stages = ['config', 'data', 'update', 'policy', 'outcome'] as const;

/** A config field that a rule needs, and how it is read from the facts. */
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

/** The texts of a detected mode. */
export interface ModeTexts extends Pick<Finding, 'title' | 'text' | 'beside'> {
  /** From 0 to 1: how far the evidence exceeds the threshold. */
  readonly confidence: number;
}

export interface Mode {
  readonly name: ModeName;
  readonly stage: (typeof stages)[number];
  /** Metrics that the rule requires. */
  readonly reads: readonly MetricKey[];
  /** Config fields that the rule requires. */
  readonly asks: readonly FactName[];
  /** Whether a run with these settings can fail in this way. */
  readonly applies: (facts: Facts) => boolean;
  /** Whether the signs are present in one iteration, given what was known then. */
  readonly holds: (moment: Moment) => boolean;
  /** Weaker signs that sustain an existing finding; by default the signs of `holds`. */
  readonly lasts?: (moment: Moment) => boolean;
  /** Minimum number of consecutive iterations with signs. */
  readonly hold: number;
  /**
   * Number of consecutive iterations without signs after which the finding ends. By default, the finding ends
   * only once the run is also successful again, close to its best.
   */
  readonly release?: number;
  /** The metric in which the onset is located; by default the onset is the first iteration with signs. */
  readonly onset?: (raised: Moment) => {
    readonly at: number;
    readonly from: number;
    readonly to: number;
  };
  readonly proofs: readonly MetricKey[];
  readonly tell: (raised: Moment, onset: Moment, now: Moment) => ModeTexts;
  /**
   * Remedies, in the order in which to try them. The function is also called for a mode that was not detected
   * but is a rival of a detected one.
   */
  readonly remedies: (raised: Moment) => readonly Remedy[];
  /** Modes that follow from this one and are then not separate causes. */
  readonly explains: readonly ModeName[];
  readonly rivals: readonly Pick<Rival, 'mode' | 'separatedBy'>[];
}

/** Maps an excess over a limit to a strength: ½ at the limit, almost 1 far beyond it. */
export function beyond(value: number, limit: number): number {
  const ratio = Math.abs(value / limit);
  return Number.isFinite(ratio) ? Math.min(0.99, Math.max(0.5, ratio / (1 + ratio))) : 0.99;
}
