/** Configs that make a run fail, one cause each. */

import type { Assignment } from '../config/methods.ts';
import type { ModeName } from './mode-names.ts';

export interface ProvokedFailure {
  readonly name: string;
  /** Defaults to the maze preset. */
  readonly preset?: string;
  readonly method?: 'grpo';
  /** Settings that override the preset and the method. */
  readonly set: readonly Assignment[];
  /** Number of iterations until the failure is visible. */
  readonly updates: number;
  /** The failure mode to be diagnosed. */
  readonly mode: ModeName;
  /** Whether a fork succeeds without a change: the fault only slows training down. */
  readonly recovers?: true;
}

/** A fault that starts in the middle of a healthy run. */
export interface ProvokedFault extends ProvokedFailure {
  /** The first iteration with the fault. */
  readonly from: number;
}

export const failures: readonly ProvokedFailure[] = [
  {
    name: 'learning-rate-0.02',
    set: [['optimizer.learning_rate', '0.02']],
    updates: 30,
    mode: 'learning_rate_too_high',
  },
  {
    name: 'learning-rate-0.005',
    set: [['optimizer.learning_rate', '0.005']],
    updates: 45,
    mode: 'learning_rate_too_high',
    recovers: true,
  },
  {
    name: 'learning-rate-5e-6',
    set: [['optimizer.learning_rate', '0.000005']],
    updates: 12,
    mode: 'nothing_moves',
  },
  {
    name: 'gamma-1',
    set: [['algorithm.gamma', '1']],
    updates: 55,
    mode: 'bootstrapping_at_horizon',
  },
  {
    name: 'entropy-0.3',
    set: [['algorithm.entropy_coef', '0.3']],
    updates: 35,
    mode: 'entropy_bonus_too_strong',
  },
  { name: 'kl-1', set: [['algorithm.kl_coef', '1']], updates: 35, mode: 'reference_too_tight' },
  {
    name: 'bounds-wide',
    set: [
      ['algorithm.clip_low', '0'],
      ['algorithm.clip_high', '10'],
    ],
    updates: 35,
    mode: 'no_step_bound',
  },
  {
    name: 'bounds-tight',
    set: [
      ['algorithm.clip_low', '0.99'],
      ['algorithm.clip_high', '1.01'],
    ],
    updates: 20,
    mode: 'bounds_too_tight',
  },
  {
    name: 'horizon-2',
    set: [
      ['horizon.schedule', 'fixed'],
      ['horizon.turns', '2'],
    ],
    updates: 25,
    mode: 'horizon_too_short',
  },
  {
    name: 'value-0',
    set: [['algorithm.value_coef', '0']],
    updates: 15,
    mode: 'value_head_untrained',
    recovers: true,
  },
  {
    name: 'grpo-pairs',
    method: 'grpo',
    set: [['rollout.group_size', '2']],
    updates: 15,
    mode: 'groups_agree',
  },
  { name: 'epochs-32', set: [['algorithm.epochs', '32']], updates: 5, mode: 'too_many_epochs' },
];

/** At this iteration, the maze is about half learned. */
const FROM = 20;

const fault = (
  name: string,
  mode: ModeName,
  set: readonly Assignment[],
  more: Partial<ProvokedFault> = {},
): ProvokedFault => ({
  name,
  // Without this, the run would stop when the maze is solved, before some faults are visible.
  set: [['stopping.success', '0'], ['faults.from_iteration', String(FROM)], ...set],
  updates: 45,
  mode,
  from: FROM,
  ...more,
});

/** Runs in which a fault starts at a given iteration, one cause each. */
export const faults: readonly ProvokedFault[] = [
  fault('learning-rate-times-20', 'learning_rate_too_high', [
    ['faults.learning_rate_factor', '20'],
  ]),
  fault('noisy-log-probabilities', 'sampler_mismatch', [['faults.logp_noise', '0.5']]),
  fault('failing-episodes', 'environment_faults', [['faults.failing_share', '0.4']]),
  fault('rewards-times-100', 'reward_scale', [['faults.reward_factor', '100']]),
  fault('paid-for-form', 'reward_hacking', [['faults.understood_reward', '1']]),
  fault('paid-for-length', 'reward_hacking', [['faults.token_reward', '0.5']]),
  fault('late-rewards', 'rewards_lost', [['faults.reward_delay', '1']]),
  // The evidence is groups with equal rewards. They stay frequent here, because the agent imitates
  // the expert from some starts and then learns slowly.
  fault(
    'mixed-groups',
    'groups_mixed',
    [
      ['replay.share', '0'],
      ['optimizer.learning_rate', '0.0008'],
      ['faults.mixed_groups', 'on'],
    ],
    { preset: 'maze-stale' },
  ),
];
