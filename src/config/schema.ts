import { z } from 'zod';
import { advantageNames, estimators, estimatorsAgainst } from '../algorithms/advantages.ts';
import { indirectRewardNames, rewardForms } from '../algorithms/critique-rewards.ts';
import { klEstimators } from '../algorithms/kl-penalty.ts';
import { bapoOrders, bapoReadings } from '../algorithms/objective.ts';
import { objectives, objectivesThat, surrogateTraits } from '../algorithms/surrogates.ts';
import { adviceNames, answerSources } from '../envs/criticism.ts';
import { environmentFamilies } from '../envs/registry.ts';
import type { EnvironmentOptions } from '../envs/types.ts';
import { MOST_NEW_TOKENS } from '../policy/types.ts';

/**
 * The experiment config. This one schema is the source of the types, defaults, bounds and tooltips,
 * and so of the config panel, the shareable address, the command line's flags and all validation.
 *
 * Every object is strict: a key that is not listed here is an error, never silently dropped.
 */

const seed = z.int().min(0).max(0xffffffff).default(1).meta({
  title: 'Seed',
  description:
    'Splits into the streams for initial weights, tasks, sampling and shuffling. The same seed on the same device gives the same run.',
});

const recipe = z
  .enum(['reinforcement', 'evolution', 'critique', 'self_improvement'])
  .default('reinforcement')
  .meta({
    title: 'Recipe',
    description:
      'What an iteration does. reinforcement: rollouts, advantages, epochs of updates. evolution: exploration of many tasks, and learning of what succeeded together with the expert’s dialogues (AgentEvol, arXiv:2406.04151). critique: an actor answers, a critic says what is wrong, the actor answers anew, and the critic learns from what came of it (Critique-RL, arXiv:2510.24320). self_improvement: the actor learns from its right answers and from the wrong ones that a critic helped it to mend (critique in the loop, arXiv:2411.16579).',
  });

const environmentId = z.enum(environmentFamilies.map((family) => family.id));
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
        'The environment’s own knobs, such as the size of a generated maze; what is not given keeps its default.',
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
          'Several environments for one agent, in place of a single one: each with its options and its share of the tasks of an iteration. imitation_weight is how many times its share an environment has among the imitated dialogues. Empty for a single environment.',
      }),
  })
  .prefault({});

const agent = z
  .strictObject({
    format: z.enum(['bare', 'react']).default('bare').meta({
      title: 'Format',
      description:
        'bare: the agent writes its action alone. react: a thought in words, then the action (arXiv:2210.03629); an agent of random weights needs imitation first, and more tokens per turn.',
    }),
    history_window: z.int().min(0).max(1000).default(1).meta({
      title: 'History window',
      unit: 'turns',
      description:
        'How many turns the policy reads, the present one included. 1 shows it only the newest observation; 0 shows the whole episode.',
    }),
    keep_task: z.boolean().default(false).meta({
      title: 'Keep the task in view',
      description:
        'Read the first observation, which states the task, in every turn, also when the history window has moved past it.',
    }),
    context_length: z.int().min(16).max(8192).default(128).meta({
      title: 'Context length',
      unit: 'tokens',
      description:
        'Most tokens the policy can read in one turn, its own action included. When the window is longer, the oldest turns drop out whole.',
    }),
    max_action_tokens: z.int().min(1).max(MOST_NEW_TOKENS).default(1).meta({
      title: 'Tokens per action',
      unit: 'tokens',
      description:
        'Most tokens the agent writes in a turn, its thought and the end token included. Whole action phrases are single tokens, so 1 is enough where every action is a phrase of the vocabulary; an agent with a byte-pair tokenizer spells them with several.',
    }),
    temperature: z.number().min(0.05).max(5).default(1).meta({
      title: 'Temperature',
      step: 0.05,
      description:
        'Softmax temperature of training rollouts, of what is learned from them, and of sampled play in the table of evaluations. Evaluations during training take the most probable token.',
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
        'Heads of the keys and values; a divisor of the query heads. Fewer than the query heads is grouped-query attention.',
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
      description: 'How many training tasks are drawn for each iteration.',
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
        'Dynamic sampling (DAPO, arXiv:2503.14476): groups in which every episode got the same reward are dropped and other tasks are played in their place, at most this many times an iteration. 0 keeps such groups.',
    }),
    partial_turns: z.int().min(0).max(1000).default(0).meta({
      title: 'Partial rollout, turns',
      zero: 'off',
      unit: 'turns',
      description:
        'Turns that an episode may take in one iteration; then it is paused, and a newer policy goes on with it in the next. 0 plays every episode to its end.',
    }),
    partial_tokens: z.int().min(0).max(100000).default(0).meta({
      title: 'Partial rollout, tokens',
      zero: 'no limit',
      unit: 'tokens',
      description:
        'The same as a number of tokens that the agent may write in one iteration. 0 sets no limit.',
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
      description: 'Most turns of a training episode under the fixed schedule.',
    }),
    rounds: z.array(z.int().min(1).max(1000)).min(1).max(32).default([15, 30, 50]).meta({
      title: 'Horizon phases',
      unit: 'turns',
      description:
        'Most turns of a training episode in each phase of the scaling_inter schedule; never decreasing.',
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
        'Share of the episodes of an iteration’s updates that come from earlier iterations, as far as the buffer holds so many: with a capacity of c iterations the most is c/(c + 1). 0 trains on fresh episodes alone.',
    }),
    capacity: z.int().min(1).max(100000).default(8).meta({
      title: 'Replay capacity',
      unit: 'iterations',
      description: 'How many earlier iterations the buffer keeps; the oldest drops out first.',
    }),
    max_age: z.int().min(1).max(1000000).default(1000).meta({
      title: 'Oldest version',
      unit: 'versions',
      description:
        'Episodes with a token written more policy versions ago than this are not replayed.',
    }),
  })
  .prefault({});

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
        description: `How much less a reward counts for each turn that it comes later; tokens of one turn are not discounted against each other. Turns count from the token under ${byToken}. Under ${byWholeEpisode} whole episodes count, and turns count from the episode’s start, so that a way of fewer turns is worth more.`,
      }),
    gae_lambda: z.number().min(0).max(1).default(1).meta({
      title: 'GAE lambda',
      step: 0.01,
      description:
        'Between one-step estimates (0) and whole returns (1); for the gae advantage (arXiv:1506.02438).',
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
        description: `As a ratio of new to old probability: below it, a token with negative advantage is not pushed down further. Under ${byEpisode} the ratio is the episode’s; under ${byWeight} a token below it still pulls, with this as its weight.`,
      }),
    clip_high: z
      .number()
      .min(1)
      .max(10)
      .default(1.2)
      .meta({
        title: 'Upper clip bound',
        step: 0.01,
        description: `As a ratio of new to old probability: above it, a token with positive advantage is not pushed up further. Under ${byEpisode} the ratio is the episode’s; under ${byWeight} a token above it still pulls, with this as its weight.`,
      }),
    dual_clip: z.number().min(0).max(100).default(0).meta({
      title: 'Dual clip',
      step: 0.5,
      description:
        'A token with negative advantage and a ratio above this has no gradient (arXiv:1912.09729); usually 3. 0 is off.',
    }),
    ratio_to: z.enum(['behaviour', 'proximal']).default('behaviour').meta({
      title: 'Ratio against',
      description:
        'behaviour: the policy that wrote the token. proximal: the policy at the start of the iteration, with the rest of the ratio as a weight (decoupled PPO, arXiv:2110.00641).',
    }),
    importance_cap: z.number().min(0).max(100).default(0).meta({
      title: 'Importance cap',
      step: 0.5,
      description:
        'Truncated importance sampling: the weight of proximal over behaviour probability is at most this; usually 2. 0 sets no limit. Counts where ratios are taken against the proximal policy.',
    }),
    entropy_coef: z.number().min(0).max(1).default(0.01).meta({
      title: 'Entropy bonus',
      step: 0.001,
      description: 'How much the loss rewards entropy, which keeps the agent exploring.',
    }),
    kl_coef: z.number().min(0).max(10).default(0).meta({
      title: 'KL penalty',
      step: 0.001,
      description:
        'How strongly the policy is held to the reference, which is the policy that reinforcement learning started from. 0 is off.',
    }),
    kl_estimator: z.enum(klEstimators).default('k3').meta({
      title: 'KL estimator',
      description:
        'With d the log-probability under the reference minus that under the policy: k1 is −d, k2 is d²/2, k3 is exp(d) − 1 − d. k1 belongs in the reward: as a term of the loss its gradient is zero on average.',
    }),
    kl_placement: z.enum(['loss', 'reward']).default('loss').meta({
      title: 'KL placement',
      description:
        'loss: a term of the loss. reward: taken from the reward of each token before advantages are estimated.',
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
        'How far a value may move from its old estimate before its loss stops rewarding it; 0 is off.',
    }),
    loss_aggregation: z
      .enum(['token_mean', 'seq_mean_token_mean', 'seq_mean_token_sum_norm'])
      .default('token_mean')
      .meta({
        title: 'Loss aggregation',
        description:
          'token_mean: every token of a mini-batch weighs the same. seq_mean_token_mean: every episode does. seq_mean_token_sum_norm: the sum over an episode divided by a constant, so that length has no pull of its own (Dr. GRPO).',
      }),
    loss_normalizer: z.int().min(0).max(100000).default(0).meta({
      title: 'Loss normaliser',
      unit: 'tokens',
      zero: 'as many as an episode may have',
      description:
        'The constant of seq_mean_token_sum_norm. 0 takes the most tokens that an episode may have, which loss_length says more of.',
    }),
    loss_length: z.enum(['phase', 'schedule']).default('phase').meta({
      title: 'Length of the normaliser',
      description:
        'What a loss normaliser of 0 goes by. phase: the horizon of the present iteration, so that it grows with the horizon’s schedule. schedule: the longest horizon of the schedule in every iteration, a constant as in Dr. GRPO’s paper.',
    }),
    overlong_share: z.number().min(0).max(1).default(0).meta({
      title: 'Overlong share',
      zero: 'off',
      step: 0.05,
      description:
        'Soft overlong punishment (DAPO, arXiv:2503.14476): an episode that ends in this last share of its horizon loses reward, from nothing at its beginning to 1 at the horizon. It changes what is learned from and no metric. 0 is off.',
    }),
    epochs: z.int().min(1).max(64).default(2).meta({
      title: 'Epochs',
      description:
        'How often each iteration trains on every token of its rollouts, and of what is replayed with them.',
    }),
    mini_batches: z.int().min(1).max(256).default(2).meta({
      title: 'Mini-batches',
      description:
        'Optimiser steps per epoch; the episodes are shuffled and shared out among them. Fewer where partial rollouts or resampling leave fewer episodes.',
    }),
    micro_batch_tokens: z.int().min(64).max(1048576).default(8192).meta({
      title: 'Micro-batch',
      unit: 'tokens',
      description:
        'Most tokens in one forward and backward pass. It sets how much GPU memory training takes, not what is learned.',
    }),
  })
  .prefault({});

const bapo = z
  .strictObject({
    reading: z.enum(bapoReadings).default('value_share').meta({
      title: 'Contribution',
      description:
        'How the contribution of positive tokens is read. value_share: their share of the surrogate’s absolute value, weighted by the behaviour probability (the paper). pn_ratio: positive over negative, unweighted (the code). active_gradient_share: as value_share, over tokens whose gradient is not clipped.',
    }),
    order: z.enum(bapoOrders).default('high_first').meta({
      title: 'Search order',
      description: 'Which bound moves first: the upper (the paper) or the lower (the code).',
    }),
    target: z.number().min(0).max(10).default(0.4).meta({
      title: 'Target',
      step: 0.05,
      description:
        'Bounds widen until positive tokens contribute this much. For value_share and active_gradient_share it is a share from 0 to 1 (the paper: 0.4); for pn_ratio it is positive over negative, where a share s corresponds to s/(1 − s) (the code: 0.5 and 1).',
    }),
    low_min: z.number().min(0).max(1).default(0.6).meta({
      title: 'Lower bound from',
      step: 0.01,
      description: 'Where the lower bound starts in every update.',
    }),
    low_max: z.number().min(0).max(1).default(0.9).meta({
      title: 'Lower bound to',
      step: 0.01,
      description: 'The most that the lower bound may reach.',
    }),
    low_step: z.number().min(0.001).max(1).default(0.02).meta({
      title: 'Lower step',
      step: 0.01,
      description: 'How far the lower bound moves at a time.',
    }),
    high_min: z.number().min(1).max(10).default(1.2).meta({
      title: 'Upper bound from',
      step: 0.05,
      description: 'Where the upper bound starts in every update.',
    }),
    high_max: z.number().min(1).max(10).default(3).meta({
      title: 'Upper bound to',
      step: 0.05,
      description: 'The most that the upper bound may reach.',
    }),
    high_step: z.number().min(0.001).max(1).default(0.05).meta({
      title: 'Upper step',
      step: 0.01,
      description: 'How far the upper bound moves at a time.',
    }),
  })
  .prefault({});

const covariance = z
  .strictObject({
    fraction: z.number().min(0).max(1).default(0.002).meta({
      title: 'Share of tokens',
      step: 0.001,
      description:
        'Share of an update’s tokens that Clip-Cov holds back, or fewer where fewer come into question, and that KL-Cov charges; at least one.',
    }),
    low: z.number().min(-100).max(100).default(1).meta({
      title: 'Covariance from',
      step: 0.1,
      description:
        'Clip-Cov draws among tokens whose log-probability and advantage have a covariance greater than this, and that the bounds do not clip.',
    }),
    high: z.number().min(-100).max(1000).default(5).meta({
      title: 'Covariance to',
      step: 0.1,
      description: 'Clip-Cov draws among tokens whose covariance is less than this.',
    }),
    kl_coef: z.number().min(0).max(100).default(1).meta({
      title: 'KL-Cov coefficient',
      step: 0.1,
      description: 'What KL-Cov charges the tokens it picks for each nat they move.',
    }),
  })
  .prefault({});

const imitation = z
  .strictObject({
    epochs: z.int().min(0).max(10000).default(0).meta({
      title: 'Imitation epochs',
      description:
        'How often the agent learns the expert’s dialogues by heart before reinforcement learning begins; 0 starts from random weights.',
    }),
    task_share: z.number().min(0.001).max(1).default(1).meta({
      title: 'Share of tasks',
      step: 0.05,
      description: 'Share of the training tasks whose expert dialogues are shown.',
    }),
    most_tasks: z.int().min(1).max(100000).default(256).meta({
      title: 'Most tasks',
      unit: 'tasks',
      description: 'Expert dialogues are made for at most this many tasks.',
    }),
    learning_rate: z.number().min(0).max(1).default(0).meta({
      title: 'Imitation learning rate',
      step: 0.0001,
      description:
        'AdamW’s step size while imitating; 0 takes the optimiser’s. Imitation bears larger steps than reinforcement learning does.',
    }),
    final_share: z.number().min(0).max(1).default(1).meta({
      title: 'Imitation’s final share of its rate',
      step: 0.05,
      description:
        'The learning rate falls along a line to this share at the last update of imitation; 1 holds it.',
    }),
    weight_decay: z.number().min(0).max(10).default(0).meta({
      title: 'Imitation weight decay',
      step: 0.1,
      description:
        'Decoupled decay of the weights while imitating. A high one keeps the agent from learning a few dialogues by heart, so that it has to learn to read.',
    }),
    restart_optimizer: z.boolean().default(false).meta({
      title: 'Restart the optimiser',
      description:
        "Forget AdamW's moments between imitation and reinforcement learning. The gradients of an imitated dialogue end up small, and moments that fit them make the first steps of reinforcement learning far too large.",
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
      title: 'Tasks of a round',
      unit: 'tasks',
      zero: 'none: imitation alone',
      description:
        'How many training tasks the agent tries in each round of exploration. 0 explores nothing, so that imitation is all there is.',
    }),
    task_set: z.enum(['wider', 'same']).default('wider').meta({
      title: 'Tasks explored',
      description:
        'wider: any training task, in a mixture by the shares of its environments. same: only the tasks whose expert dialogues were imitated.',
    }),
    iterations: z.int().min(1).max(1000).default(1).meta({
      title: 'Iterations of a round',
      description:
        'Exploration of a round is spread over so many iterations, and the last of them learns. Between two iterations a run can be kept and goes on later.',
    }),
    samples: z.int().min(1).max(256).default(1).meta({
      title: 'Tries per task (K)',
      unit: 'episodes',
      description: 'Episodes that the agent plays of each explored task.',
    }),
    temperature: z.number().min(0).max(5).default(1).meta({
      title: 'Exploration temperature',
      step: 0.05,
      zero: 'greedy',
      description:
        'Softmax temperature of exploration. 0 always takes the most probable token, so that one try of a task is all there is.',
    }),
    learn: z.enum(['likelihood', 'pairs']).default('likelihood').meta({
      title: 'Learn by',
      description:
        'likelihood: raise the log-probability of rewarded episodes, together with the expert’s dialogues. pairs: direct preference optimisation (arXiv:2305.18290) of a success over a failure of the same task, from the agent that played them.',
    }),
    start: z.enum(['base', 'previous']).default('base').meta({
      title: 'Start of learning',
      description:
        'base: every round learns from the weights that the run began with, before imitation, as the authors’ code does. previous: from the agent that explored.',
    }),
    merge: z.enum(['base', 'previous', 'all']).default('base').meta({
      title: 'Merge with',
      description:
        'What a round’s episodes are learned together with. base: the expert’s dialogues (the paper). previous: what the round before kept; in the first round the expert’s dialogues. all: the expert’s dialogues and what every earlier round kept (the authors’ code).',
    }),
    weights: z.enum(['raw', 'normalised', 'threshold']).default('raw').meta({
      title: 'Weights',
      description:
        'How much an explored episode counts in the loss. raw: its reward. normalised: its share of the rewards of all tries of its task, which is the exact posterior. threshold: 1 above a threshold, else 0. An expert’s dialogue counts 1; an episode that counts 0 is thrown away.',
    }),
    threshold: z.number().min(-1000).max(1000).default(0.99).meta({
      title: 'Reward threshold',
      step: 0.01,
      description: 'An episode whose reward is above this is kept.',
    }),
    negative: z.enum(['refuse', 'shift']).default('refuse').meta({
      title: 'Negative rewards',
      description:
        'A reward stands for the probability that an episode is right, so it cannot be negative. refuse: a negative one ends the run. shift: all rewards of its environment in the round are raised by as much as the lowest lies below 0; failures may then count too.',
    }),
    successes: z.enum(['all', 'one']).default('all').meta({
      title: 'Kept per task',
      description:
        'all: every rewarded try of a task (the paper). one: the first of them in a round (the authors’ code).',
    }),
    epochs: z.int().min(1).max(10000).default(1).meta({
      title: 'Epochs of a round',
      description:
        'How often a round passes over what it learns from. Batch, learning rate and weight decay are those of imitation; for pairs those of preference and of the optimiser.',
    }),
  })
  .prefault({});

const critique = z
  .strictObject({
    agents: z.enum(['two', 'one']).default('two').meta({
      title: 'Agents',
      description:
        'two: an actor, and a critic that begins with its weights and learns by itself from there. one: a single agent answers, criticises itself and refines (self-correction); it learns critiques together with all else that it is taught, and nothing is learned after that.',
    }),
    debates: z.int().min(0).max(100000).default(0).meta({
      title: 'Debate dialogues',
      unit: 'dialogues',
      zero: 'none',
      description:
        'How often the actor is shown how to answer anew in view of one or two other answers, half of them flawed, together with refinements. Without them it has never seen the form of a debate.',
    }),
    refinements: z.int().min(0).max(100000).default(2400).meta({
      title: 'Refinement dialogues',
      unit: 'dialogues',
      description:
        'How many refinements the actor is shown: a question, an answer, a critique, and the answer that follows from it.',
    }),
    refinement_epochs: z.int().min(0).max(10000).default(4).meta({
      title: 'Refinement epochs',
      description:
        'How often the actor learns these refinements together with the expert’s answers, once it has learned the answers alone. Batch, learning rate and weight decay are those of imitation.',
    }),
    right_originals: z.number().min(0).max(1).default(0.25).meta({
      title: 'Right originals',
      step: 0.05,
      description:
        'Share of the refinement dialogues whose first answer is called right and stays as it is. An actor that never sees one changes whatever it is shown.',
    }),
    arbitrary_advice: z.number().min(0).max(1).default(0.5).meta({
      title: 'Arbitrary advice',
      step: 0.05,
      description:
        'Share of the refinement dialogues in which the steps to be copied, and what is advised, come to any values. An actor that could compute them itself would not learn to read the critique. So are all dialogues about what the actor is not to be shown.',
    }),
    advice: z.enum(adviceNames).default('value').meta({
      title: 'Advice',
      description:
        'What a critique says of the first wrong step. verdict: only that the answer is wrong. place: which step. type: also what is wrong with it. value: also what it should have come to.',
    }),
    critiques: z.int().min(0).max(100000).default(5000).meta({
      title: 'Critique dialogues',
      unit: 'dialogues',
      description:
        'How many of the annotator’s critiques the critic is shown before it learns by reward. They are of answers that the actor gives to training tasks.',
    }),
    critique_epochs: z.int().min(0).max(10000).default(4).meta({
      title: 'Critique epochs',
      description:
        'How often the critic learns the annotator’s critiques, from the weights of the actor. Batch, learning rate and weight decay are those of imitation. Few epochs leave more to learn by reward.',
    }),
    enough_discrimination: z.number().min(0).max(1).default(0).meta({
      title: 'Enough discrimination',
      step: 0.05,
      zero: 'all epochs',
      description:
        'Supervision of the critic ends after the epoch in which its verdicts are true this often, right and wrong ones weighing the same, on the actor’s most probable answers. What a critic learns comes all at once, at another epoch in every run, and one that knows everything has nothing to learn by reward.',
    }),
    right_answers: z.number().min(0).max(1).default(0.5).meta({
      title: 'Right answers criticised',
      step: 0.05,
      description:
        'Share of the criticised answers that are right, in the critique dialogues and in every iteration, as far as the actor gives enough of both kinds. A critic that hears one kind far more often learns to say so of all.',
    }),
    sources: z
      .enum([...answerSources, 'all'])
      .default('sampled')
      .meta({
        title: 'Answers criticised',
        description:
          'How the answers of the critique dialogues come about. sampled: the actor draws them. hot: it writes greedily up to a step and draws at a higher temperature from there. inserted: a right beginning, an error of a named type, and the actor goes on. all: each as often.',
      }),
    hot_temperature: z.number().min(0.05).max(5).default(1.5).meta({
      title: 'Hot temperature',
      step: 0.05,
      description: 'Softmax temperature of an answer from where it goes on hot.',
    }),
    worlds: z.enum(['all', 'first']).default('all').meta({
      title: 'Environments criticised',
      description:
        'Of a mixture: whether the critic learns to criticise answers of all its environments, or of the first alone. The actor is shown all of them, so that evaluation tells what a critic makes of answers of a kind that it has never criticised.',
    }),
    most_level: z.int().min(0).max(7).default(0).meta({
      title: 'Highest level criticised',
      zero: 'all',
      description:
        'The critic learns to criticise answers to tasks up to this level alone; the actor is shown all levels.',
    }),
    annotator_error: z.number().min(0).max(1).default(0).meta({
      title: 'Annotator’s error rate',
      step: 0.05,
      zero: 'always true',
      description:
        'Share of the critique dialogues in which the annotator says something false: it passes over an error, blames another step, advises another value, or finds fault with a right answer.',
    }),
    filter_refinements: z.int().min(0).max(256).default(0).meta({
      title: 'Filter: refinements',
      zero: 'no filter',
      description:
        'Monte-Carlo filter: how often the actor refines an answer by each critique before the critic is shown it (N in arXiv:2411.16579).',
    }),
    filter_right: z.int().min(1).max(256).default(1).meta({
      title: 'Filter: right ones',
      description: 'How many of these refinements have to be right for a critique to be kept (k).',
    }),
    tokens: z.int().min(1).max(MOST_NEW_TOKENS).default(64).meta({
      title: 'Tokens per critique',
      unit: 'tokens',
      description: 'Most tokens of a critique, the end token included.',
    }),
    answers: z.int().min(1).max(256).default(1).meta({
      title: 'Answers per task',
      description:
        'How many answers to each task of an iteration are criticised, each in a group of its own. The group size says how many critiques each of them gets.',
    }),
    answer_temperature: z.number().min(0).max(5).default(1).meta({
      title: 'Temperature of answers',
      step: 0.05,
      zero: 'greedy',
      description:
        'Softmax temperature at which the actor gives the answers that the critic learns from.',
    }),
    refinement_temperature: z.number().min(0).max(5).default(0).meta({
      title: 'Temperature of refinements',
      step: 0.05,
      zero: 'greedy',
      description: 'Softmax temperature at which the actor refines them.',
    }),
    first_stage: z.int().min(0).max(100000).default(50).meta({
      title: 'First stage',
      unit: 'iterations',
      zero: 'left out',
      description:
        'Iterations in which the critic is rewarded for its verdicts alone. After both stages they begin anew, until the run ends. Where both are 0 the supervised critic is all there is.',
    }),
    second_stage: z.int().min(0).max(100000).default(50).meta({
      title: 'Second stage',
      unit: 'iterations',
      zero: 'left out',
      description: 'Iterations in which it is rewarded for what the actor makes of its critiques.',
    }),
    reward: z.enum(indirectRewardNames).default('refine').meta({
      title: 'Reward of the second stage',
      description:
        'What the refined answer is worth to the critic. refine: 1 where it is right. delta: what it gained over the first answer. correction: 1 where a wrong answer became right, 0.2 where a right one stayed so. none: nothing. Under rloo refine and delta have the same advantages.',
    }),
    discrimination: z.number().min(0).max(10).default(0.2).meta({
      title: 'Worth of a true verdict',
      step: 0.1,
      description:
        'What the critic gets in the second stage for a true verdict (β₁ in the paper, which names both 0.2 and 0.9).',
    }),
    reward_form: z.enum(rewardForms).default('sum').meta({
      title: 'Form of the reward',
      description:
        'sum: both rewards are added (the paper). replace: a false verdict costs 1 and earns nothing else (the authors’ code).',
    }),
    first_kl: z.number().min(0).max(10).default(0.01).meta({
      title: 'KL penalty of the first stage',
      step: 0.01,
      zero: 'off',
      description:
        'How strongly the critic is held in the first stage to the critic that the stage began with.',
    }),
    second_kl: z.number().min(0).max(10).default(0.01).meta({
      title: 'KL penalty of the second stage',
      step: 0.01,
      zero: 'off',
      description: 'The same in the second stage; the anchor says to which critic.',
    }),
    anchor: z.enum(['stage', 'supervised']).default('stage').meta({
      title: 'Anchor',
      description:
        'Which critic the penalty holds to. stage: the one that the present stage began with (the paper). supervised: in every stage the one before any reward.',
    }),
  })
  .prefault({});

const selfImprovement = z
  .strictObject({
    critic: z.enum(['on', 'off']).default('on').meta({
      title: 'Critic in the loop',
      description:
        'on: wrong answers are criticised and refined, and what is then right is learned too. off: plain self-training, from right answers alone; the critic is heard in evaluations only.',
    }),
    questions: z.int().min(0).max(100000).default(500).meta({
      title: 'Questions',
      zero: 'supervision alone',
      description: 'Training tasks of all levels alike that every round asks, drawn once.',
    }),
    answers: z.int().min(1).max(256).default(5).meta({
      title: 'Answers per question',
      description: 'How often a round asks each question (N in the paper).',
    }),
    critiques: z.int().min(1).max(256).default(1).meta({
      title: 'Critiques per wrong answer',
      description:
        'How many critiques a wrong answer gets, each followed by a refinement (L). A single one is the most probable; several are drawn.',
    }),
    start: z.enum(['base', 'previous']).default('base').meta({
      title: 'A round starts from',
      description:
        'base: the weights that the actor was taught, in every round. previous: those of the round before.',
    }),
    learn_from: z.enum(['round', 'all']).default('round').meta({
      title: 'A round learns from',
      description:
        'Right answers of this round alone, or of all rounds so far; the expert’s answers are always with them.',
    }),
    learn_as: z.enum(['answers', 'monologues']).default('answers').meta({
      title: 'Learned as',
      description:
        'answers: what is learned of a mended answer is the mended one. monologues: also how it was mended (self-talk): the answer up to the step that the critic found wrong, that step taken back, and the mended one from there, with a word of praise or blame behind every step; the expert’s answers are learned so too. Such texts are longer than answers.',
    }),
    epochs: z.int().min(1).max(10000).default(3).meta({
      title: 'Round epochs',
      description:
        'How often a round passes over what it learns from. Batch, learning rate and weight decay are those of imitation.',
    }),
    refinement_weight: z.number().min(0).max(100).default(1).meta({
      title: 'Weight of refinements',
      step: 0.1,
      zero: 'left out',
      description:
        'What a refinement that the actor was taught by weighs beside an answer (β). Without them it forgets how to follow a critique.',
    }),
  })
  .prefault({});

const preference = z
  .strictObject({
    epochs: z.int().min(0).max(10000).default(0).meta({
      title: 'Preference epochs',
      description:
        'Direct preference optimisation (arXiv:2305.18290) before reinforcement learning: how often the agent learns from pairs of a better and a worse episode of the same task; 0 is off.',
    }),
    tries: z.int().min(2).max(256).default(8).meta({
      title: 'Tries per task',
      unit: 'episodes',
      description: 'Episodes played of each task to make pairs from.',
    }),
    beta: z.number().min(0.001).max(100).default(0.1).meta({
      title: 'Preference beta',
      step: 0.05,
      description: 'How strongly the agent is held to the policy that played the pairs.',
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
      description: 'AdamW’s step size after warm-up.',
    }),
    warmup_updates: z.int().min(0).max(100000).default(10).meta({
      title: 'Warm-up',
      unit: 'updates',
      description: 'Optimiser steps over which the learning rate rises linearly to its value.',
    }),
    schedule: z.enum(['constant', 'linear', 'cosine']).default('constant').meta({
      title: 'Learning-rate schedule',
      description: 'How the learning rate falls after warm-up.',
    }),
    decay_updates: z.int().min(1).max(1000000).default(1000).meta({
      title: 'Decay',
      unit: 'updates',
      description:
        'Optimiser steps after warm-up in which a falling learning rate reaches its end.',
    }),
    final_share: z.number().min(0).max(1).default(0.1).meta({
      title: 'Final share',
      step: 0.05,
      description: 'Where a falling learning rate ends, as a share of its value.',
    }),
    beta1: z.number().min(0).max(0.9999).default(0.9).meta({
      title: 'Beta 1',
      step: 0.01,
      description: "Decay of AdamW's mean of gradients.",
    }),
    beta2: z.number().min(0).max(0.99999).default(0.999).meta({
      title: 'Beta 2',
      step: 0.001,
      description: "Decay of AdamW's mean of squared gradients.",
    }),
    epsilon: z.number().min(1e-12).max(1e-2).default(1e-8).meta({
      title: 'Epsilon',
      step: 1e-8,
      scale: 'log',
      description: "Added to AdamW's denominator.",
    }),
    weight_decay: z.number().min(0).max(1).default(0).meta({
      title: 'Weight decay',
      step: 0.001,
      description: 'Decoupled decay of the weights (AdamW, arXiv:1711.05101).',
    }),
    max_grad_norm: z.number().min(1e-6).max(1e6).default(1).meta({
      title: 'Gradient clipping',
      step: 0.1,
      description: 'Gradients with a larger global norm are scaled down to it.',
    }),
    max_skipped: z.int().min(1).max(10000).default(10).meta({
      title: 'Most skipped updates',
      unit: 'updates',
      description:
        'An update whose gradient is not finite is skipped; after this many in a row the run stops and names the cause.',
    }),
  })
  .prefault({});

const evaluation = z
  .strictObject({
    interval: z.int().min(0).max(100000).default(5).meta({
      title: 'Evaluate every',
      zero: 'never',
      unit: 'iterations',
      description: 'Iterations between evaluations with greedy actions; 0 evaluates never.',
    }),
    tasks: z.int().min(0).max(10000).default(0).meta({
      title: 'Evaluation tasks',
      zero: 'all of them',
      unit: 'tasks',
      description:
        'How many evaluation tasks are played after imitation and on the way, from the first on; 0 plays all. The end of a run on the command line always plays all.',
    }),
    horizon: z.int().min(0).max(1000).default(0).meta({
      title: 'Evaluation horizon',
      zero: 'the environment’s own limit',
      unit: 'turns',
      description: 'Most turns of an evaluation episode; 0 takes the environment’s own limit.',
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
        'Iterations between diagnoses: entropy change against the entropy-clip rule, gradient norms by sign, samples of tokens. 0 diagnoses never. It changes no result.',
    }),
    samples: z.int().min(0).max(4096).default(256).meta({
      title: 'Token samples',
      unit: 'tokens',
      description: 'Tokens kept of each diagnosis for the ratio and advantage picture.',
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
        'How many of the newest training episodes are kept to be replayed and exported, beside those of the latest evaluation; 0 keeps none. It changes no result.',
    }),
  })
  .prefault({});

const stopping = z
  .strictObject({
    iterations: z.int().min(1).max(1000000).default(100).meta({
      title: 'Iterations',
      description: 'The run ends after this many iterations.',
    }),
    turns: z.int().min(0).max(1e9).default(0).meta({
      title: 'Turn budget',
      zero: 'no limit',
      unit: 'turns',
      description:
        'The run ends once training has taken this many environment turns; 0 sets no limit.',
    }),
    tokens: z.int().min(0).max(1e12).default(0).meta({
      title: 'Token budget',
      zero: 'no limit',
      unit: 'tokens',
      description:
        'The run ends once the agent has written this many tokens in training; 0 sets no limit.',
    }),
    success: z.number().min(0).max(1).default(0).meta({
      title: 'Target success',
      zero: 'none',
      step: 0.01,
      description:
        'The run ends once eval/success_rate reaches this, so evaluations during training must be on; 0 never ends it.',
    }),
  })
  .prefault({});

const faults = z
  .strictObject({
    from_iteration: z.int().min(1).max(1000000).default(1).meta({
      title: 'Faults from',
      unit: 'iteration',
      description: 'The first iteration in which the faults below are in force.',
    }),
    learning_rate_factor: z.number().min(0).max(1000).default(1).meta({
      title: 'Learning rate times',
      description: 'What the learning rate is multiplied by.',
    }),
    logp_noise: z.number().min(0).max(5).default(0).meta({
      title: 'Noise on log-probabilities',
      zero: 'off',
      unit: 'nats',
      description:
        'Standard deviation of what is added to the stored log-probability of every token, as where the program that samples and the one that trains compute differently.',
    }),
    failing_share: z.number().min(0).max(1).default(0).meta({
      title: 'Failing episodes',
      zero: 'off',
      step: 0.05,
      description:
        'Share of the episodes that count as failed without reward, whatever they did, as where an environment’s server does not answer.',
    }),
    reward_factor: z.number().min(-1000).max(1000).default(1).meta({
      title: 'Rewards times',
      description: 'What every reward is multiplied by.',
    }),
    understood_reward: z.number().min(-10).max(10).default(0).meta({
      title: 'Reward for an understood action',
      zero: 'off',
      description: 'Added for every turn whose action the environment understands.',
    }),
    token_reward: z.number().min(-10).max(10).default(0).meta({
      title: 'Reward for a token',
      zero: 'off',
      description: 'Added for every token that the agent writes.',
    }),
    reward_delay: z.int().min(0).max(1000).default(0).meta({
      title: 'Late rewards',
      zero: 'off',
      unit: 'turns',
      description:
        'Every reward is booked so many turns after the one that earned it; what falls behind the last turn is lost.',
    }),
    mixed_groups: z.enum(['off', 'on']).default('off').meta({
      title: 'Mixed-up groups',
      description:
        'on: the episodes of an iteration are dealt out to groups at random, so that episodes of different tasks are compared.',
    }),
  })
  .prefault({});

const changes = z.string().max(10_000).default('').meta({
  title: 'Changes on the way',
  form: 'changes such as 40:optimizer.learning_rate=0.0001, each ITERATION:FIELD=VALUE, in the order of their iterations',
  description:
    'Settings that change while the run trains, each in force from the iteration before its colon on. A run whose settings were changed by hand lists them here, so that it can be played again, bit for bit.',
});

/** The schema itself. Use `parseConfig`, which also checks what spans several fields. */
export const configSchema = z.strictObject({
  seed,
  recipe,
  env,
  agent,
  policy,
  rollout,
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
