/** Runs that are made to fail, one cause each. */

import type { Assignment } from '../config/methods.ts';
import type { ModeName } from './mode-names.ts';

export interface ProvokedFailure {
  readonly name: string;
  readonly method?: 'grpo';
  /** What is set on top of the maze's preset and the method. */
  readonly set: readonly Assignment[];
  /** Iterations in which it shows itself. */
  readonly updates: number;
  /** What is to blame. */
  readonly mode: ModeName;
  /** Played on for as long as a fork is, it does well in the end: what is wrong with it costs time only. */
  readonly recovers?: true;
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
