import { z } from 'zod';
import { advantageNames, estimators, estimatorsAgainst } from '../algorithms/advantages.ts';
import { indirectRewardNames, rewardForms } from '../algorithms/critique-rewards.ts';
import { klEstimators } from '../algorithms/kl-penalty.ts';
import { bapoOrders, bapoReadings } from '../algorithms/objective.ts';
import { objectives, objectivesThat, surrogateTraits } from '../algorithms/surrogates.ts';
import { adviceNames, answerSources } from '../envs/criticism.ts';
import { creatableIds, remoteFamilies } from '../envs/registry.ts';
import type { EnvironmentOptions } from '../envs/types.ts';
import { MOST_NEW_TOKENS } from '../policy/types.ts';
import { recipeNames, recipeTraits } from './recipes.ts';

/**
 * The experiment config. Types, defaults, bounds and tooltips come from this schema, and so do the
 * config panel, shareable links, the `--set` flag and all validation. Every object is strict: an
 * unknown key is an error.
 */

const seed = z.int().min(0).max(0xffffffff).default(1).meta({
  title: 'Seed',
  description:
    'Seeds the random streams for initial weights, tasks, sampling and shuffling. The same seed on the same device gives the same run.',
});

const recipe = z
  .enum(recipeNames)
  .default('reinforcement')
  .meta({
    title: 'Recipe',
    description: `What an iteration does. ${recipeNames
      .map((name) => `${name}: ${recipeTraits[name].about}.`)
      .join(' ')}`,
  });

const environmentId = z.enum([...creatableIds, ...remoteFamilies.map(({ id }) => id)]);
const environmentOptions = z.record(z.string(), z.union([z.number(), z.string()]));

const env = z
  .strictObject({
    id: environmentId.default('maze/double-t-v1').meta({
      title: 'Environment',
      description: 'Versioned id of the environment the agent acts in.',
    }),
    options: environmentOptions.default({}).meta({
      title: 'Environment options',
      description:
        'Options of the environment, such as the size of a generated maze; missing options keep their defaults.',
    }),
    mixture: z
      .array(
        z.strictObject({
          id: environmentId,
          options: environmentOptions.default({}),
          share: z.number().min(0.01).max(100).default(1),
          imitation_weight: z.number().min(0.01).max(100).default(1),
        }),
      )
      .max(32)
      .default([])
      .meta({
        title: 'Mixture',
        description:
          'Trains one agent in several environments, each with its options and its share of the tasks per iteration. imitation_weight multiplies that share among imitated dialogues. Empty: a single environment.',
      }),
  })
  .prefault({});

const agent = z
  .strictObject({
    format: z.enum(['bare', 'react']).default('bare').meta({
      title: 'Format',
      description:
        'bare: the agent writes only its action. react: a thought, then the action (arXiv:2210.03629); an agent with random weights needs imitation first, and more tokens per turn.',
    }),
    history_window: z.int().min(0).max(1000).default(1).meta({
      title: 'History window',
      unit: 'turns',
      description:
        'How many turns the policy reads, including the current one. 1: only the newest observation. 0: the whole episode.',
    }),
    keep_task: z.boolean().default(false).meta({
      title: 'Keep the task in view',
      description:
        'Always show the first observation, which states the task, even if the history window has moved past it.',
    }),
    context_length: z.int().min(16).max(8192).default(128).meta({
      title: 'Context length',
      unit: 'tokens',
      description:
        'Maximum number of tokens that the policy reads in one turn, including its own action. If the history is longer, whole turns are dropped, oldest first.',
    }),
    max_action_tokens: z.int().min(1).max(MOST_NEW_TOKENS).default(1).meta({
      title: 'Tokens per action',
      unit: 'tokens',
      description:
        'Maximum number of tokens that the agent generates in a turn, including its thought and the end token. 1 is enough if every action is one token; with byte pairs it takes several.',
    }),
    action_vocabulary: z.enum(['words', 'phrases']).default('words').meta({
      title: 'Action vocabulary',
      description:
        'words: an action is written word by word. phrases: every action of the expert is also one token, so that random play solves some tasks without imitation; then set the tokens per action to 1. Agents with byte pairs and pretrained models ignore it.',
    }),
    temperature: z.number().min(0.05).max(5).default(1).meta({
      title: 'Temperature',
      step: 0.05,
      description:
        'Softmax temperature of training rollouts, of the policy in the loss, and of sampled play in evaluation reports. Evaluations during training are greedy.',
    }),
  })
  .prefault({});

const policy = z
  .strictObject({
    layers: z.int().min(1).max(16).default(2).meta({
      title: 'Layers',
      description: 'Transformer blocks: attention and feed-forward, each with a residual path.',
    }),
    width: z.int().min(4).max(1024).multipleOf(4).default(32).meta({
      title: 'Width',
      step: 4,
      description: 'Width of the residual stream; a multiple of 4 and of the number of heads.',
    }),
    heads: z.int().min(1).max(32).default(2).meta({
      title: 'Query heads',
      description: 'Attention heads. Width divided by heads must be a multiple of 4.',
    }),
    kv_heads: z.int().min(1).max(32).default(2).meta({
      title: 'Key–value heads',
      description:
        'Number of key and value heads; must divide the number of query heads. A smaller number is grouped-query attention.',
    }),
    ffn_width: z.int().min(4).max(4096).multipleOf(4).default(96).meta({
      title: 'Feed-forward width',
      step: 4,
      description: 'Hidden width of the SwiGLU feed-forward layer; a multiple of 4.',
    }),
    tied_embeddings: z.boolean().default(false).meta({
      title: 'Tied embeddings',
      description: 'Use the token embedding, transposed, as the output projection.',
    }),
  })
  .prefault({});

const rollout = z
  .strictObject({
    tasks_per_iteration: z.int().min(1).max(1024).default(16).meta({
      title: 'Tasks per iteration',
      unit: 'tasks',
      description: 'Training tasks drawn per iteration.',
    }),
    group_size: z.int().min(1).max(256).default(8).meta({
      title: 'Group size',
      unit: 'episodes',
      description:
        'Episodes of each task. A group-relative advantage compares the episodes of one group and needs at least 2.',
    }),
    resampling_rounds: z.int().min(0).max(16).default(0).meta({
      title: 'Resampling rounds',
      zero: 'off',
      unit: 'rounds',
      description:
        'Dynamic sampling (DAPO, arXiv:2503.14476): groups whose episodes all got the same reward are dropped and replaced by groups for new tasks, at most this many times per iteration. 0 keeps such groups.',
    }),
    partial_turns: z.int().min(0).max(1000).default(0).meta({
      title: 'Partial rollout, turns',
      zero: 'off',
      unit: 'turns',
      description:
        'Maximum number of turns of an episode per iteration; a longer episode is paused and continued by a newer policy in the next iteration. 0 finishes every episode.',
    }),
    partial_tokens: z.int().min(0).max(100000).default(0).meta({
      title: 'Partial rollout, tokens',
      zero: 'no limit',
      unit: 'tokens',
      description:
        'Maximum number of tokens that the agent generates in an episode per iteration before it is paused. 0: no limit.',
    }),
  })
  .prefault({});

export const samplerPrecisions = [
  'float32',
  'bfloat16',
  'float16',
  'int8',
  'int4',
  'int3',
  'int2',
] as const;
export type SamplerPrecision = (typeof samplerPrecisions)[number];

const sampler = z
  .strictObject({
    precision: z.enum(samplerPrecisions).default('float32').meta({
      title: 'Sampler precision',
      description:
        'Precision of the weight matrices that generate rollouts, as if an inference engine played them. Updates, scores and greedy evaluations use float32. Integers have one scale per 32 weights.',
    }),
    lag: z.int().min(0).max(64).default(0).meta({
      title: 'Sampler lag',
      zero: 'current weights',
      unit: 'versions',
      description:
        'How many versions the weights that generate rollouts are behind the trainer’s, as in asynchronous training. A version is the weights of one iteration. 0: current weights.',
    }),
  })
  .prefault({});

const horizon = z
  .strictObject({
    schedule: z.enum(['fixed', 'scaling_inter']).default('fixed').meta({
      title: 'Horizon schedule',
      description:
        'fixed: every iteration allows the same number of turns. scaling_inter: the limit grows in phases (ScalingInter-RL, arXiv:2509.08755).',
    }),
    turns: z.int().min(1).max(1000).default(30).meta({
      title: 'Fixed horizon',
      unit: 'turns',
      description: 'Maximum number of turns of a training episode under the fixed schedule.',
    }),
    rounds: z.array(z.int().min(1).max(1000)).min(1).max(32).default([15, 30, 50]).meta({
      title: 'Horizon phases',
      unit: 'turns',
      description:
        'Maximum number of turns of a training episode in each phase of the scaling_inter schedule; must not decrease.',
    }),
    interval: z.int().min(1).max(100000).default(20).meta({
      title: 'Phase length',
      unit: 'iterations',
      description: 'Iterations in each phase of the scaling_inter schedule.',
    }),
  })
  .prefault({});

const replay = z
  .strictObject({
    share: z.number().min(0).max(0.95).default(0).meta({
      title: 'Replay share',
      step: 0.05,
      description:
        'Share of the training episodes that come from earlier iterations, if the buffer holds enough: with a capacity of c iterations at most c/(c + 1). 0 trains on fresh episodes only.',
    }),
    capacity: z.int().min(1).max(100000).default(8).meta({
      title: 'Replay capacity',
      unit: 'iterations',
      description: 'How many earlier iterations the buffer keeps.',
    }),
    max_age: z.int().min(1).max(1000000).default(1000).meta({
      title: 'Oldest version',
      unit: 'versions',
      description:
        'Episodes with a token that is more than this many policy versions old are not replayed.',
    }),
  })
  .prefault({});

export const importanceWeights = ['token', 'sequence', 'none'] as const;
export type ImportanceWeight = (typeof importanceWeights)[number];

const byToken = estimatorsAgainst('values', 'batch');
const byWholeEpisode = estimatorsAgainst('group', 'greedy', 'nothing');
const byEpisode = objectivesThat(({ bounds }) => bounds === 'episodes');
const byWeight = objectivesThat(({ bounds }) => bounds === 'weights');

const algorithm = z
  .strictObject({
    advantage: z
      .enum(advantageNames)
      .default('grpo')
      .meta({
        title: 'Advantage',
        description: advantageNames
          .map((name) => `${name}: ${estimators[name].summary}.`)
          .join(' '),
      }),
    gamma: z
      .number()
      .min(0)
      .max(1)
      .default(1)
      .meta({
        title: 'Discount',
        step: 0.01,
        description: `Discount factor per turn; tokens of the same turn are not discounted. Under ${byToken} rewards are discounted back to each token. Under ${byWholeEpisode} the return of the whole episode is discounted to its start, so shorter solutions are worth more.`,
      }),
    gae_lambda: z.number().min(0).max(1).default(1).meta({
      title: 'GAE lambda',
      step: 0.01,
      description:
        '0 uses one-step estimates, 1 full returns; for the gae advantage (arXiv:1506.02438).',
    }),
    objective: z
      .enum(objectives)
      .default('ppo_clip')
      .meta({
        title: 'Objective',
        description: objectives
          .map((name) => `${name}: ${surrogateTraits[name].summary}.`)
          .join(' '),
      }),
    clip_low: z
      .number()
      .min(0)
      .max(1)
      .default(0.8)
      .meta({
        title: 'Lower clip bound',
        step: 0.01,
        description: `As a ratio of new to old probability: below it, a token with negative advantage has no gradient. Under ${byEpisode} the episode’s ratio is used; under ${byWeight} the token keeps its gradient, weighted by this bound.`,
      }),
    clip_high: z
      .number()
      .min(1)
      .max(10)
      .default(1.2)
      .meta({
        title: 'Upper clip bound',
        step: 0.01,
        description: `As a ratio of new to old probability: above it, a token with positive advantage has no gradient. Under ${byEpisode} the episode’s ratio is used; under ${byWeight} the token keeps its gradient, weighted by this bound.`,
      }),
    dual_clip: z.number().min(0).max(100).default(0).meta({
      title: 'Dual clip',
      step: 0.5,
      description:
        'A token with negative advantage and a ratio above this has no gradient (arXiv:1912.09729); typically 3; 0 is off.',
    }),
    ratio_to: z.enum(['behaviour', 'proximal']).default('behaviour').meta({
      title: 'Ratio against',
      description:
        'behaviour: the policy that generated the token. proximal: the policy at the start of the iteration, with the rest of the ratio as a weight (decoupled PPO, arXiv:2110.00641).',
    }),
    importance_cap: z.number().min(0).max(100).default(0).meta({
      title: 'Importance cap',
      step: 0.5,
      description:
        'Truncated importance sampling: upper limit of the ratio of proximal to behavior probability, typically 2; 0: no limit.',
    }),
    importance_weight: z.enum(importanceWeights).default('token').meta({
      title: 'Importance weight',
      description:
        'The ratio that weights a token. token: its own. sequence: the product over all tokens of its episode, with less bias and more variance. none: 1, as if the proximal policy had generated it.',
    }),
    entropy_coef: z.number().min(0).max(1).default(0.01).meta({
      title: 'Entropy bonus',
      step: 0.001,
      description: 'Weight of entropy in the loss. Higher values keep the agent exploring.',
    }),
    kl_coef: z.number().min(0).max(10).default(0).meta({
      title: 'KL penalty',
      step: 0.001,
      description:
        'Weight of the KL divergence from the reference policy: the policy at the start of reinforcement learning, or when the penalty is turned on. 0 is off.',
    }),
    kl_estimator: z.enum(klEstimators).default('k3').meta({
      title: 'KL estimator',
      description:
        'With d the log-probability under the reference minus that under the policy: k1 is −d, k2 is d²/2, k3 is exp(d) − 1 − d. In the loss, k2 has the gradient of the reverse KL(policy ‖ reference) and k3 that of the forward KL(reference ‖ policy), for tokens of the current policy. Use k1 in the reward only: in the loss its expected gradient is zero.',
    }),
    kl_placement: z.enum(['loss', 'reward']).default('loss').meta({
      title: 'KL placement',
      description:
        'loss: a term of the loss. reward: subtracted from the reward of each token before advantages are estimated.',
    }),
    value_coef: z.number().min(0).max(10).default(0.5).meta({
      title: 'Value coefficient',
      step: 0.1,
      description: 'Weight of the value head’s loss; for the gae advantage.',
    }),
    value_clip: z.number().min(0).max(100).default(0.5).meta({
      title: 'Value clip',
      step: 0.1,
      description:
        'Clips the change of a value estimate within an iteration, as PPO clips the ratio; 0 is off.',
    }),
    loss_aggregation: z
      .enum(['token_mean', 'seq_mean_token_mean', 'seq_mean_token_sum_norm'])
      .default('token_mean')
      .meta({
        title: 'Loss aggregation',
        description:
          'token_mean: every token of a mini-batch has the same weight. seq_mean_token_mean: every episode has the same weight. seq_mean_token_sum_norm: the sum over an episode is divided by a constant, which removes the length bias (Dr. GRPO).',
      }),
    loss_normalizer: z.int().min(0).max(100000).default(0).meta({
      title: 'Loss normalizer',
      unit: 'tokens',
      zero: 'the maximum per episode',
      description:
        'The constant of seq_mean_token_sum_norm. 0 uses the largest possible number of tokens in an episode; see loss_length.',
    }),
    loss_length: z.enum(['phase', 'schedule']).default('phase').meta({
      title: 'Horizon for the normalizer',
      description:
        'Which horizon a loss normalizer of 0 uses. phase: that of the current iteration, which grows with the horizon schedule. schedule: the longest of the schedule, a constant as in the Dr. GRPO paper.',
    }),
    overlong_share: z.number().min(0).max(1).default(0).meta({
      title: 'Overlong share',
      zero: 'off',
      step: 0.05,
      description:
        'Soft overlong punishment (DAPO, arXiv:2503.14476): an episode that ends in this last share of its horizon gets a penalty, which rises from 0 to 1 at the horizon. Metrics do not include it. 0 is off.',
    }),
    epochs: z.int().min(1).max(64).default(2).meta({
      title: 'Epochs',
      description: 'Passes over the rollouts, and over replayed episodes, in each iteration.',
    }),
    mini_batches: z.int().min(1).max(256).default(2).meta({
      title: 'Mini-batches',
      description:
        'Optimizer steps per epoch, over shuffled episodes. Fewer if partial rollouts or resampling leave fewer episodes.',
    }),
    micro_batch_tokens: z.int().min(64).max(1048576).default(8192).meta({
      title: 'Micro-batch',
      unit: 'tokens',
      description:
        'Maximum number of tokens in one forward and backward pass. It affects memory use, not results.',
    }),
  })
  .prefault({});

const bapo = z
  .strictObject({
    reading: z.enum(bapoReadings).default('value_share').meta({
      title: 'Contribution',
      description:
        'How the contribution of positive tokens is measured. value_share: their share of the surrogate’s absolute value, weighted by the behavior probability (the paper). pn_ratio: positive over negative, unweighted (the code). active_gradient_share: as value_share, over tokens whose gradient is not clipped.',
    }),
    order: z.enum(bapoOrders).default('high_first').meta({
      title: 'Search order',
      description: 'Which bound moves first: the upper (the paper) or the lower (the code).',
    }),
    target: z.number().min(0).max(10).default(0.4).meta({
      title: 'Target',
      step: 0.05,
      description:
        'Bounds widen until positive tokens contribute this much. With value_share and active_gradient_share: a share from 0 to 1 (0.4 in the paper). With pn_ratio: the ratio of positive to negative contributions; a share s equals a ratio of s/(1 − s) (0.5 and 1 in the authors’ code).',
    }),
    low_min: z.number().min(0).max(1).default(0.6).meta({
      title: 'Initial lower bound',
      step: 0.01,
      description: 'Where the lower bound starts in every update.',
    }),
    low_max: z.number().min(0).max(1).default(0.9).meta({
      title: 'Maximum lower bound',
      step: 0.01,
      description: 'Largest value that the lower bound can reach in an update.',
    }),
    low_step: z.number().min(0.001).max(1).default(0.02).meta({
      title: 'Lower step',
      step: 0.01,
      description: 'Step size of the lower bound.',
    }),
    high_min: z.number().min(1).max(10).default(1.2).meta({
      title: 'Initial upper bound',
      step: 0.05,
      description: 'Where the upper bound starts in every update.',
    }),
    high_max: z.number().min(1).max(10).default(3).meta({
      title: 'Maximum upper bound',
      step: 0.05,
      description: 'Largest value that the upper bound can reach in an update.',
    }),
    high_step: z.number().min(0.001).max(1).default(0.05).meta({
      title: 'Upper step',
      step: 0.01,
      description: 'Step size of the upper bound.',
    }),
  })
  .prefault({});

const covariance = z
  .strictObject({
    fraction: z.number().min(0).max(1).default(0.002).meta({
      title: 'Share of tokens',
      step: 0.001,
      description:
        'Share of the tokens of an update that Clip-Cov detaches (fewer if fewer qualify) or that KL-Cov penalizes; at least one token.',
    }),
    low: z.number().min(-100).max(100).default(1).meta({
      title: 'Covariance from',
      step: 0.1,
      description:
        'Clip-Cov draws from unclipped tokens whose covariance of log-probability and advantage is above this.',
    }),
    high: z.number().min(-100).max(1000).default(5).meta({
      title: 'Covariance to',
      step: 0.1,
      description: 'Clip-Cov draws from tokens whose covariance is below this.',
    }),
    kl_coef: z.number().min(0).max(100).default(1).meta({
      title: 'KL-Cov coefficient',
      step: 0.1,
      description: 'KL penalty on the tokens that KL-Cov selects.',
    }),
  })
  .prefault({});

const imitation = z
  .strictObject({
    epochs: z.int().min(0).max(10000).default(0).meta({
      title: 'Imitation epochs',
      description:
        'Passes over expert dialogues before reinforcement learning; 0 starts from random weights.',
    }),
    task_share: z.number().min(0.001).max(1).default(1).meta({
      title: 'Share of tasks',
      step: 0.05,
      description: 'Share of the training tasks with an expert dialogue.',
    }),
    most_tasks: z.int().min(1).max(100000).default(256).meta({
      title: 'Maximum tasks',
      unit: 'tasks',
      description: 'Maximum number of tasks with an expert dialogue.',
    }),
    learning_rate: z.number().min(0).max(1).default(0).meta({
      title: 'Imitation learning rate',
      step: 0.0001,
      description:
        'AdamW learning rate during imitation; 0 uses that of the optimizer. Imitation tolerates larger steps than reinforcement learning.',
    }),
    final_share: z.number().min(0).max(1).default(1).meta({
      title: 'Imitation final share',
      step: 0.05,
      description:
        'The learning rate decays linearly to this share of its initial value at the last update of imitation; 1 keeps it constant.',
    }),
    weight_decay: z.number().min(0).max(10).default(0).meta({
      title: 'Imitation weight decay',
      step: 0.1,
      description:
        'Decoupled weight decay during imitation. High values keep the agent from memorizing a few dialogues.',
    }),
    restart_optimizer: z.boolean().default(false).meta({
      title: 'Restart the optimizer',
      description:
        'Reset the AdamW moments between imitation and reinforcement learning. The old ones would make the first steps far too large.',
    }),
    batch_episodes: z.int().min(1).max(4096).default(32).meta({
      title: 'Imitation batch',
      unit: 'episodes',
      description: 'Expert dialogues in one update.',
    }),
  })
  .prefault({});

const evolution = z
  .strictObject({
    tasks: z.int().min(0).max(100000).default(256).meta({
      title: 'Tasks per round',
      unit: 'tasks',
      zero: 'none: imitation alone',
      description: 'Training tasks that the agent explores in each round. 0: imitation only.',
    }),
    task_set: z.enum(['wider', 'same']).default('wider').meta({
      title: 'Tasks explored',
      description:
        'wider: any training task, in a mixture drawn by environment share. same: only tasks whose expert dialogues were imitated.',
    }),
    iterations: z.int().min(1).max(1000).default(1).meta({
      title: 'Iterations per round',
      description:
        'The exploration of a round is spread over this many iterations; the last one also trains. A run can be saved between iterations.',
    }),
    samples: z.int().min(1).max(256).default(1).meta({
      title: 'Tries per task (K)',
      unit: 'episodes',
      description: 'Episodes per explored task.',
    }),
    temperature: z.number().min(0).max(5).default(1).meta({
      title: 'Exploration temperature',
      step: 0.05,
      zero: 'greedy',
      description:
        'Softmax temperature of exploration. 0 is greedy and allows only one try per task.',
    }),
    learn: z.enum(['likelihood', 'pairs']).default('likelihood').meta({
      title: 'Learn by',
      description:
        'likelihood: raise the log-probability of rewarded episodes, together with the expert’s dialogues. pairs: direct preference optimization (arXiv:2305.18290) of a success over a failure on the same task, starting from the agent that played them, which is also the reference policy.',
    }),
    start: z.enum(['base', 'previous']).default('base').meta({
      title: 'Starting weights',
      description:
        'base: every round starts from the initial weights, before imitation, as in the authors’ code. previous: from the agent that explored.',
    }),
    merge: z.enum(['base', 'previous', 'all']).default('base').meta({
      title: 'Merge with',
      description:
        'Data mixed with the episodes of a round. base: expert dialogues (the paper). previous: the data of the previous round; in the first round, expert dialogues. all: expert dialogues and the data of all earlier rounds (the authors’ code).',
    }),
    weights: z.enum(['raw', 'normalised', 'threshold']).default('raw').meta({
      title: 'Weights',
      description:
        'Weight of an explored episode in the loss. raw: its reward. normalised: its share of the rewards of all tries of the task, which is the exact posterior. threshold: 1 above a threshold, else 0. Expert dialogues have weight 1; episodes with weight 0 are dropped.',
    }),
    threshold: z.number().min(-1000).max(1000).default(0.99).meta({
      title: 'Reward threshold',
      step: 0.01,
      description: 'An episode whose reward is above this is kept.',
    }),
    negative: z.enum(['refuse', 'shift']).default('refuse').meta({
      title: 'Negative rewards',
      description:
        'Rewards act as probabilities and cannot be negative. refuse: a negative reward stops the run. shift: raises all rewards of the environment in the round so that the lowest is 0.',
    }),
    successes: z.enum(['all', 'one']).default('all').meta({
      title: 'Kept per task',
      description:
        'all: every rewarded try of a task (the paper). one: the first of them in a round (the authors’ code).',
    }),
    epochs: z.int().min(1).max(10000).default(1).meta({
      title: 'Epochs per round',
      description:
        'Passes over the data of a round. Batch size, learning rate and weight decay are taken from the imitation settings; for pairs, from the preference and optimizer settings.',
    }),
  })
  .prefault({});

const critique = z
  .strictObject({
    agents: z.enum(['two', 'one']).default('two').meta({
      title: 'Agents',
      description:
        'two: an actor, and a critic that starts from its weights and is trained separately. one: a single agent answers, critiques itself and refines (self-correction); it learns to critique only by supervision.',
    }),
    debates: z.int().min(0).max(100000).default(0).meta({
      title: 'Debate dialogues',
      unit: 'dialogues',
      zero: 'none',
      description:
        'Supervised dialogues in which the actor revises its answer after reading one or two other answers, half of them wrong. Without them it never sees a debate.',
    }),
    refinements: z.int().min(0).max(100000).default(2400).meta({
      title: 'Refinement dialogues',
      unit: 'dialogues',
      description:
        'Supervised refinements for the actor: a question, an answer, a critique and the corrected answer.',
    }),
    refinement_epochs: z.int().min(0).max(10000).default(4).meta({
      title: 'Refinement epochs',
      description:
        'Passes over refinements and expert answers together, after imitation of the answers alone. Batch size, learning rate and weight decay are taken from the imitation settings.',
    }),
    right_originals: z.number().min(0).max(1).default(0.25).meta({
      title: 'Share of correct first answers',
      step: 0.05,
      description:
        'Share of the refinement dialogues whose first answer is correct and stays unchanged. Without them the actor changes every answer.',
    }),
    arbitrary_advice: z.number().min(0).max(1).default(0.5).meta({
      title: 'Arbitrary advice',
      step: 0.05,
      description:
        'Share of the refinement dialogues with random values in the copied steps and in the advice. Otherwise an actor that can compute the values would not read the critique. Dialogues about withheld knowledge always have them.',
    }),
    advice: z.enum(adviceNames).default('value').meta({
      title: 'Advice',
      description:
        'What a critique says about the first wrong step. verdict: only that the answer is wrong. place: which step. type: also the kind of error. value: also the correct value.',
    }),
    critiques: z.int().min(0).max(100000).default(5000).meta({
      title: 'Critique dialogues',
      unit: 'dialogues',
      description:
        'The annotator’s critiques of the actor’s answers to training tasks, for supervised training of the critic.',
    }),
    critique_epochs: z.int().min(0).max(10000).default(4).meta({
      title: 'Critique epochs',
      description:
        'Passes over the supervised critiques, starting from the weights of the actor. Batch size, learning rate and weight decay are taken from the imitation settings. Few epochs leave more to learn from reward.',
    }),
    enough_discrimination: z.number().min(0).max(1).default(0).meta({
      title: 'Stop supervision at discrimination',
      step: 0.05,
      zero: 'all epochs',
      description:
        'Stops supervision of the critic when its verdicts on greedy answers reach this balanced accuracy, measured every 5 updates. A perfect critic has nothing to learn from reward.',
    }),
    right_answers: z.number().min(0).max(1).default(0.5).meta({
      title: 'Share of correct answers',
      step: 0.05,
      description:
        'Share of correct answers among those that are critiqued, if the actor gives enough of both kinds. A critic that sees mostly one kind learns to give the same verdict every time.',
    }),
    sources: z
      .enum([...answerSources, 'all'])
      .default('sampled')
      .meta({
        title: 'Answers critiqued',
        description:
          'Where the critiqued answers come from. sampled: the actor samples them. hot: greedy up to a step, then sampled at a higher temperature. inserted: a correct start, an inserted error of a known type, then the actor continues. all: equal parts of each.',
      }),
    hot_temperature: z.number().min(0.05).max(5).default(1.5).meta({
      title: 'Hot temperature',
      step: 0.05,
      description: 'Softmax temperature of the sampled part of a hot answer.',
    }),
    worlds: z.enum(['all', 'first']).default('all').meta({
      title: 'Environments critiqued',
      description:
        'In a mixture: whether the critic is trained on answers of all environments or only of the first. The actor learns all of them, so evaluation shows how the critic generalizes.',
    }),
    most_level: z.int().min(0).max(7).default(0).meta({
      title: 'Highest level critiqued',
      zero: 'all',
      description: 'The critic is trained on tasks up to this level; the actor on all levels.',
    }),
    annotator_error: z.number().min(0).max(1).default(0).meta({
      title: 'Annotator’s error rate',
      step: 0.05,
      zero: 'always correct',
      description:
        'Share of the critique dialogues in which the annotator is wrong: it misses an error, blames another step, advises another value or rejects a correct answer.',
    }),
    filter_refinements: z.int().min(0).max(256).default(0).meta({
      title: 'Filter: refinements',
      zero: 'no filter',
      description:
        'Monte Carlo filter: how many refinements the actor makes per critique before the critic learns it (N in arXiv:2411.16579).',
    }),
    filter_right: z.int().min(1).max(256).default(1).meta({
      title: 'Filter: correct refinements',
      description: 'How many of these refinements must be correct to keep a critique (k).',
    }),
    tokens: z.int().min(1).max(MOST_NEW_TOKENS).default(64).meta({
      title: 'Tokens per critique',
      unit: 'tokens',
      description: 'Maximum number of tokens of a critique, including the end token.',
    }),
    answers: z.int().min(1).max(256).default(1).meta({
      title: 'Answers per task',
      description:
        'Number of answers per task to critique, each in a separate group. The group size is the number of critiques per answer.',
    }),
    answer_temperature: z.number().min(0).max(5).default(1).meta({
      title: 'Temperature of answers',
      step: 0.05,
      zero: 'greedy',
      description:
        'Softmax temperature of the answers to critique, of those that the actor learns from in self_improvement, and of the filter’s refinements.',
    }),
    refinement_temperature: z.number().min(0).max(5).default(0).meta({
      title: 'Temperature of refinements',
      step: 0.05,
      zero: 'greedy',
      description: 'Softmax temperature of the refinements.',
    }),
    first_stage: z.int().min(0).max(100000).default(50).meta({
      title: 'First stage',
      unit: 'iterations',
      zero: 'left out',
      description:
        'Iterations in which the critic is rewarded only for its verdicts. The two stages repeat until the run ends. If both are 0, the critic is only supervised.',
    }),
    second_stage: z.int().min(0).max(100000).default(50).meta({
      title: 'Second stage',
      unit: 'iterations',
      zero: 'left out',
      description:
        'Iterations in which the critic is rewarded for the refined answers of the actor.',
    }),
    reward: z.enum(indirectRewardNames).default('refine').meta({
      title: 'Reward of the second stage',
      description:
        'Reward of the critic for the refined answer. refine: 1 if it is correct. delta: its gain over the first answer. correction: 1 if a wrong answer became correct, 0.2 if a correct one stayed correct. none: no reward. Under rloo, refine and delta give the same advantages.',
    }),
    discrimination: z.number().min(0).max(10).default(0.2).meta({
      title: 'Reward for a correct verdict',
      step: 0.1,
      description:
        'Reward in the second stage for a correct verdict (β₁ in the paper, which gives both 0.2 and 0.9).',
    }),
    reward_form: z.enum(rewardForms).default('sum').meta({
      title: 'Form of the reward',
      description:
        'sum: both rewards are added (the paper). replace: a wrong verdict gets −1 and nothing else (the authors’ code).',
    }),
    first_kl: z.number().min(0).max(10).default(0.01).meta({
      title: 'KL penalty of the first stage',
      step: 0.01,
      zero: 'off',
      description:
        'Weight of the KL penalty in the first stage; the anchor setting selects its reference.',
    }),
    second_kl: z.number().min(0).max(10).default(0.01).meta({
      title: 'KL penalty of the second stage',
      step: 0.01,
      zero: 'off',
      description:
        'Weight of the KL penalty in the second stage; the anchor setting selects its reference.',
    }),
    anchor: z.enum(['stage', 'supervised']).default('stage').meta({
      title: 'Anchor',
      description:
        'Reference of the KL penalty. stage: the critic at the start of the stage (the paper). supervised: the supervised critic, in every stage.',
    }),
  })
  .prefault({});

const selfImprovement = z
  .strictObject({
    critic: z.enum(['on', 'off']).default('on').meta({
      title: 'Critic in the loop',
      description:
        'on: wrong answers are critiqued and refined, and the actor also learns from correct refinements. off: self-training on correct answers only; the critic is used only in evaluations.',
    }),
    questions: z.int().min(0).max(100000).default(500).meta({
      title: 'Questions',
      zero: 'supervision alone',
      description:
        'Number of training tasks in every round; they are drawn once, equally from all levels.',
    }),
    answers: z.int().min(1).max(256).default(5).meta({
      title: 'Answers per question',
      description: 'Answers per question in a round (N in the paper).',
    }),
    critiques: z.int().min(1).max(256).default(1).meta({
      title: 'Critiques per wrong answer',
      description:
        'Critiques per wrong answer, each followed by a refinement (L). A single critique is greedy; several are sampled.',
    }),
    start: z.enum(['base', 'previous']).default('base').meta({
      title: 'Starting weights of a round',
      description:
        'base: the weights after supervision, in every round. previous: the weights of the previous round.',
    }),
    learn_from: z.enum(['round', 'all']).default('round').meta({
      title: 'Training data per round',
      description:
        'Correct answers of this round only, or of all rounds so far; expert answers are always included.',
    }),
    learn_as: z.enum(['answers', 'monologues']).default('answers').meta({
      title: 'Form of the data',
      description:
        'answers: only the corrected answer. monologues: also how it was corrected (self-talk): the answer up to the wrong step, that step taken back, then the corrected steps, each followed by a verdict. Expert answers are written the same way.',
    }),
    epochs: z.int().min(1).max(10000).default(3).meta({
      title: 'Round epochs',
      description:
        'Passes over the data of a round. Batch size, learning rate and weight decay are taken from the imitation settings.',
    }),
    refinement_weight: z.number().min(0).max(100).default(1).meta({
      title: 'Weight of refinements',
      step: 0.1,
      zero: 'left out',
      description:
        'Weight of a supervised refinement relative to an answer (β). Without refinements the actor forgets how to follow a critique.',
    }),
  })
  .prefault({});

const preference = z
  .strictObject({
    epochs: z.int().min(0).max(10000).default(0).meta({
      title: 'Preference epochs',
      description:
        'Direct preference optimization (arXiv:2305.18290) before reinforcement learning: passes over pairs of a better and a worse episode of the same task; 0 is off.',
    }),
    tries: z.int().min(2).max(256).default(8).meta({
      title: 'Tries per task',
      unit: 'episodes',
      description: 'Episodes per task from which pairs are made.',
    }),
    beta: z.number().min(0.001).max(100).default(0.1).meta({
      title: 'Preference beta',
      step: 0.05,
      description:
        'Strength of the implicit KL penalty (β of DPO) towards the reference policy, which generated the pairs.',
    }),
    batch_pairs: z.int().min(1).max(4096).default(32).meta({
      title: 'Preference batch',
      unit: 'pairs',
      description: 'Pairs in one update.',
    }),
  })
  .prefault({});

const optimizer = z
  .strictObject({
    learning_rate: z.number().min(0).max(1).default(1e-3).meta({
      title: 'Learning rate',
      step: 0.0001,
      scale: 'log',
      description: 'AdamW learning rate after warm-up.',
    }),
    warmup_updates: z.int().min(0).max(100000).default(10).meta({
      title: 'Warm-up',
      unit: 'updates',
      description: 'Optimizer steps of linear warm-up.',
    }),
    schedule: z.enum(['constant', 'linear', 'cosine']).default('constant').meta({
      title: 'Learning-rate schedule',
      description: 'How the learning rate falls after warm-up.',
    }),
    decay_updates: z.int().min(1).max(1000000).default(1000).meta({
      title: 'Decay',
      unit: 'updates',
      description: 'Optimizer steps after warm-up until the learning rate reaches its final value.',
    }),
    final_share: z.number().min(0).max(1).default(0.1).meta({
      title: 'Final share',
      step: 0.05,
      description: 'Final learning rate as a share of its peak.',
    }),
    beta1: z.number().min(0).max(0.9999).default(0.9).meta({
      title: 'Beta 1',
      step: 0.01,
      description: 'Decay of the running mean of gradients (AdamW).',
    }),
    beta2: z.number().min(0).max(0.99999).default(0.999).meta({
      title: 'Beta 2',
      step: 0.001,
      description: 'Decay of the running mean of squared gradients (AdamW).',
    }),
    epsilon: z.number().min(1e-12).max(1e-2).default(1e-8).meta({
      title: 'Epsilon',
      step: 1e-8,
      scale: 'log',
      description: 'Added to the denominator of AdamW.',
    }),
    weight_decay: z.number().min(0).max(1).default(0).meta({
      title: 'Weight decay',
      step: 0.001,
      description: 'Decoupled weight decay (AdamW, arXiv:1711.05101).',
    }),
    max_grad_norm: z.number().min(1e-6).max(1e6).default(1).meta({
      title: 'Gradient clipping',
      step: 0.1,
      description: 'Gradients with a larger global norm are scaled down to it.',
    }),
    max_skipped: z.int().min(1).max(10000).default(10).meta({
      title: 'Maximum skipped updates',
      unit: 'updates',
      description:
        'Updates with a non-finite gradient are skipped; after this many in a row the run stops with an error.',
    }),
  })
  .prefault({});

const evaluation = z
  .strictObject({
    interval: z.int().min(0).max(100000).default(5).meta({
      title: 'Evaluate every',
      zero: 'never',
      unit: 'iterations',
      description: 'Iterations between greedy evaluations; 0: never.',
    }),
    tasks: z.int().min(0).max(10000).default(0).meta({
      title: 'Evaluation tasks',
      zero: 'all of them',
      unit: 'tasks',
      description:
        'Number of evaluation tasks played after imitation and during training: the first ones, equally many of each environment; 0: all. On the command line the final evaluation always plays all.',
    }),
    horizon: z.int().min(0).max(1000).default(0).meta({
      title: 'Evaluation horizon',
      zero: 'the environment’s limit',
      unit: 'turns',
      description: 'Maximum number of turns of an evaluation episode; 0: the environment’s limit.',
    }),
  })
  .prefault({});

const diagnostics = z
  .strictObject({
    interval: z.int().min(0).max(100000).default(5).meta({
      title: 'Diagnose every',
      zero: 'never',
      unit: 'iterations',
      description:
        'Iterations between diagnoses: entropy change compared with the entropy-clip rule, gradient norms by sign, token samples. 0: never. Does not affect training.',
    }),
    samples: z.int().min(0).max(4096).default(256).meta({
      title: 'Token samples',
      unit: 'tokens',
      description: 'Tokens kept per diagnosis for the plot of ratios and advantages.',
    }),
  })
  .prefault({});

const trajectories = z
  .strictObject({
    keep: z.int().min(0).max(100000).default(500).meta({
      title: 'Trajectories kept',
      zero: 'none',
      unit: 'episodes',
      description:
        'Newest training episodes kept for viewing and export, in addition to those of the latest evaluation; 0: none. Does not affect training.',
    }),
  })
  .prefault({});

const stopping = z
  .strictObject({
    iterations: z.int().min(1).max(1000000).default(100).meta({
      title: 'Iterations',
      description: 'Stops after this many iterations.',
    }),
    turns: z.int().min(0).max(1e9).default(0).meta({
      title: 'Turn budget',
      zero: 'no limit',
      unit: 'turns',
      description: 'Stops after this many environment turns of training; 0: no limit.',
    }),
    tokens: z.int().min(0).max(1e12).default(0).meta({
      title: 'Token budget',
      zero: 'no limit',
      unit: 'tokens',
      description: 'Stops after the agent has generated this many tokens in training; 0: no limit.',
    }),
    success: z.number().min(0).max(1).default(0).meta({
      title: 'Target success',
      zero: 'none',
      step: 0.01,
      description:
        'Stops when eval/success_rate reaches this; needs evaluations during training. 0: off.',
    }),
  })
  .prefault({});

const faults = z
  .strictObject({
    from_iteration: z.int().min(1).max(1000000).default(1).meta({
      title: 'Faults from',
      unit: 'iteration',
      description: 'First iteration in which the faults below apply.',
    }),
    learning_rate_factor: z.number().min(0).max(1000).default(1).meta({
      title: 'Learning-rate factor',
      description: 'Multiplies the learning rate.',
    }),
    logp_noise: z.number().min(0).max(5).default(0).meta({
      title: 'Noise on log-probabilities',
      zero: 'off',
      unit: 'nats',
      description:
        'Standard deviation of noise on the stored log-probability of every token, as if sampler and trainer computed differently.',
    }),
    failing_share: z.number().min(0).max(1).default(0).meta({
      title: 'Failing episodes',
      zero: 'off',
      step: 0.05,
      description:
        'Share of episodes that fail without reward regardless of their actions, as if the environment server timed out.',
    }),
    reward_factor: z.number().min(-1000).max(1000).default(1).meta({
      title: 'Reward factor',
      description: 'Multiplies every reward.',
    }),
    understood_reward: z.number().min(-10).max(10).default(0).meta({
      title: 'Reward for a valid action',
      zero: 'off',
      description: 'Added for every turn with an action that the environment can parse.',
    }),
    token_reward: z.number().min(-10).max(10).default(0).meta({
      title: 'Reward per token',
      zero: 'off',
      description: 'Added for every token that the agent generates.',
    }),
    reward_delay: z.int().min(0).max(1000).default(0).meta({
      title: 'Reward delay',
      zero: 'off',
      unit: 'turns',
      description: 'Rewards arrive this many turns late; those after the last turn are lost.',
    }),
    mixed_groups: z.enum(['off', 'on']).default('off').meta({
      title: 'Shuffled groups',
      description:
        'on: episodes are assigned to groups at random, so that episodes of different tasks are compared.',
    }),
  })
  .prefault({});

const changes = z.string().max(10_000).default('').meta({
  title: 'Scheduled changes',
  form: 'changes such as 40:optimizer.learning_rate=0.0001, each ITERATION:FIELD=VALUE, ordered by iteration',
  description:
    'Settings that change during training, each from the given iteration on. Changes made by hand in the lab are recorded here, so that the run can be reproduced bit for bit.',
});

/** The schema. Use `parseConfig`, which also checks constraints across fields. */
export const configSchema = z.strictObject({
  seed,
  recipe,
  env,
  agent,
  policy,
  rollout,
  sampler,
  horizon,
  replay,
  algorithm,
  bapo,
  covariance,
  imitation,
  evolution,
  critique,
  self_improvement: selfImprovement,
  preference,
  optimizer,
  diagnostics,
  evaluation,
  trajectories,
  stopping,
  faults,
  changes,
});

/** A complete, valid experiment config. */
export type Config = z.output<typeof configSchema>;

/** The same config with every field optional, as presets and files write it. */
export type ConfigInput = z.input<typeof configSchema>;

/** The value of one field. */
export type ConfigValue =
  | number
  | string
  | boolean
  | readonly number[]
  | EnvironmentOptions
  | Config['env']['mixture'];
