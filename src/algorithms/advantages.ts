import { gae } from './gae.ts';
import { drGrpo, grpo } from './grpo.ts';
import { reinforce } from './reinforce.ts';
import { reinforcePlusPlus } from './reinforce-plus-plus.ts';
import { remax } from './remax.ts';
import { rloo } from './rloo.ts';
import type { AdvantageEstimator } from './signal.ts';

/** The baseline of a reward. */
export type Against =
  /** The value head's estimate for each token. */
  | 'values'
  /** The other episodes of the group, on the same task. */
  | 'group'
  /** The greedy episode on the same task. */
  | 'greedy'
  /** All tokens of the iteration. */
  | 'batch'
  /** No baseline. */
  | 'nothing';

/** An advantage estimator and its traits. */
export interface EstimatorTraits {
  readonly estimate: AdvantageEstimator;
  /** Name as in papers. */
  readonly label: string;
  readonly source: string;
  /** Definition of the advantage; follows the name and a colon. */
  readonly summary: string;
  readonly against: Against;
  /** Config fields that only this estimator reads. */
  readonly fields: readonly string[];
}

/** All advantage estimators by config value. */
export const estimators = {
  gae: {
    estimate: gae,
    label: 'GAE (value head)',
    source: 'arXiv:1506.02438, Eq. 16',
    summary: 'a value head and generalized advantage estimation (PPO)',
    against: 'values',
    fields: ['algorithm.gae_lambda', 'algorithm.value_coef', 'algorithm.value_clip'],
  },
  grpo: {
    estimate: grpo,
    label: 'GRPO',
    source: 'arXiv:2402.03300, §4.1.2',
    summary: 'reward minus the group mean, divided by the group standard deviation',
    against: 'group',
    fields: [],
  },
  dr_grpo: {
    estimate: drGrpo,
    label: 'Dr. GRPO',
    source: 'arXiv:2503.20783, §3.2',
    summary: 'reward minus the mean of its group, without a division',
    against: 'group',
    fields: [],
  },
  rloo: {
    estimate: rloo,
    label: 'RLOO',
    source: 'arXiv:2402.14740, §2.3',
    summary: 'reward minus the mean of the others',
    against: 'group',
    fields: [],
  },
  reinforce_plus_plus: {
    estimate: reinforcePlusPlus,
    label: 'REINFORCE++',
    source: 'arXiv:2501.03262, §3',
    summary: 'whitened return',
    against: 'batch',
    fields: [],
  },
  remax: {
    estimate: remax,
    label: 'ReMax',
    source: 'arXiv:2310.10505, §4.1',
    summary: 'reward minus that of the greedy episode',
    against: 'greedy',
    fields: [],
  },
  reinforce: {
    estimate: reinforce,
    label: 'REINFORCE',
    source: 'Williams 1992',
    summary:
      'the reward itself, without a baseline; rewards of 0 and 1 then imitate what succeeded',
    against: 'nothing',
    fields: [],
  },
} as const satisfies Readonly<Record<string, EstimatorTraits>>;

/** Name of an estimator, as used in configs. */
export type AdvantageName = keyof typeof estimators;

export const advantageNames = Object.keys(estimators) as readonly AdvantageName[];

/** Names of the estimators with one of these baselines, joined with commas. */
export function estimatorsAgainst(...these: readonly Against[]): string {
  return advantageNames.filter((name) => these.includes(estimators[name].against)).join(', ');
}
