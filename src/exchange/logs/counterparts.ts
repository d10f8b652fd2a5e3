/**
 * The names and units of the registry's metrics in other tools, in addition to the registry's own
 * entries: names from older and newer versions, and further tools.
 */

import {
  counterpart,
  isMetricKey,
  type MetricKey,
  metrics,
  type Tool,
} from '../../runs/metrics.ts';

export const toolTitles = {
  palestra: 'Palestra',
  verl: 'verl',
  agentgym_rl: 'AgentGym-RL',
  bapo: 'BAPO',
  trl: 'TRL',
  openrlhf: 'OpenRLHF',
  sb3: 'Stable-Baselines3',
  cleanrl: 'CleanRL',
  rllib: 'RLlib',
  unknown: 'an unknown tool',
} as const satisfies Readonly<Record<string, string>>;

export type LogTool = keyof typeof toolTitles;

/** The tools and formats whose logs are read, for help texts. */
export const readableLogs = [
  'TensorBoard event files',
  ...Object.entries(toolTitles).flatMap(([tool, title]) =>
    tool === 'palestra' || tool === 'unknown' ? [] : [title],
  ),
  ...['W&B', 'MLflow', 'CSV', 'JSON lines', 'Parquet'],
].join(', ');

/** A tool's metric and its counterpart here. */
export interface Mapping {
  /** In order of preference: names of one metric in different versions. */
  readonly keys: readonly (string | RegExp)[];
  readonly metric: MetricKey;
  /** Converts to the registry's unit; unchanged if absent. */
  readonly value?: (logged: number) => number;
  /** Logged once per episode; a row gets the mean of the points since the previous row. */
  readonly perEpisode?: true;
  /** How it differs from the registry's metric, as an explanation for the user. */
  readonly differs?: string;
}

/**
 * Metrics whose counterpart is close enough for a diagnosis: estimators of the same quantity, and
 * counts that include additional tokens of a known kind.
 */
const comparable: ReadonlySet<MetricKey> = new Set(['policy/approx_kl', 'policy/clip_fraction']);

/** The tool's mappings in the registry, without metrics that measure something else. */
function registered(tool: Tool): readonly Mapping[] {
  return metrics.flatMap((metric): Mapping[] => {
    const found = counterpart(metric, tool);
    if (found === undefined || metric.key === 'iteration') return [];
    const { key, factor, differs } = found;
    if (differs !== undefined && !comparable.has(metric.key)) return [];
    return [
      {
        keys: [key],
        metric: metric.key,
        ...(factor === undefined ? {} : { value: (logged: number) => factor * logged }),
        ...(differs === undefined ? {} : { differs }),
      },
    ];
  });
}

const verl: readonly Mapping[] = [
  ...registered('verl'),
  // Older versions call the entropy a loss, but do not negate it.
  { keys: ['actor/entropy_loss'], metric: 'policy/entropy' },
  {
    keys: ['actor/lr(1e-4)'],
    metric: 'policy/learning_rate',
    value: (logged) => logged * 1e-4,
  },
  { keys: [/^val-core\/.+\/acc\/mean@\d+$/], metric: 'eval/success_rate' },
  {
    keys: [/^val-core\/.+\/reward\/mean@\d+(\/mean)?$/, /^val\/test_score\/.+$/],
    metric: 'eval/score',
  },
];

const agentgym: readonly Mapping[] = [
  ...registered('agentgym_rl'),
  { keys: ['critic/task_score/mean'], metric: 'rollout/score' },
  ...verl,
];

const bapo: readonly Mapping[] = [
  ...registered('bapo'),
  {
    keys: ['actor/bapo_pos_neg_ratio'],
    metric: 'policy/positive_share',
    value: (ratio) => ratio / (1 + ratio),
    differs: 'logged as the positive-to-negative ratio of the last micro-batch',
  },
  ...agentgym,
];

const trl: readonly Mapping[] = [
  ...registered('trl'),
  { keys: ['clip_ratio'], metric: 'policy/clip_fraction' },
  { keys: ['policy/entropy_avg'], metric: 'policy/entropy' },
  { keys: ['policy/approxkl_avg'], metric: 'policy/approx_kl' },
  { keys: ['policy/clipfrac_avg'], metric: 'policy/clip_fraction' },
  { keys: ['objective/scores'], metric: 'rollout/score' },
  { keys: ['lr'], metric: 'policy/learning_rate' },
  { keys: ['eval_reward', 'eval/reward'], metric: 'eval/score' },
];

const openrlhf: readonly Mapping[] = [
  {
    keys: ['reward'],
    metric: 'rollout/score',
    differs: 'after the length penalty, if there is one',
  },
  {
    keys: ['ppo_kl'],
    metric: 'policy/approx_kl',
    differs: 'mean of −log ratio, which may be negative',
  },
  {
    keys: ['ppo_clip_ratio'],
    metric: 'policy/clip_fraction',
  },
  {
    keys: ['kl'],
    metric: 'policy/ref_kl',
    differs: 'mean log ratio to the reference policy, clamped to ±10, which may be negative',
  },
  { keys: ['vllm_kl'], metric: 'policy/sampler_kl' },
  // Called a loss, but logged with the sign of the entropy.
  { keys: ['entropy_loss'], metric: 'policy/entropy' },
  { keys: ['actor_grad_norm'], metric: 'policy/grad_norm' },
  { keys: ['actor_lr'], metric: 'policy/learning_rate' },
  { keys: ['critic_loss'], metric: 'value/loss' },
  { keys: [/^eval\/eval_.+_pass1$/], metric: 'eval/score' },
];

const sb3: readonly Mapping[] = [
  ...registered('sb3'),
  { keys: ['rollout/ep_len_mean'], metric: 'rollout/turns' },
  { keys: ['train/learning_rate'], metric: 'policy/learning_rate' },
  { keys: ['train/clip_range'], metric: 'policy/clip_low', value: (range) => 1 - range },
  { keys: ['train/clip_range'], metric: 'policy/clip_high', value: (range) => 1 + range },
  { keys: ['eval/success_rate'], metric: 'eval/success_rate' },
  { keys: ['monitor/r'], metric: 'rollout/score', perEpisode: true },
  { keys: ['monitor/l'], metric: 'rollout/turns', perEpisode: true },
];

const cleanrl: readonly Mapping[] = [
  ...registered('cleanrl').map((one) =>
    one.metric === 'rollout/score' ? { ...one, perEpisode: true as const } : one,
  ),
  { keys: ['charts/episodic_length'], metric: 'rollout/turns', perEpisode: true },
  { keys: ['charts/learning_rate'], metric: 'policy/learning_rate' },
];

const rllib: readonly Mapping[] = [
  {
    keys: [
      'env_runners/episode_return_mean',
      'episode_reward_mean',
      'sampler_results/episode_reward_mean',
    ],
    metric: 'rollout/score',
    differs: 'a mean over a window of past episodes',
  },
  { keys: ['env_runners/episode_len_mean', 'episode_len_mean'], metric: 'rollout/turns' },
  {
    keys: [
      'num_env_steps_sampled_lifetime',
      'env_runners/num_env_steps_sampled_lifetime',
      'timesteps_total',
    ],
    metric: 'progress/turns',
  },
  {
    keys: [
      'learners/default_policy/entropy',
      'info/learner/default_policy/learner_stats/entropy',
      'info/learner/default_policy/entropy',
    ],
    metric: 'policy/entropy',
  },
  {
    keys: [
      'learners/default_policy/mean_kl_loss',
      'info/learner/default_policy/learner_stats/kl',
      'info/learner/default_policy/kl',
    ],
    metric: 'policy/approx_kl',
    differs: 'the exact KL divergence, and 0 if kl_coeff is 0',
  },
  {
    keys: [
      'learners/default_policy/vf_loss_unclipped',
      'info/learner/default_policy/learner_stats/vf_loss',
      'info/learner/default_policy/vf_loss',
    ],
    metric: 'value/loss',
    value: (logged) => logged / 2,
  },
  {
    keys: [
      'learners/default_policy/vf_explained_var',
      'info/learner/default_policy/learner_stats/vf_explained_var',
      'info/learner/default_policy/vf_explained_var',
    ],
    metric: 'value/explained_variance',
    differs: 'never below −1',
  },
  {
    keys: ['learners/default_policy/gradients_default_optimizer_global_norm'],
    metric: 'policy/grad_norm',
  },
  {
    keys: [
      'learners/default_policy/default_optimizer_learning_rate',
      'info/learner/default_policy/learner_stats/cur_lr',
      'info/learner/default_policy/cur_lr',
    ],
    metric: 'policy/learning_rate',
  },
  {
    keys: ['evaluation/env_runners/episode_return_mean', 'evaluation/episode_reward_mean'],
    metric: 'eval/score',
  },
  { keys: ['time_total_s'], metric: 'time/seconds' },
];

const own: readonly Mapping[] = metrics.flatMap(({ key }) =>
  key === 'iteration' ? [] : [{ keys: [key], metric: key }],
);

export const mappings: Readonly<Record<LogTool, readonly Mapping[]>> = {
  palestra: own,
  verl,
  agentgym_rl: agentgym,
  bapo,
  trl,
  openrlhf,
  sb3,
  cleanrl,
  rllib,
  unknown: own,
};

/** Prefixes that trackers, or the tool itself in event files, put before a name. */
export const prefixes: Readonly<Partial<Record<LogTool, readonly string[]>>> = {
  trl: ['train/'],
  openrlhf: ['train/'],
  rllib: ['ray/tune/'],
};

/** Detects the tool from the names in a log; the first match wins. */
const marks: readonly (readonly [LogTool, readonly RegExp[]])[] = [
  ['bapo', [/^actor[/_]bapo_/]],
  ['agentgym_rl', [/^critic[/_]task_(score|round)[/_]/]],
  [
    'verl',
    [/^critic[/_](score|rewards|advantages)[/_]mean$/, /^actor[/_](ppo_kl|pg_loss|pg_clipfrac)$/],
  ],
  [
    'palestra',
    [
      /^policy\/(positive_share|clip_fraction_low|staleness)$/,
      /^rollout\/(group_zero_std|truncated)$/,
    ],
  ],
  ['openrlhf', [/^(train\/)?(actor_lr|actor_grad_norm|ppo_clip_ratio|group_reward_std|vllm_kl)$/]],
  [
    'rllib',
    [
      /^(ray\/tune\/)?(env_runners\/episode_return_mean|episode_reward_mean|training_iteration)$/,
      /^(ray\/tune\/)?(learners|info\/learner)\//,
    ],
  ],
  [
    'sb3',
    [
      /^rollout\/ep_(rew|len)_mean$/,
      /^time\/total_timesteps$/,
      /^train\/(policy_gradient_loss|entropy_loss|clip_range)$/,
      /^monitor\/[rl]$/,
      /^eval\/mean_reward$/,
    ],
  ],
  ['cleanrl', [/^charts\/episodic_(return|length)$/, /^losses\/(old_)?approx_kl$/]],
  [
    'trl',
    [
      /^(train\/)?(frac_reward_zero_std|reward_std|completions\/.+|rewards\/.+|clip_ratio\/.+)$/,
      /^(train\/)?(objective\/(kl|entropy|scores)|policy\/approxkl_avg)$/,
    ],
  ],
];

export function toolOf(keys: Iterable<string>): LogTool {
  const all = [...keys];
  for (const [tool, signs] of marks) {
    if (all.some((key) => signs.some((sign) => sign.test(key)))) return tool;
  }
  // Names of the registry that are not markers of any other tool.
  return all.filter(isMetricKey).length > 1 ? 'palestra' : 'unknown';
}

/** A tool's step unit, if its axis name does not imply it. */
export const steps: Readonly<Record<LogTool, string>> = {
  palestra: 'iterations',
  verl: 'iterations',
  agentgym_rl: 'iterations',
  bapo: 'iterations',
  trl: 'optimizer steps',
  openrlhf: 'steps',
  sb3: 'environment steps',
  cleanrl: 'environment steps',
  rllib: 'environment steps',
  unknown: 'steps',
};

/** Notes shown with a tool's metrics. */
export const traps: Readonly<Partial<Record<LogTool, string>>> = {
  verl: 'Old versions print three decimals to the console, so small numbers appear as 0.',
  agentgym_rl:
    'The console prints three decimals, so small numbers appear as 0; the log contains no horizon.',
  trl: 'A row is the mean over logging_steps optimizer steps.',
  sb3: 'Metrics under rollout/ are means over the last 100 episodes.',
  rllib: 'Returns are means over a window of past episodes.',
};
