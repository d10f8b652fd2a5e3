/** What a rule of diagnosis is told: rows of numbers, and what is known of the run that they are of. */

import type { Config } from '../config/schema.ts';
import type { IterationDetails } from '../runs/details.ts';
import type { Row } from '../runs/row.ts';
import type { ModeName } from './finding.ts';

/** One iteration. Metrics alone will do: a log of another tool has nothing more. */
export interface EvidenceRow extends Pick<Row, 'iteration' | 'metrics'> {
  readonly details?: Partial<Pick<IterationDetails, 'updates' | 'environments'>>;
}

/** The greedy policy on the evaluation tasks. */
export type EvidenceEvaluation = Pick<Row, 'iteration' | 'metrics'>;

type Known<Section extends keyof Config, Field extends keyof Config[Section]> = Partial<
  Pick<Config[Section], Field>
>;

/**
 * What is known of a run beside its rows, in the words of the config; a config has them all. What is
 * absent is unknown, and a rule that would need it says less.
 */
export interface Facts {
  readonly recipe?: Config['recipe'];
  /** Settings that changed on the way; the others are those that the run began with. */
  readonly changes?: Config['changes'];
  readonly env?: Known<'env', 'id' | 'mixture'>;
  readonly agent?: Known<'agent', 'format'>;
  readonly imitation?: Known<'imitation', 'epochs'>;
  readonly evolution?: Known<'evolution', 'start'>;
  readonly horizon?: Known<'horizon', 'schedule' | 'rounds'>;
  readonly rollout?: Known<
    'rollout',
    'partial_turns' | 'partial_tokens' | 'group_size' | 'tasks_per_iteration'
  >;
  readonly replay?: Known<'replay', 'share'>;
  readonly algorithm?: Known<
    'algorithm',
    | 'advantage'
    | 'objective'
    | 'gamma'
    | 'dual_clip'
    | 'entropy_coef'
    | 'kl_coef'
    | 'kl_placement'
    | 'value_coef'
    | 'epochs'
    | 'mini_batches'
  >;
  readonly bapo?: Partial<Config['bapo']>;
  readonly optimizer?: Known<'optimizer', 'learning_rate' | 'max_grad_norm'>;
  readonly stopping?: Known<'stopping', 'success'>;
}

/**
 * What became of a finding when the run was run on with its cures: one of them lives, none does, or the
 * seeds do not agree.
 */
export const trialOutcomes = ['proved', 'refuted', 'open'] as const;
export type TrialOutcome = (typeof trialOutcomes)[number];

export interface Evidence {
  /** In the order of their iterations. */
  readonly rows: readonly EvidenceRow[];
  readonly evaluations: readonly EvidenceEvaluation[];
  readonly facts: Facts;
  /** Tokens the policy can write; the entropy of pure chance is its logarithm. */
  readonly vocabulary?: number;
  /** Of the modes whose cures were tried. */
  readonly trials?: Readonly<Partial<Record<ModeName, TrialOutcome>>>;
}

/**
 * Says in a sentence or two why a number does what it does now, from what the rows of this run show;
 * null before they show anything.
 */
export type Rule = (evidence: Evidence) => string | null;

/** Optimiser steps of an iteration, where that is known. */
export function updatesOf({ algorithm }: Facts): number | undefined {
  const { epochs, mini_batches: miniBatches } = algorithm ?? {};
  return epochs === undefined || miniBatches === undefined ? undefined : epochs * miniBatches;
}
