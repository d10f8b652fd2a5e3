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
  'sampler_mismatch',
  'environment_faults',
  'rewards_lost',
  'reward_scale',
  'reward_hacking',
  'groups_mixed',
  'setback',
] as const;

export type ModeName = (typeof modeNames)[number];
