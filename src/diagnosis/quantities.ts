/**
 * The quantities that indicate the causes of a failing run, under any tool's names: how to
 * recognize a series, and how to log a missing one.
 */

/** The tools for which a quantity has a log setting. */
export const loggers = ['verl', 'trl', 'openrlhf', 'sb3', 'cleanrl', 'rllib'] as const;
export type Logger = (typeof loggers)[number];

interface QuantityTraits {
  /** Name within a sentence, in lower case. */
  readonly title: string;
  /** Patterns of names in preference order, matched against `plainName`. */
  readonly names: readonly RegExp[];
  /** Matches the names of tools that log the negative of the quantity. */
  readonly negated?: RegExp;
  /** It lies between 0 and 1. */
  readonly share?: true;
  /** How to log it, by tool; `any` for tools without such a setting. */
  readonly log: Readonly<Partial<Record<Logger | 'any', string>>>;
}

/**
 * The normalized name of a series: lower case, `_` between its parts, no leading `train/`, no
 * tensor-parallel suffixes. `critic/score/mean` and `critic_score_mean` are equal.
 */
export const plainName = (key: string): string =>
  key
    .toLowerCase()
    .replace(/^(ray\/tune\/|train\/|train_|metrics\/)/, '')
    .replaceAll(/[^a-z0-9@]+/g, '_')
    .replaceAll(/^_+|_+$/g, '');

const quantityTraits = {
  score: {
    title: 'score',
    names: [
      /^rollout_score$/,
      /^critic_task_score_mean$/,
      /^critic_score_mean$/,
      /^critic_rewards_mean$/,
      /^(env_runners_)?(episode_return_mean|episode_reward_mean)$/,
      /^sampler_results_episode_reward_mean$/,
      /^rollout_ep_rew_mean$/,
      /^charts_episodic_return$/,
      /^monitor_r$/,
      /^objective_scores$/,
      /^objective_rlhf_reward$/,
      /^reward$/,
      /^rollout_raw_reward$/,
      /^rollout_rewards?$/,
      /^(mean_|avg_|average_)?(episode_|ep_|episodic_)?(reward|rewards|return|score)(_mean|_avg|s)?$/,
      /^(batch_|rollout_|env_|training_|agent_)?(reward|score|return)_?(mean|avg)?$/,
    ],
    log: { any: 'log the mean rollout reward of each step' },
  },
  success: {
    title: 'success rate',
    names: [
      /^rollout_success_rate$/,
      /^(train_|rollout_|env_|episode_|traj_)?(success|success_rate|solve_rate|pass_rate|win_rate)(_mean)?$/,
      /^(train_|rollout_|batch_)?(accuracy|acc)(_mean|_reward)?$/,
      /^batch_solve_(all|partial)$/,
    ],
    share: true,
    log: { any: 'log the share of episodes that meet the success predicate' },
  },
  held_out: {
    title: 'held-out score',
    names: [
      /^eval_success_rate$/,
      /^val_core_.+_(acc|reward)_mean@\d+(_mean)?$/,
      /^val_test_score_.+$/,
      /^(eval|val|test|validation)_(mean_)?(reward|score|return|success|success_rate|accuracy|acc)(_mean)?$/,
      /^eval_eval_.+_pass1$/,
      /^eval_.+_pass_?(at_?)?1$/,
      /^evaluation_(env_runners_)?episode_(return|reward)_mean$/,
      /^eval_rewards?_.+_mean$/,
    ],
    log: {
      verl: 'trainer.test_freq=10 and data.val_files=FILE log val-core/…',
      trl: "GRPOConfig(eval_strategy='steps', eval_steps=50) with eval_dataset logs eval_reward",
      openrlhf: '--eval_steps 10 with --eval_dataset logs eval/…_pass1',
      sb3: 'EvalCallback(eval_env, eval_freq=10_000) logs eval/mean_reward',
      rllib: 'config.evaluation(evaluation_interval=10) logs evaluation/env_runners/…',
      any: 'evaluate the policy every few steps on held-out tasks',
    },
  },
  entropy: {
    title: 'entropy',
    names: [
      /^policy_entropy$/,
      /^actor_entropy(_loss)?$/,
      /^entropy$/,
      /^policy_entropy_avg$/,
      /^losses_entropy$/,
      /^entropy_loss$/,
      /^(learners|info_learner)_default_policy_(learner_stats_)?entropy$/,
      /^(actor|policy|token|rollout|mean|response)_entropy(_mean|_avg)?$/,
    ],
    negated: /^sb3$/,
    log: {
      verl: 'actor/entropy is logged by default; old versions log actor/entropy_loss',
      trl: 'GRPOTrainer logs entropy from version 0.20 on',
      openrlhf: '--entropy_loss_coef 0.0 or higher logs entropy_loss',
      sb3: 'PPO and A2C log train/entropy_loss',
      cleanrl: 'writer.add_scalar("losses/entropy", entropy_loss.item(), global_step)',
      any: 'log the mean token entropy of the policy',
    },
  },
  kl: {
    title: 'KL to the reference',
    names: [
      /^policy_ref_kl$/,
      /^actor_kl_loss$/,
      /^kl$/,
      /^actor_reward_kl_penalty$/,
      /^critic_kl$/,
      /^objective_kl$/,
      /^(ref|reference)_kl(_loss|_mean)?$/,
      /^kl_(loss|ref|to_ref|div|divergence)(_mean)?$/,
    ],
    log: {
      verl: 'actor_rollout_ref.actor.use_kl_loss=True logs actor/kl_loss',
      trl: 'GRPOConfig(beta=0.001) logs kl; with beta=0 there is no reference model',
      openrlhf: '--init_kl_coef 1e-3 or --use_kl_loss logs kl',
      any: 'log the mean KL of the policy to its reference model',
    },
  },
  step_kl: {
    title: 'KL of the updates',
    names: [
      /^policy_approx_kl$/,
      /^actor_ppo_kl$/,
      /^ppo_kl$/,
      /^approx_kl$/,
      /^losses_approx_kl$/,
      /^policy_approxkl_avg$/,
      /^(learners|info_learner)_default_policy_(learner_stats_)?(mean_kl_loss|kl)$/,
    ],
    log: {
      trl: 'GRPOTrainer logs clip_ratio/region_mean instead',
      any: 'log mean((ratio − 1) − log ratio) over the tokens of an update',
    },
  },
  grad_norm: {
    title: 'gradient norm',
    names: [
      /^policy_grad_norm$/,
      /^actor_grad_norm$/,
      /^grad_norm$/,
      /^(global_|policy_|total_)?(grad|gradient)_norm$/,
      /^learners_default_policy_gradients_default_optimizer_global_norm$/,
      /^info_learner_default_policy_learner_stats_grad_gnorm$/,
    ],
    log: {
      sb3: 'self.logger.record("train/grad_norm", norm) after clip_grad_norm_ in a subclass',
      cleanrl:
        'writer.add_scalar("losses/grad_norm", nn.utils.clip_grad_norm_(…).item(), global_step)',
      rllib: 'config.training(grad_clip=…) logs the global norm',
      any: 'log the return value of clip_grad_norm_',
    },
  },
  policy_loss: {
    title: 'policy loss',
    names: [
      /^policy_loss$/,
      /^actor_pg_loss$/,
      /^loss$/,
      /^losses_policy_loss$/,
      /^policy_gradient_loss$/,
      /^(learners|info_learner)_default_policy_(learner_stats_)?policy_loss$/,
      /^loss_policy_avg$/,
      /^actor_loss$/,
    ],
    log: { any: 'log the loss of each update before averaging, which can skip NaN' },
  },
  value_loss: {
    title: 'value loss',
    names: [
      /^value_loss$/,
      /^critic_vf_loss$/,
      /^critic_loss$/,
      /^losses_value_loss$/,
      /^(learners|info_learner)_default_policy_(learner_stats_)?vf_loss(_unclipped)?$/,
      /^loss_value_avg$/,
    ],
    log: {},
  },
  length: {
    title: 'response length',
    names: [
      /^rollout_answer_tokens$/,
      /^response_length_mean$/,
      /^completions_mean_length$/,
      /^completion_length$/,
      /^response_length$/,
      /^(rollout_)?response_len(gth)?(_mean|_avg)?$/,
      /^(mean_|avg_)?(response|completion|generation|output|answer)s?_(length|len|tokens)(_mean|_avg)?$/,
    ],
    log: {
      trl: 'GRPOTrainer logs completions/mean_length',
      any: 'log the mean number of tokens per response',
    },
  },
  length_cap: {
    title: 'share of responses truncated at the length limit',
    names: [
      /^response_length_clip_ratio$/,
      /^completions_clipped_ratio$/,
      /^clipped_ratio$/,
      /^truncated(_ratio|_rate|_mean)?$/,
      /^rollout_truncated_(ratio|rate)$/,
      /^(response|completion)s?_(truncated|truncation|clipped|overlong)(_ratio|_rate|_frac|_fraction)?$/,
      /^truncation_(ratio|rate)$/,
      /^overlong_(ratio|rate)$/,
    ],
    share: true,
    log: {
      verl: 'response_length/clip_ratio is logged by default',
      trl: 'GRPOTrainer logs completions/clipped_ratio',
      any: 'log the share of responses that end at the token limit',
    },
  },
  episode_length: {
    title: 'episode length',
    names: [
      /^rollout_ep_len_mean$/,
      /^(env_runners_)?episode_len_mean$/,
      /^charts_episodic_length$/,
      /^monitor_l$/,
      /^(mean_|avg_)?(episode|ep|episodic)_(length|len)(_mean|_avg)?$/,
    ],
    log: {},
  },
  turns: {
    title: 'turns per episode',
    names: [
      /^rollout_turns$/,
      /^critic_task_round_mean$/,
      /^env_rounds_mean$/,
      /^num_turns_mean$/,
      /^(mean_|avg_|env_|rollout_|agent_)?(num_)?(turns|rounds)(_mean|_avg)?$/,
    ],
    log: {
      verl: 'num_turns/mean is logged with actor_rollout_ref.rollout.multi_turn.enable=True',
      any: 'log the mean number of turns per episode',
    },
  },
  equal_groups: {
    title: 'share of groups with equal rewards',
    names: [
      /^rollout_group_zero_std$/,
      /^frac_reward_zero_std$/,
      /^(group_)?reward_?(zero_std|std_zero)(_ratio|_frac)?$/,
      /^(zero_std|zero_advantage|zero_variance)_?(ratio|frac|rate|groups?)?$/,
    ],
    share: true,
    log: {
      verl: 'with algorithm.filter_groups.enable=True verl logs train/num_gen_batches; the share itself has to be added in compute_advantage',
      trl: 'GRPOTrainer logs frac_reward_zero_std',
      any: 'log the share of groups whose rewards are all equal',
    },
  },
  all_wrong_groups: {
    title: 'share of groups without a success',
    names: [
      /^group_reward_all_zero_rate$/,
      /^(batch_)?solve_none$/,
      /^(frac_|ratio_)?all_(zero|wrong)(_rate|_ratio|_groups)?$/,
    ],
    share: true,
    log: {},
  },
  invalid: {
    title: 'share of invalid actions',
    names: [
      /^invalid_action_rate(_\w+)?$/,
      /^(executor_|env_|agent_|rollout_)?(invalid|illegal|parse_error|format_error|malformed)(_actions?)?_?(rate|ratio|frac|share|mean)$/,
      /^(env_|rollout_)?(invalid|illegal)_(actions?|format)(_rate|_ratio|_mean|_\w+)?$/,
      /^tools_failure_frequency$/,
      /^(tool|tool_call|tool_calls)_(fail|failure|error)_?(rate|ratio|frequency)?$/,
      /^(format|parse|action)_(error|failure|violation)s?(_rate|_ratio|_\w+)?$/,
    ],
    share: true,
    log: {
      verl: 'return {"valid_action": 0 or 1} in reward_extra_info of the reward function',
      trl: 'tools/failure_frequency is logged with tools=[…]',
      any: 'log the share of actions that the environment could not parse',
    },
  },
  format: {
    title: 'share of well-formed answers',
    names: [
      /^rollout_understood$/,
      /^rewards_.*format.*?(_mean)?$/,
      /^(format|formatting|valid_format|format_reward|format_score|format_acc|valid_action|action_is_effective|effective_actions?)(_mean|_rate|_ratio|_reward|_score)?$/,
      /^(reward_)?format_(reward|score|acc|accuracy|rate)(_mean)?$/,
      /^traj_valid_action(_ratio)?$/,
    ],
    log: {
      verl: 'return {"format": 0 or 1} in reward_extra_info of the reward function',
      trl: 'a separate reward function for the format logs rewards/NAME/mean',
      any: 'log the share of answers in the format that the reward function expects',
    },
  },
  mismatch: {
    title: 'mismatch between sampler and trainer',
    names: [
      /^policy_sampler_gap$/,
      /^training_rollout_probs_diff_mean$/,
      /^rollout_probs_diff_mean$/,
      /^sampling_sampling_logp_difference_mean$/,
      /^logprobs_diff(_mean)?$/,
      /^(train_)?rollout_logprobs?_(abs_)?diff(_mean)?$/,
      /^(rollout_corr_|mismatch_)(kl|k3_kl)$/,
      /^vllm_kl$/,
    ],
    log: {
      verl: 'actor_rollout_ref.rollout.calculate_log_probs=True logs training/rollout_probs_diff_mean',
      trl: 'GRPOConfig(use_vllm=True) logs sampling/sampling_logp_difference/mean',
      openrlhf: '--enable_vllm_is_correction logs vllm_kl',
      any: 'log the mean difference between the log-probabilities of sampler and trainer',
    },
  },
  repetition: {
    title: 'share of repeated text',
    names: [
      /^(rollout_|response_)?(repetition|repeat|repeated|repetitive|ngram_repetition|duplicate)(_frac|_ratio|_rate|_score|_mean|_answers)?$/,
    ],
    share: true,
    log: { any: 'log the share of a response’s n-grams that repeat an earlier one' },
  },
  clip_fraction: {
    title: 'clip fraction',
    names: [
      /^policy_clip_fraction$/,
      /^actor_pg_clipfrac$/,
      /^clip_ratio(_region_mean)?$/,
      /^clip_fraction$/,
      /^losses_clipfrac$/,
      /^ppo_clip_ratio$/,
      /^policy_clipfrac_avg$/,
    ],
    share: true,
    log: { any: 'log the share of tokens beyond the clip bounds' },
  },
  schedule: {
    title: 'curriculum level',
    names: [
      /^(.*_)?(curriculum|difficulty)(_(level|stage|step|difficulty|index|mean))?$/,
      /^(task_)?(stage|level)_?(index|id)?$/,
    ],
    log: { any: 'log the current curriculum level' },
  },
  unique_prompts: {
    title: 'number of different prompts',
    names: [
      /^(.*_)?(unique|distinct|different|num_unique)_(prompts?|tasks?|questions?)(_count|_seen)?$/,
      /^num_(train_)?prompts$/,
    ],
    log: { any: 'log the number of different prompts seen so far' },
  },
  explained_variance: {
    title: 'explained variance',
    names: [
      /^value_explained_variance$/,
      /^critic_vf_explained_var$/,
      /^explained_variance$/,
      /^losses_explained_variance$/,
      /^(learners|info_learner)_default_policy_(learner_stats_)?vf_explained_var$/,
    ],
    log: {},
  },
} satisfies Readonly<Record<string, QuantityTraits>>;

export type Quantity = keyof typeof quantityTraits;
export const quantities: Readonly<Record<Quantity, QuantityTraits>> = quantityTraits;
export const quantityNames = Object.keys(quantityTraits) as readonly Quantity[];

/**
 * Maps quantities to the names of their series in a log. A quantity's patterns are tried in order,
 * and the first series that matches one is taken.
 */
export function quantitiesIn(keys: readonly string[]): ReadonlyMap<Quantity, string> {
  const plain = keys.map((key) => [key, plainName(key)] as const);
  const found = new Map<Quantity, string>();
  const taken = new Set<string>();
  for (const quantity of quantityNames) {
    for (const pattern of quantities[quantity].names) {
      const match = plain.find(([key, name]) => !taken.has(key) && pattern.test(name));
      if (match === undefined) continue;
      found.set(quantity, match[0]);
      taken.add(match[0]);
      break;
    }
  }
  if (!found.has('score') && !found.has('success')) {
    const score = scoreLike(plain.filter(([key]) => !taken.has(key)));
    if (score !== null) found.set('score', score);
  }
  return found;
}

/** Words that mark a name as a score, most typical first. */
const SCORE_WORDS = [
  'reward',
  'rewards',
  'return',
  'returns',
  'score',
  'scores',
  'rew',
  'accuracy',
  'success',
  'r',
];
/** Words that mark a name as another number, even if it contains one of the above. */
const OTHER_WORDS =
  /(^|_)(std|var|variance|min|max|median|low|high|p\d+|q\d+|hist|loss|losses|baseline|adv|advantage|advantages|penalty|kl|entropy|format|length|len|tokens|target|norm|normalized|scale|coef|weight|lr|time|rate_limit|eval|evaluation|val|valid|validation|test|heldout|held_out|intrinsic|curiosity|shaping|value|values|explained|count|num|total_num|zero|threshold|ema_decay|parse|error|failure)(_|$)/;
const MEAN_WORDS =
  /(^|_)(mean|avg|average|total|sum|episode|ep|episodic|env|train|smoothed|running)(_|$)/;

/**
 * The series whose name contains reward, return or score, if no known name matches. If there are
 * several, means and short names are preferred; null if there is none.
 */
function scoreLike(plain: readonly (readonly [key: string, name: string])[]): string | null {
  const ranked = plain
    .flatMap(([key, name]) => {
      if (OTHER_WORDS.test(name)) return [];
      const words = name.split('_');
      const place = SCORE_WORDS.findIndex((word) => words.includes(word));
      // A single letter counts only as the whole name.
      if (place === -1 || (SCORE_WORDS[place] === 'r' && words.length > 1)) return [];
      return [{ key, rank: 10 * words.length + place - (MEAN_WORDS.test(name) ? 15 : 0) }];
    })
    .sort((a, b) => a.rank - b.rank);
  return ranked[0]?.key ?? null;
}

/** How to log a quantity with a tool. */
export function howToLog(quantity: Quantity, tool: string): string | null {
  const { log } = quantities[quantity];
  const own = loggers.find((logger) => logger === tool);
  return (own === undefined ? undefined : log[own]) ?? log.any ?? null;
}
