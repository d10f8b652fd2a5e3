/** The input of a diagnosis rule: rows of numbers, and what is known about their run. */

import type { Config } from '../config/schema.ts';
import type { IterationDetails } from '../runs/details.ts';
import type { Row } from '../runs/row.ts';
import type { ModeName } from './finding.ts';

/** One iteration. Only metrics are required, because logs of other tools contain nothing else. */
export interface EvidenceRow extends Pick<Row, 'iteration' | 'metrics'> {
  readonly details?: Partial<Pick<IterationDetails, 'updates' | 'environments'>>;
}

/** Metrics of the greedy policy on the evaluation tasks. */
export type EvidenceEvaluation = Pick<Row, 'iteration' | 'metrics'>;

type Known<Section extends keyof Config, Field extends keyof Config[Section]> = Partial<
  Pick<Config[Section], Field>
>;

/**
 * The known settings of a run, named as in the config; a config provides all of them. A missing
 * field is unknown, and the rules omit what depends on it.
 */
export interface Facts {
  readonly recipe?: Config['recipe'];
  /** Settings that changed during the run; the others are the initial ones. */
  readonly changes?: Config['changes'];
  readonly env?: Known<'env', 'id' | 'mixture'>;
  readonly agent?: Known<'agent', 'format'>;
  readonly imitation?: Known<'imitation', 'epochs'>;
  readonly evolution?: Known<'evolution', 'start'>;
  readonly horizon?: Known<'horizon', 'schedule' | 'rounds'>;
  readonly rollout?: Known<
    'rollout',
    'partial_turns' | 'partial_tokens' | 'group_size' | 'tasks_per_iteration' | 'resampling_rounds'
  >;
  readonly sampler?: Known<'sampler', 'precision' | 'lag'>;
  readonly replay?: Known<'replay', 'share'>;
  readonly algorithm?: Known<
    'algorithm',
    | 'advantage'
    | 'objective'
    | 'gamma'
    | 'clip_high'
    | 'dual_clip'
    | 'ratio_to'
    | 'importance_weight'
    | 'entropy_coef'
    | 'kl_coef'
    | 'kl_placement'
    | 'value_coef'
    | 'value_clip'
    | 'loss_aggregation'
    | 'overlong_share'
    | 'epochs'
    | 'mini_batches'
  >;
  readonly bapo?: Partial<Config['bapo']>;
  readonly optimizer?: Known<'optimizer', 'learning_rate' | 'max_grad_norm' | 'warmup_updates'>;
  readonly stopping?: Known<'stopping', 'success'>;
  readonly faults?: Known<'faults', 'logp_noise'>;
}

/**
 * The result of forking the run with a finding's remedies: one works, none works, or the seeds
 * disagree.
 */
export const trialOutcomes = ['proved', 'refuted', 'open'] as const;
export type TrialOutcome = (typeof trialOutcomes)[number];

export interface Evidence {
  /** In the order of their iterations. */
  readonly rows: readonly EvidenceRow[];
  readonly evaluations: readonly EvidenceEvaluation[];
  readonly facts: Facts;
  /** Number of tokens in the vocabulary; its logarithm is the maximum entropy. */
  readonly vocabulary?: number;
  /** Modes whose remedies were tried. */
  readonly trials?: Readonly<Partial<Record<ModeName, TrialOutcome>>>;
}

/** Together with the last row, these values identify evidence, because rows are immutable. */
const marksOf = ({ rows, evaluations, facts, vocabulary, trials }: Evidence) =>
  [
    rows.length,
    rows[0],
    evaluations.length,
    evaluations.at(-1),
    facts,
    vocabulary,
    trials,
  ] as const;

/** The function with its latest result cached for each last row. */
export function remembered<T>(compute: (evidence: Evidence) => T): (evidence: Evidence) => T {
  const known = new WeakMap<
    object,
    { readonly marks: ReturnType<typeof marksOf>; readonly result: T }
  >();
  return (evidence) => {
    const marks = marksOf(evidence);
    const last = evidence.rows.at(-1);
    const kept = last && known.get(last);
    if (kept?.marks.every((mark, place) => mark === marks[place])) return kept.result;
    const result = compute(evidence);
    if (last) known.set(last, { marks, result });
    return result;
  };
}

/**
 * Explains in one or two sentences why a number behaves as it does, using only this run's rows;
 * null if they do not show it.
 */
export type Rule = (evidence: Evidence) => string | null;

/** Optimizer steps per iteration, if known. */
export function updatesOf({ algorithm }: Facts): number | undefined {
  const { epochs, mini_batches: miniBatches } = algorithm ?? {};
  return epochs === undefined || miniBatches === undefined ? undefined : epochs * miniBatches;
}
