/**
 * The metric registry: the meaning of each number, whether higher is better, how it is averaged and
 * its names in other tools. Charts, tooltips, logs and exports read it; no other keys are reported.
 *
 * Averages run over tokens or episodes as stated, over all updates of the iteration.
 */

import type { Config } from '../config/schema.ts';
import { levelNumbers } from './levels.ts';

/** Tools whose logs contain some of these metrics under other names. */
export type Tool = 'verl' | 'agentgym_rl' | 'bapo' | 'trl' | 'sb3' | 'cleanrl';

/** A tool's counterpart of a metric; a plain key means that the numbers are the same. */
interface Counterpart {
  readonly key: string;
  /** Multiply the tool's number by this to get the metric; 1 if absent. */
  readonly factor?: number;
  /** How the definitions differ; if present, the two must not be overlaid. */
  readonly differs?: string;
}

/** A chart whose only curve is this metric, in the details of some recipes. */
interface MetricChartTraits {
  /** Its stable name is `chart-` followed by this. */
  readonly id: string;
  /** Name of the curve. */
  readonly curve: string;
  /** One of the page's colors. */
  readonly color: string;
  readonly recipes: readonly Config['recipe'][];
}

/** One metric. */
export interface Metric {
  readonly key: string;
  /** Short name for a chart. */
  readonly title: string;
  /** Definition in one sentence that a student understands. */
  readonly meaning: string;
  /** Unit, or `''` for a share, a count or a plain number. */
  readonly unit: string;
  /** Whether higher is better; `none` if neither is. */
  readonly good: 'up' | 'down' | 'none';
  /** How values of tokens, episodes or updates are combined into one number. */
  readonly aggregation: string;
  /** Smallest and largest possible value; `null` if unbounded. */
  readonly range: readonly [min: number | null, max: number | null];
  /** Names in other tools; absent if none logs it. */
  readonly elsewhere?: Readonly<Partial<Record<Tool, string | Counterpart>>>;
  /** Its own chart; charts with several curves are in `src/ui/charts/charts.tsx`. */
  readonly chart?: MetricChartTraits;
}

/** Fields of a metric that is a share: no unit, values in [0, 1]. */
function share(good: Metric['good'], aggregation: string) {
  return { unit: '', good, aggregation, range: [0, 1] } as const;
}

/** Fields of a metric that is never negative and has no upper bound. */
function nonNegative(unit: string, good: Metric['good'], aggregation: string) {
  return { unit, good, aggregation, range: [0, null] } as const;
}

const registry = [
  {
    key: 'iteration',
    title: 'Iteration',
    meaning: 'One round of rollouts and the updates made from them, counted from 1.',
    unit: '',
    good: 'none',
    aggregation: 'count',
    range: [1, null],
    elsewhere: { verl: 'training/global_step' },
  },
  {
    key: 'imitation/loss',
    title: 'Imitation loss',
    meaning:
      'Mean negative log-probability of the expert’s tokens in the last imitation epoch before this iteration.',
    ...nonNegative('nats', 'down', 'mean over tokens of an epoch'),
    elsewhere: {
      trl: {
        key: 'loss',
        differs: 'the loss of the trainer in use; for SFT it is this metric',
      },
    },
  },
  {
    key: 'imitation/success_rate',
    title: 'Success after imitation',
    meaning:
      'Share of the evaluation tasks that the greedy policy solves after imitation, before it learns from its own episodes; the tasks are the same as for eval/success_rate (evaluation.tasks).',
    ...share('up', 'mean over evaluation episodes'),
  },
  {
    key: 'preference/loss',
    title: 'Preference loss',
    meaning: 'Mean loss of direct preference optimization in its last epoch; ln 2 before training.',
    ...nonNegative('nats', 'down', 'mean over pairs of an epoch'),
    elsewhere: {
      trl: {
        key: 'loss',
        differs: 'the loss of the trainer in use; for DPO it is this metric',
      },
    },
  },
  {
    key: 'evolution/round',
    title: 'Round',
    meaning: 'The round of exploration and learning (AgentEvol), counted from 1.',
    unit: '',
    good: 'none',
    aggregation: 'count',
    range: [1, null],
  },
  {
    key: 'evolution/explored',
    title: 'Explored',
    meaning: 'Episodes that the agent has played in this round so far.',
    ...nonNegative('episodes', 'none', 'count over the round'),
  },
  {
    key: 'evolution/kept',
    title: 'Kept',
    meaning:
      'Episodes of this round so far that are used for training because their reward gives them a weight; the others are discarded.',
    ...nonNegative('episodes', 'up', 'count over the round'),
  },
  {
    key: 'evolution/kept_share',
    title: 'Share kept',
    meaning: 'Share of the explored episodes of this round that are used for training.',
    ...share('up', 'over the episodes of the round so far'),
  },
  {
    key: 'evolution/shift',
    title: 'Reward shift',
    meaning:
      'Amount added to the rewards so that none is negative; in a mixture, the largest of all environments. Only present if evolution.negative is shift and a reward was negative.',
    ...nonNegative('', 'none', 'largest over environments'),
  },
  {
    key: 'evolution/loss',
    title: 'Round loss',
    meaning:
      'Loss at the end of a round: the negative log-probability of each token times its episode’s weight, averaged over the last epoch; for preference pairs, the mean DPO loss. Absent if a round kept no data.',
    ...nonNegative('nats', 'down', 'mean over the last epoch'),
  },
  {
    key: 'critique/imitation_loss',
    title: 'Critic’s imitation loss',
    meaning:
      'Mean negative log-probability of the annotator’s tokens in the critic’s last epoch, before any reward.',
    ...nonNegative('nats', 'down', 'mean over tokens of an epoch'),
  },
  {
    key: 'critique/stage',
    title: 'Stage',
    meaning:
      'What the critic is rewarded for (Critique-RL): 1, its verdicts; 2, the actor’s refinements after its critiques.',
    unit: '',
    good: 'none',
    aggregation: 'current value',
    range: [1, 2],
  },
  {
    key: 'critique/accuracy',
    title: 'Accuracy',
    meaning:
      'Acc: share of the evaluation tasks whose greedy answer is correct, before any critique.',
    ...share('up', 'mean over evaluation tasks'),
  },
  {
    key: 'critique/refined_accuracy',
    title: 'Refined accuracy',
    meaning:
      'Acc@Refine: share of the evaluation tasks whose answer is correct after one greedy critique and one greedy refinement.',
    ...share('up', 'mean over evaluation tasks'),
  },
  {
    key: 'critique/delta',
    title: 'Gain from refinement',
    meaning: 'Δ: refined accuracy minus accuracy, that is, fixed answers minus broken ones.',
    unit: '',
    good: 'up',
    aggregation: 'mean over evaluation tasks',
    range: [-1, 1],
  },
  {
    key: 'critique/correct_to_incorrect',
    title: 'Broken',
    meaning:
      'Δc→i: correct answers that became wrong through refinement, as a share of all answers.',
    ...share('down', 'mean over evaluation tasks'),
  },
  {
    key: 'critique/correct_to_incorrect_of_right',
    title: 'Broken, among correct answers',
    meaning:
      'Correct answers that became wrong through refinement, as a share of the correct answers.',
    ...share('down', 'mean over evaluation tasks answered correctly'),
  },
  {
    key: 'critique/incorrect_to_correct',
    title: 'Corrected',
    meaning:
      'Δi→c: wrong answers that became correct through refinement, as a share of all answers.',
    ...share('up', 'mean over evaluation tasks'),
  },
  {
    key: 'critique/helpfulness',
    title: 'Helpfulness',
    meaning:
      'Wrong answers that became correct through refinement, as a share of the wrong answers.',
    ...share('up', 'mean over evaluation tasks answered incorrectly'),
  },
  {
    key: 'critique/discrimination',
    title: 'Discrimination',
    meaning:
      'Acc@Dis: share of the critiques whose verdict on the answer is correct. A malformed critique counts as a wrong verdict. A constant verdict scores the larger of accuracy and one minus accuracy.',
    ...share('up', 'mean over evaluation tasks'),
  },
  {
    key: 'critique/discrimination_right',
    title: 'Discrimination, correct answers',
    meaning:
      'Share of correct answers that their critique calls correct; the rest are false alarms.',
    ...share('up', 'mean over evaluation tasks answered correctly'),
  },
  {
    key: 'critique/discrimination_wrong',
    title: 'Discrimination, wrong answers',
    meaning: 'Share of wrong answers that their critique calls wrong; the rest are misses.',
    ...share('up', 'mean over evaluation tasks answered incorrectly'),
  },
  {
    key: 'critique/advised_accuracy',
    title: 'Refined with the annotator',
    meaning:
      'Share of the evaluation tasks whose answer is correct after a critique by the annotator instead of the critic, and one greedy refinement: the actor’s accuracy with correct advice.',
    ...share('none', 'mean over evaluation tasks'),
  },
  {
    key: 'critique/retried_accuracy',
    title: 'Retried',
    meaning:
      'Accuracy on the evaluation tasks if every answer that the critic calls wrong is sampled again without its advice. This measures the benefit of the verdict alone.',
    ...share('none', 'mean over evaluation tasks'),
  },
  {
    key: 'critique/malformed',
    title: 'Malformed critiques',
    meaning:
      'Share of the critiques that cannot be parsed, because they do not have exactly one verdict in the required place.',
    ...share('down', 'mean over evaluation tasks'),
  },
  {
    key: 'self_improvement/learned',
    title: 'Correct answers learned',
    meaning: 'Correct answers of this round that the actor learns from, including refined ones.',
    ...nonNegative('answers', 'up', 'count over the round'),
  },
  {
    key: 'self_improvement/refined',
    title: 'Refined answers learned',
    meaning: 'Correct answers of this round that were wrong before critique and refinement.',
    ...nonNegative('answers', 'up', 'count over the round'),
  },
  {
    key: 'self_improvement/tokens',
    title: 'Tokens of the round',
    meaning: 'Tokens that were generated in the round: answers, critiques and refinements.',
    ...nonNegative('tokens', 'none', 'sum over the round'),
  },
  {
    key: 'self_improvement/loss',
    title: 'Round loss',
    meaning: 'Mean negative log-probability of what the round learned, in its last epoch.',
    ...nonNegative('nats', 'down', 'mean over tokens of an epoch'),
  },
  ...levelNumbers.map(
    (level) =>
      ({
        key: `self_improvement/share_level_${level}`,
        title: `Share of level ${level}`,
        meaning: `Share of level ${level} among the correct answers of this round. Tail narrowing: hard levels become rarer from round to round.`,
        ...share('none', 'over the correct answers of the round'),
      }) as const,
  ),
  ...levelNumbers.map(
    (level) =>
      ({
        key: `self_improvement/success_level_${level}`,
        title: `Success on level ${level}`,
        meaning: `Share of the evaluation tasks of level ${level} whose greedy answer is correct, before any critique.`,
        ...share('up', 'mean over evaluation tasks of the level'),
      }) as const,
  ),
  ...levelNumbers.map(
    (level) =>
      ({
        key: `self_improvement/refined_level_${level}`,
        title: `With the critic on level ${level}`,
        meaning: `Share of the evaluation tasks of level ${level} whose answer is correct after one greedy critique and one greedy refinement.`,
        ...share('up', 'mean over evaluation tasks of the level'),
      }) as const,
  ),
  {
    key: 'rollout/success_rate',
    title: 'Success rate',
    meaning:
      'Share of training episodes that meet the success predicate; in Critique-RL, of critiques with a correct verdict.',
    ...share('up', 'mean over episodes'),
    elsewhere: { sb3: 'rollout/success_rate' },
  },
  {
    key: 'rollout/score',
    title: 'Score',
    meaning: 'Mean reward of the training episodes, as the environment defines it.',
    unit: '',
    good: 'up',
    aggregation: 'mean over episodes',
    range: [null, null],
    elsewhere: {
      verl: 'critic/score/mean',
      trl: 'reward',
      sb3: 'rollout/ep_rew_mean',
      cleanrl: 'charts/episodic_return',
    },
  },
  {
    key: 'rollout/turns',
    title: 'Turns',
    meaning: 'Mean number of turns in a training episode.',
    ...nonNegative('turns', 'none', 'mean over episodes'),
    elsewhere: {
      agentgym_rl: 'critic/task_round/mean',
      verl: { key: 'num_turns/mean', differs: 'counts messages, including the user’s' },
    },
  },
  {
    key: 'rollout/horizon',
    title: 'Horizon',
    meaning: 'Maximum number of turns of a training episode in this iteration.',
    unit: 'turns',
    good: 'none',
    aggregation: 'current value',
    range: [1, null],
    elsewhere: {
      agentgym_rl: {
        key: 'max_rounds',
        differs: 'a setting, which is not logged; infer it from the longest episode',
      },
    },
  },
  {
    key: 'rollout/truncated',
    title: 'Truncated',
    meaning: 'Share of training episodes that the horizon truncated.',
    ...share('down', 'mean over episodes'),
  },
  {
    key: 'rollout/understood',
    title: 'Understood',
    meaning: 'Share of turns whose text is an action that the environment can parse.',
    ...share('up', 'mean over turns'),
  },
  {
    key: 'rollout/answer_tokens',
    title: 'Tokens per answer',
    meaning: 'Mean number of tokens that the agent generated in a turn, including the end token.',
    ...nonNegative('tokens', 'none', 'mean over turns'),
    elsewhere: {
      verl: {
        key: 'response_length/mean',
        differs: 'the tokens of a whole episode, including those of the environment',
      },
      trl: {
        key: 'completions/mean_length',
        differs: 'the tokens of a whole answer; the same if an episode is one turn',
      },
    },
  },
  {
    key: 'rollout/group_zero_std',
    title: 'Groups without signal',
    meaning:
      'Share of groups whose episodes all got the same reward, so that none is better than another.',
    ...share('down', 'mean over groups'),
    elsewhere: { trl: 'frac_reward_zero_std' },
  },
  {
    key: 'rollout/group_same_start',
    title: 'Groups with the same start',
    meaning:
      'Share of groups whose episodes all begin with the same observation. Below 1, episodes of different tasks are compared with each other.',
    ...share('up', 'mean over groups'),
  },
  {
    key: 'rollout/diversity',
    title: 'Episode diversity',
    meaning:
      'Distinct action sequences among a task’s episodes, as a share of these episodes. With n episodes per task, 1 means that all differ and 1/n that all are alike.',
    ...share('none', 'mean over tasks'),
  },
  {
    key: 'rollout/faults',
    title: 'Environment faults',
    meaning:
      'How often a remote environment failed. The episodes were played again, and the failed attempts were not used for training.',
    ...nonNegative('faults', 'down', 'sum over the iteration'),
  },
  {
    key: 'rollout/resampled',
    title: 'Resampled groups',
    meaning: 'Groups without signal that were replaced by other tasks (dynamic sampling).',
    ...nonNegative('groups', 'none', 'sum over the iteration'),
  },
  {
    key: 'rollout/paused',
    title: 'Paused episodes',
    meaning:
      'Episodes that reached the budget of a partial rollout and continue in the next iteration.',
    ...nonNegative('episodes', 'none', 'count'),
  },
  {
    key: 'rollout/replay_share',
    title: 'Replayed',
    meaning: 'Share of the trained episodes that came from the replay buffer.',
    ...share('none', 'mean over episodes'),
  },
  {
    key: 'policy/episodes',
    title: 'Episodes per update',
    meaning: 'Mean number of episodes per update, including replayed ones.',
    ...nonNegative('episodes', 'none', 'mean over updates'),
  },
  {
    key: 'policy/entropy',
    title: 'Entropy',
    meaning:
      'How uncertain the policy is: mean entropy of the next-token distribution over the generated tokens.',
    ...nonNegative('nats', 'none', 'mean over tokens of all updates'),
    elsewhere: {
      verl: 'actor/entropy',
      trl: 'entropy',
      cleanrl: 'losses/entropy',
      sb3: { key: 'train/entropy_loss', factor: -1 },
    },
  },
  {
    key: 'policy/loss',
    title: 'Loss',
    meaning: 'The objective that the optimizer minimizes, including the entropy bonus.',
    unit: '',
    good: 'none',
    aggregation: 'mean over updates',
    range: [null, null],
    elsewhere: {
      verl: { key: 'actor/pg_loss', differs: 'without the entropy bonus' },
      sb3: { key: 'train/policy_gradient_loss', differs: 'without the entropy bonus' },
    },
  },
  {
    key: 'policy/clip_fraction',
    title: 'Clip fraction',
    meaning: 'Share of tokens whose gradient was removed by clipping.',
    ...share('none', 'mean over tokens of all updates'),
    elsewhere: {
      verl: 'actor/pg_clipfrac',
      trl: 'clip_ratio/region_mean',
      cleanrl: { key: 'losses/clipfrac', differs: 'counts all tokens with |ratio − 1| > ε' },
      sb3: { key: 'train/clip_fraction', differs: 'counts all tokens with |ratio − 1| > ε' },
    },
  },
  {
    key: 'policy/clip_fraction_low',
    title: 'Clipped below',
    meaning:
      'Share of all tokens that have a negative advantage and a ratio below the lower bound.',
    ...share('none', 'mean over tokens of all updates'),
    elsewhere: { trl: 'clip_ratio/low_mean' },
  },
  {
    key: 'policy/clip_fraction_high',
    title: 'Clipped above',
    meaning:
      'Share of all tokens that have a positive advantage and a ratio above the upper bound.',
    ...share('none', 'mean over tokens of all updates'),
    elsewhere: { trl: 'clip_ratio/high_mean' },
  },
  {
    key: 'policy/clip_fraction_dual',
    title: 'Dual clipped',
    meaning:
      'Share of all tokens that have a negative advantage and a ratio above the dual-clip bound.',
    ...share('none', 'mean over tokens of all updates'),
    elsewhere: { verl: 'actor/pg_clipfrac_lower' },
  },
  {
    key: 'policy/first_clip_fraction',
    title: 'Clip fraction of the first update',
    meaning:
      'Share of tokens whose gradient was removed by clipping in the first update of an iteration, before any step: 0 if sampler and trainer assign the same probability to fresh tokens.',
    ...share('none', 'mean over the tokens of the first update'),
  },
  {
    key: 'policy/sampler_gap',
    title: 'Sampler’s gap',
    meaning:
      'Difference between a token’s probability in the sampler and in the trainer before any update. Only runs with a separate sampler have it.',
    ...share('down', 'mean over tokens of the absolute difference'),
    elsewhere: { verl: 'training/rollout_probs_diff_mean' },
  },
  {
    key: 'policy/sampler_kl',
    title: 'Sampler’s KL',
    meaning:
      'KL divergence of the sampler from the trainer before any update. Only runs with a separate sampler have it. The estimate in logs of other tools may be negative.',
    unit: 'nats',
    good: 'none',
    aggregation: 'mean over tokens',
    range: [null, null],
    elsewhere: { verl: 'rollout_corr/kl' },
  },
  {
    key: 'policy/sampler_ess',
    title: 'Effective sample size',
    meaning:
      'How many tokens an importance-weighted mean is worth, as a share of the sampler’s tokens, with the trainer’s probability over the sampler’s as weights: 1 if they agree. Only runs with a separate sampler have it.',
    ...share('up', 'over the tokens of the first update'),
    elsewhere: { verl: 'rollout_corr/rollout_is_eff_sample_size' },
  },
  {
    key: 'policy/sampler_ess_episodes',
    title: 'Effective sample size, episodes',
    meaning:
      'The same over episodes, whose weight is the product over their tokens. Falls much faster than that of tokens in long episodes.',
    ...share('up', 'over the episodes of the first update'),
  },
  {
    key: 'policy/clip_low',
    title: 'Lower bound',
    meaning: 'Current lower clip bound, as a ratio.',
    ...share('none', 'mean over updates'),
    elsewhere: { bapo: 'actor/bapo_clip_low' },
  },
  {
    key: 'policy/clip_high',
    title: 'Upper bound',
    meaning: 'Current upper clip bound, as a ratio.',
    unit: '',
    good: 'none',
    aggregation: 'mean over updates',
    range: [1, null],
    elsewhere: { bapo: 'actor/bapo_clip_high' },
  },
  {
    key: 'policy/positive_share',
    title: 'Positive share',
    meaning:
      'How much of the surrogate comes from tokens with positive advantage, weighted by the probability with which they were generated.',
    ...share('none', 'mean over updates'),
    elsewhere: {
      bapo: {
        key: 'actor/bapo_pos_neg_ratio',
        differs: 'positive over negative: a share s is s/(1 − s) there',
      },
    },
  },
  {
    key: 'policy/approx_kl',
    title: 'KL to the behavior policy',
    meaning:
      'Mean distance during the updates from the policy that generated the tokens: (ratio − 1) − log ratio, before each update.',
    ...nonNegative('nats', 'none', 'mean over tokens of all updates'),
    elsewhere: {
      sb3: 'train/approx_kl',
      cleanrl: 'losses/approx_kl',
      verl: { key: 'actor/ppo_kl', differs: 'mean of −log ratio, which may be negative' },
    },
  },
  {
    key: 'policy/ref_kl',
    title: 'KL to the reference',
    meaning:
      'KL divergence from the reference policy, the policy when the penalty began, by the chosen estimator.',
    unit: 'nats',
    good: 'none',
    aggregation: 'mean over tokens of all updates',
    range: [null, null],
    elsewhere: { trl: 'kl', verl: 'actor/kl_loss', agentgym_rl: 'actor/kl_loss' },
  },
  {
    key: 'policy/grad_norm',
    title: 'Gradient norm',
    meaning: 'Global norm of the gradient before clipping.',
    ...nonNegative('', 'none', 'mean over updates'),
    elsewhere: { verl: 'actor/grad_norm', trl: 'grad_norm' },
    chart: {
      ...{ id: 'gradient', curve: 'Norm', color: 'ochre' },
      recipes: ['reinforcement', 'evolution', 'critique'],
    },
  },
  {
    key: 'policy/grad_norm_max',
    title: 'Largest gradient norm',
    meaning: 'The largest global norm among the updates of the iteration, before clipping.',
    ...nonNegative('', 'none', 'maximum over updates'),
  },
  {
    key: 'policy/skipped_updates',
    title: 'Skipped updates',
    meaning: 'Updates with a non-finite gradient, which did not change the weights.',
    ...nonNegative('updates', 'down', 'sum over the iteration'),
  },
  {
    key: 'policy/idle_updates',
    title: 'Idle updates',
    meaning:
      'Mini-batches without an optimizer step because every advantage in them is 0 and the loss has no other term. The weights and Adam’s moments stay unchanged. High values mean that the rewards of most groups are equal.',
    ...nonNegative('updates', 'down', 'sum over the iteration'),
  },
  {
    key: 'policy/learning_rate',
    title: 'Learning rate',
    meaning: 'The optimizer’s step size in the last update.',
    ...nonNegative('', 'none', 'last update'),
    elsewhere: { verl: 'actor/lr', trl: 'learning_rate' },
  },
  {
    key: 'policy/staleness',
    title: 'Staleness',
    meaning:
      'Mean number of policy versions between the one that generated a token and the one that is trained on it.',
    ...nonNegative('versions', 'none', 'mean over tokens of all updates'),
  },
  {
    key: 'policy/staleness_max',
    title: 'Oldest token',
    meaning:
      'Policy versions between the one that generated the oldest token and the one that was trained on it.',
    ...nonNegative('versions', 'none', 'maximum over tokens'),
  },
  {
    key: 'policy/advantage_max',
    title: 'Largest advantage',
    meaning: 'The largest absolute advantage of a token in the iteration’s fresh episodes.',
    ...nonNegative('', 'none', 'maximum over tokens'),
    elsewhere: {
      verl: {
        key: 'critic/advantages/max',
        differs: 'the maximum, which ignores negative advantages',
      },
    },
  },
  {
    key: 'value/mean',
    title: 'Value',
    meaning: 'Mean prediction of the value head before the update.',
    unit: '',
    good: 'none',
    aggregation: 'mean over the tokens of the iteration',
    range: [null, null],
    elsewhere: { verl: 'critic/values/mean' },
  },
  {
    key: 'value/return_mean',
    title: 'Return',
    meaning: 'Mean of the returns that the value head is trained to predict.',
    unit: '',
    good: 'none',
    aggregation: 'mean over the tokens of the iteration',
    range: [null, null],
    elsewhere: { verl: 'critic/returns/mean' },
  },
  {
    key: 'value/loss',
    title: 'Value loss',
    meaning: 'Half the squared error of the value head’s estimates, clipped.',
    ...nonNegative('', 'down', 'mean over tokens of all updates'),
    elsewhere: {
      verl: 'critic/vf_loss',
      cleanrl: 'losses/value_loss',
      sb3: { key: 'train/value_loss', factor: 0.5 },
    },
  },
  {
    key: 'value/explained_variance',
    title: 'Explained variance',
    meaning:
      'Share of the variance of the returns that the value head explained before the update; 1 is all, 0 none.',
    unit: '',
    good: 'up',
    aggregation: 'over the tokens of the iteration',
    range: [null, 1],
    elsewhere: {
      verl: 'critic/vf_explained_var',
      sb3: 'train/explained_variance',
      cleanrl: 'losses/explained_variance',
    },
  },
  {
    key: 'diagnostics/entropy_change',
    title: 'Entropy change',
    meaning:
      'Measured change in mean entropy over the tokens of one update, caused by that update.',
    unit: 'nats',
    good: 'none',
    aggregation: 'one update',
    range: [null, null],
  },
  {
    key: 'diagnostics/entropy_rule',
    title: 'Entropy-clip rule',
    meaning:
      'The rule’s prediction for the same update, up to a factor (the step size): minus the covariance of log-probability and advantage, with each advantage scaled by the objective’s gradient (clipped, weighted or masked).',
    unit: '',
    good: 'none',
    aggregation: 'one update',
    range: [null, null],
  },
  {
    key: 'diagnostics/grad_norm_positive',
    title: 'Gradient norm, positive',
    meaning: 'Norm of the gradient that tokens with positive advantage alone would give.',
    ...nonNegative('', 'none', 'one update'),
  },
  {
    key: 'diagnostics/grad_norm_negative',
    title: 'Gradient norm, negative',
    meaning: 'Norm of the gradient that tokens with negative advantage alone would give.',
    ...nonNegative('', 'none', 'one update'),
  },
  {
    key: 'eval/success_rate',
    title: 'Evaluation success',
    meaning: 'Share of evaluation tasks solved with greedy actions.',
    ...share('up', 'mean over episodes'),
  },
  {
    key: 'eval/score',
    title: 'Evaluation score',
    meaning: 'Mean reward on the evaluation tasks with greedy actions.',
    unit: '',
    good: 'up',
    aggregation: 'mean over episodes',
    range: [null, null],
    elsewhere: { sb3: 'eval/mean_reward' },
  },
  {
    key: 'progress/turns',
    title: 'Environment turns',
    meaning: 'Turns taken in training episodes since the run began.',
    ...nonNegative('turns', 'none', 'sum'),
    elsewhere: { sb3: 'time/total_timesteps' },
  },
  {
    key: 'progress/tokens',
    title: 'Agent tokens',
    meaning: 'Tokens the agent generated in training episodes since the run began.',
    ...nonNegative('tokens', 'none', 'sum'),
  },
  {
    key: 'time/turns_per_second',
    title: 'Turns per second',
    meaning: 'Training turns of this iteration over its wall-clock time, excluding evaluation.',
    ...nonNegative('turns/s', 'up', 'rate'),
    elsewhere: { sb3: 'time/fps', cleanrl: 'charts/SPS' },
  },
  {
    key: 'time/tokens_per_second',
    title: 'Tokens per second',
    meaning: 'Agent tokens of this iteration over its wall-clock time, excluding evaluation.',
    ...nonNegative('tokens/s', 'up', 'rate'),
  },
  {
    key: 'time/seconds',
    title: 'Time',
    meaning: 'Wall-clock time spent in iterations since the run began, excluding pauses.',
    ...nonNegative('s', 'none', 'sum'),
    elsewhere: { sb3: 'time/time_elapsed' },
  },
  {
    key: 'time/answer',
    title: 'Answer time',
    meaning:
      'Time until a remote environment answers a reset or an action. All episodes wait at once, so a turn of the iteration takes at least this long.',
    ...nonNegative('ms', 'down', 'mean over responses'),
  },
] as const satisfies readonly Metric[];

/** A key of the registry. */
export type MetricKey = (typeof registry)[number]['key'];

/** The metrics of one iteration; a key is absent if it was not measured. */
export type MetricRow = Partial<Record<MetricKey, number>>;

/** Every metric, in reporting order. */
export const metrics: readonly (Metric & { readonly key: MetricKey })[] = registry;

const byKey = new Map<string, Metric & { readonly key: MetricKey }>(
  metrics.map((metric) => [metric.key, metric]),
);

/** Whether a string is a key of the registry. */
export function isMetricKey(key: string): key is MetricKey {
  return byKey.has(key);
}

/** A tool's name for a metric; undefined if it logs nothing comparable. */
export function counterpart({ elsewhere }: Metric, tool: Tool): Counterpart | undefined {
  const found = elsewhere?.[tool];
  return typeof found === 'string' ? { key: found } : found;
}

/** The metric with this key. */
export function metric(key: MetricKey): Metric & { readonly key: MetricKey } {
  const found = byKey.get(key);
  if (found === undefined) throw new Error(`no metric is registered under ${key}`);
  return found;
}
