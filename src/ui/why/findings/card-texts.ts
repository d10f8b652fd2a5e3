/** Description of each failure mode, with sources. */

export interface Source {
  readonly title: string;
  readonly url: string;
}

interface CardText {
  readonly what: string;
  /** In order of appearance. */
  readonly signs: readonly string[];
  readonly causes: readonly string[];
  /** The first is the one to try first. */
  readonly remedies: readonly string[];
  readonly sources: readonly Source[];
}

const arxiv = (id: string, title: string): Source => ({
  title,
  url: `https://arxiv.org/abs/${id}`,
});

const ppo = arxiv('1707.06347', 'Proximal Policy Optimization Algorithms');
const onPolicy = arxiv('2006.05990', 'What Matters In On-Policy Reinforcement Learning?');
const dapo = arxiv('2503.14476', 'DAPO: An Open-Source LLM Reinforcement Learning System at Scale');
const timeLimits = arxiv('1712.00378', 'Time Limits in Reinforcement Learning');
const gae = arxiv(
  '1506.02438',
  'High-Dimensional Continuous Control Using Generalized Advantage Estimation',
);
const prorl = arxiv('2505.24864', 'ProRL: Prolonged Reinforcement Learning');
const agentGymRl = arxiv('2509.08755', 'AgentGym-RL');
const details: Source = {
  title: 'The 37 Implementation Details of Proximal Policy Optimization',
  url: 'https://iclr-blog-track.github.io/2022/03/25/ppo-implementation-details/',
};

/** By the name of the failure mode; `cards.test.ts` checks that each has one. */
export const cardTexts: Readonly<Record<string, CardText | undefined>> = {
  not_finite: {
    what: 'A number in an update is infinite or NaN. Without a guard it reaches the weights and corrupts every later number.',
    signs: [
      'One series is the first to show NaN or Infinity; all others follow.',
      'Before that, the gradient norm jumps far above its usual level.',
    ],
    causes: [
      'Exponentials of log-ratios between policies that have drifted far apart',
      'Means over zero tokens',
      'A learning rate that drives weights out of range',
      'Unbounded rewards',
    ],
    remedies: [
      'Find the metric that became non-finite first: it points to the faulty code.',
      'Lower the learning rate and clip the gradient norm.',
      'Clamp log-ratios before exponentiating them.',
    ],
    sources: [arxiv('2509.02479', 'SimpleTIR')],
  },
  no_step_bound: {
    what: 'The clip bounds are so wide that no token ever reaches one. The objective is then a plain policy gradient applied several times to the same tokens, and nothing limits the step.',
    signs: [
      'KL per iteration grows to several tenths of a nat.',
      'The clip fraction nevertheless stays at zero.',
      'Success fluctuates, or falls permanently.',
    ],
    causes: [
      'Bounds widened to speed up learning',
      'Bounds on the wrong scale, such as 10 instead of 1.2',
    ],
    remedies: [
      'Bounds of 0.8 and 1.2.',
      'One update per rollout, if no bounds are wanted.',
      'A KL target that ends the epochs early.',
    ],
    sources: [ppo, onPolicy],
  },
  bounds_too_tight: {
    what: 'The clip bounds are so narrow that most tokens lose their gradient after the first step. The run learns, but far more slowly than it could.',
    signs: [
      'A large share of the tokens is clipped from the first iteration on.',
      'KL stays far below 0.001 nats.',
      'Entropy and success move slowly and evenly.',
    ],
    causes: [
      'Bounds from a method with sequence ratios, applied to token ratios',
      'Bounds narrowed to fix another instability',
    ],
    remedies: [
      'Bounds of 0.8 and 1.2.',
      'Only a higher upper bound, such as 1.28, if rare tokens must become more probable.',
    ],
    sources: [ppo, dapo],
  },
  learning_rate_too_high: {
    what: 'Each update moves the policy farther than its data supports. The next rollout uses an untested policy, and what was learned is overwritten.',
    signs: [
      'KL of the first iterations is above 0.1 nats; 0.001 to 0.03 is usual.',
      'Many tokens reach the clip bounds within one iteration.',
      'Entropy jumps, and explained variance drops.',
      'Success stays low, or falls after a good start.',
    ],
    causes: [
      'A learning rate tuned for a larger batch or another model',
      'No warm-up',
      'Optimizer moments kept from imitation',
    ],
    remedies: [
      'A learning rate 3 to 10 times smaller.',
      'Warm-up over the first updates.',
      'Reset the optimizer moments after imitation.',
      'Fewer epochs, or a KL target.',
    ],
    sources: [onPolicy, details],
  },
  too_many_epochs: {
    what: 'Each iteration trains on its episodes so often that the policy overfits them. The first epochs are sound; the last ones push the policy far beyond what the episodes show.',
    signs: [
      'KL is large at the end of an iteration and small after its first epoch.',
      'The clip fraction grows from epoch to epoch.',
      'Success fluctuates from iteration to iteration.',
    ],
    causes: ['More epochs to make better use of costly rollouts', 'Small batches used many times'],
    remedies: [
      'Four epochs or fewer.',
      'A KL target that ends the epochs early.',
      'More episodes per iteration.',
    ],
    sources: [onPolicy, arxiv('2405.00662', 'No Representation, No Trust')],
  },
  nothing_moves: {
    what: 'Every update has a gradient, but the steps are too small to matter. After many iterations the policy is still the initial one.',
    signs: [
      'KL stays below 0.0001 nats.',
      'No token comes close to a bound.',
      'Entropy and success are flat while the gradient norm is normal.',
    ],
    causes: [
      'A learning rate from another kind of training, or a schedule that has ended',
      'Gradients scaled down twice',
    ],
    remedies: [
      'Three to ten times the learning rate, until KL reaches 0.001.',
      'Check the schedule: the optimizer’s learning rate may differ from the configured one.',
    ],
    sources: [onPolicy, { title: 'Spinning Up in Deep RL', url: 'https://spinningup.openai.com/' }],
  },
  horizon_too_short: {
    what: 'Episodes are truncated before longer solutions can succeed. Anything that takes more turns than the limit is never rewarded, so it is never learned.',
    signs: [
      'Nearly all failures are truncated.',
      'Successful episodes use almost all turns allowed.',
      'Evaluation with more turns solves more tasks than training.',
    ],
    causes: [
      'A turn limit chosen to save compute',
      'A growing limit that starts too low or grows too late',
    ],
    remedies: ['More turns.', 'A limit that grows while the agent learns (ScalingInter-RL).'],
    sources: [agentGymRl, timeLimits],
  },
  bootstrapping_at_horizon: {
    what: 'A truncated episode is credited with the value of its last state. Without discounting this value never shrinks, so wandering is worth as much as arriving, and the value head learns from its own estimates.',
    signs: [
      'Explained variance falls below zero after being high.',
      'Episodes grow longer, up to the limit.',
      'Success falls, and the failures are truncated.',
    ],
    causes: [
      'γ = 1 together with bootstrapped truncated episodes',
      'A limit that the agent cannot observe',
    ],
    remedies: [
      'γ below 1, such as 0.95.',
      'A constant limit.',
      'The remaining turns in the observation.',
    ],
    sources: [timeLimits, gae],
  },
  value_head_untrained: {
    what: 'The value head predicts the same value everywhere. Advantages then equal the returns: unbiased but noisy, so the run needs many more episodes.',
    signs: [
      'Explained variance is zero from the start.',
      'The value loss is flat.',
      'Success rises slowly, or fluctuates.',
    ],
    causes: [
      'A value coefficient of 0',
      'A value head without gradient',
      'Value clipping that keeps estimates at their initial values',
    ],
    remedies: [
      'A value coefficient of 0.5.',
      'Training the value head before the policy.',
      'Group-relative advantages, which need no value head.',
    ],
    sources: [gae, details],
  },
  entropy_bonus_too_strong: {
    what: 'The entropy bonus outweighs the reward for solving the task. The policy learns which tokens are good, but the bonus keeps it from preferring them.',
    signs: [
      'The bonus is many times larger than the advantages in the loss.',
      'Entropy stays near its initial value, or grows.',
      'Greedy play solves far more tasks than sampled play.',
    ],
    causes: [
      'A coefficient tuned for rewards on a different scale',
      'A bonus raised to prevent a collapse that has another cause',
    ],
    remedies: [
      'A coefficient of 0.01 or 0.',
      'A higher upper clip bound instead, if exploration is the goal.',
    ],
    sources: [
      arxiv('1602.01783', 'Asynchronous Methods for Deep Reinforcement Learning'),
      arxiv(
        '2505.22617',
        'The Entropy Mechanism of Reinforcement Learning for Reasoning Language Models',
      ),
    ],
  },
  reference_too_tight: {
    what: 'The KL penalty outweighs the reward, so the policy stays close to its reference.',
    signs: [
      'KL to the reference rises a little, then levels off.',
      'The penalty is as large as the rest of the loss.',
      'Entropy and success are flat.',
    ],
    causes: [
      'A coefficient for a good initial policy, used with a poor one',
      'A reference that is never updated',
    ],
    remedies: [
      'A coefficient a hundred times smaller.',
      'A reference that is updated periodically.',
      'No reference at all, if the reward is rule-based.',
    ],
    sources: [prorl, dapo],
  },
  groups_agree: {
    what: 'Advantages are differences within a group of episodes of one task. If all episodes of a group fail, or all succeed, the advantages are zero, and the group has no gradient.',
    signs: [
      'In most groups all rewards are equal.',
      'The gradient norm is near zero, or only the entropy bonus and the KL penalty contribute to it.',
      'Success is close to 0, or to 1.',
    ],
    causes: [
      'Tasks that are too hard or already solved',
      'Groups too small to contain both outcomes',
      'A broken, constant reward',
    ],
    remedies: [
      'Larger groups.',
      'Dynamic sampling, which replaces groups whose rewards are all equal.',
      'Easier tasks, or imitation of an expert first.',
    ],
    sources: [dapo],
  },
  entropy_collapse: {
    what: 'The policy generates the same tokens regardless of their reward. It no longer explores.',
    signs: [
      'Entropy falls to a tenth within the first fifth of the run.',
      'More and more groups have equal rewards, and the gradient norm falls.',
      'Success stays constant, well below what is achievable.',
    ],
    causes: [
      'Rewards for tokens that are already nearly certain',
      'An upper clip bound that holds back rare tokens',
      'A learning rate that is too high',
    ],
    remedies: [
      'An upper clip bound of 1.28.',
      'A lower learning rate.',
      'Clipping (Clip-Cov) or a KL penalty (KL-Cov) for the tokens that drive the collapse.',
      'As a last resort, an entropy bonus.',
    ],
    sources: [
      arxiv(
        '2505.22617',
        'The Entropy Mechanism of Reinforcement Learning for Reasoning Language Models',
      ),
      dapo,
    ],
  },
  sampler_mismatch: {
    what: 'Sampler and trainer assign different probabilities to the same tokens. Every ratio is then wrong from the start, although the policy has not moved.',
    signs: [
      'The two probabilities differ clearly, by the same amount in every iteration.',
      'Ratios differ from 1 before the first update.',
      'The gradient norm rises, and success falls suddenly.',
    ],
    causes: [
      'Different kernels or precision in sampler and trainer',
      'A temperature that only one of them applies',
      'Text that is re-tokenized for training',
      'Different expert routing (mixture of experts)',
    ],
    remedies: [
      'The same numerics on both sides, and token ids stored as sampled.',
      'Truncated importance sampling, which corrects the difference.',
      'Masking of tokens or episodes that differ too much.',
    ],
    sources: [
      arxiv('2510.26788', 'Defeating the Training-Inference Mismatch via FP16'),
      { title: 'verl: rollout correction', url: 'https://verl.readthedocs.io/' },
    ],
  },
  environment_faults: {
    what: 'Episodes fail because of the environment but count as failures of the policy. The policy is penalized for faults it cannot influence.',
    signs: [
      'Success drops suddenly, while entropy and KL are unchanged.',
      'The number of turns or the throughput changes in the same iteration.',
      'Success recovers on its own when the environment does.',
    ],
    causes: [
      'Servers that time out or are restarted',
      'A fault recorded as a reward of 0',
      'A grader that fails on some answers',
    ],
    remedies: [
      'Drop faulty episodes, or play them again.',
      'Count faults separately from failures.',
      'Read some of the episodes that failed.',
    ],
    sources: [arxiv('2406.04151', 'AgentGym')],
  },
  rewards_lost: {
    what: 'Episodes succeed, but their reward never reaches the tokens that earned it. The advantages are flat, so nothing is learned from any success.',
    signs: [
      'Success varies between episodes, but advantages are zero.',
      'The policy loss stays at zero, or comes only from the entropy bonus.',
      'Groups nevertheless contain both successes and failures.',
    ],
    causes: [
      'A reward after the last generated token, where a mask removes it',
      'Rewards shifted by one turn',
      'A factor of 0 between reward and advantage',
    ],
    remedies: [
      'Assign the reward to the last token that the agent generated.',
      'Trace one successful episode from its reward to its advantages.',
    ],
    sources: [agentGymRl, details],
  },
  reward_scale: {
    what: 'Rewards are so large that the value head cannot fit them, and its loss dominates. Group-relative estimators are not affected.',
    signs: [
      'The value loss is far above 1, or stays at its clip bound.',
      'Gradients of the value head exceed those of the policy.',
      'Explained variance drops, and success fluctuates or falls.',
    ],
    causes: [
      'Rewards in game points or money',
      'A reward scale meant for another method',
      'Several components summed without weights',
    ],
    remedies: [
      'Divide rewards by their usual magnitude, or normalize returns.',
      'Lower the weight of the value loss by the same factor.',
      'Use group-relative advantages.',
    ],
    sources: [arxiv('1709.06560', 'Deep Reinforcement Learning That Matters'), details],
  },
  reward_hacking: {
    what: 'The reward can be collected without solving the task, and the policy exploits that. The score rises while success does not.',
    signs: [
      'The score rises, but success is flat or falls, in training as in evaluation.',
      'One component makes up most of the reward.',
      'Answers become longer, or more alike.',
    ],
    causes: [
      'A reward component for form or length',
      'A learned judge that can be exploited',
      'A verifier with a loophole',
    ],
    remedies: [
      'Read the episodes with the highest rewards.',
      'Reward only success, or cap what can be earned without it.',
      'Use a second verifier, and restart from a checkpoint before the onset.',
    ],
    sources: [arxiv('2210.10760', 'Scaling Laws for Reward Model Overoptimization')],
  },
  groups_mixed: {
    what: 'Episodes of different tasks share a group. Their advantages then reflect which task was easier, not which tokens were better.',
    signs: [
      'Episodes of one group begin with different observations.',
      'Groups with equal rewards are far rarer than the success rates of the tasks predict.',
      'The policy moves, but success does not improve.',
      'Easy tasks are always above their group’s mean, hard ones always below.',
    ],
    causes: [
      'Group ids lost when episodes are sorted or distributed over workers',
      'Batches shuffled between rollout and advantage',
    ],
    remedies: [
      'Give every episode its task id, and group by it.',
      'Check that the prompts of a group are equal: wrong group ids raise no error.',
    ],
    sources: [arxiv('2503.09516', 'Search-R1'), dapo],
  },
  setback: {
    what: 'Success has fallen well below its best, and no known cause explains it. A setback may pass on its own; a lasting one calls for a closer look at the iteration in which it began.',
    signs: [
      'Success leaves its best level and does not return.',
      'Often the update just before was larger than usual.',
    ],
    causes: [
      'One large step',
      'Solutions that were forgotten while others were learned',
      'A run that continues after every task is solved',
    ],
    remedies: [
      'A third of the learning rate, or a decaying schedule.',
      'Stopping when greedy play solves every task.',
      'Several seeds: a single drop may be chance.',
    ],
    sources: [
      arxiv('2108.13264', 'Deep Reinforcement Learning at the Edge of the Statistical Precipice'),
    ],
  },
  length_cap: {
    what: 'More and more responses reach the token limit and are truncated before they answer, so they are rewarded as failures.',
    signs: [
      'Mean response length rises to the limit.',
      'The share of truncated responses rises, then the score falls.',
    ],
    causes: [
      'A loss averaged per response, which favors long failures',
      'Truncated responses in the loss',
      'A limit below what the tasks need',
    ],
    remedies: [
      'Mask the loss of truncated responses, or penalize length softly before the limit.',
      'Raise the limit.',
      'Divide the loss by a constant instead of the response length.',
    ],
    sources: [dapo, arxiv('2503.20783', 'Understanding R1-Zero-Like Training')],
  },
  length_runaway: {
    what: 'Responses grow longer while the score falls: the additional length no longer helps.',
    signs: [
      'Mean response length rises by half or more.',
      'The score is flat or falls, and the longest responses are failures.',
    ],
    causes: ['Length bias of the loss or the judge', 'Repetition', 'Plans without actions'],
    remedies: [
      'Read the longest responses.',
      'Divide the loss by a constant instead of the response length.',
      'Penalize length softly.',
    ],
    sources: [
      arxiv('2310.03716', 'A Long Way to Go: Investigating Length Correlations in RLHF'),
      arxiv('2503.20783', 'Understanding R1-Zero-Like Training'),
    ],
  },
  empty_answers: {
    what: 'Responses shrink to a few tokens or none. Ending at once earns as much as a failed attempt and costs nothing.',
    signs: [
      'Mean response length falls to a fraction of its former value.',
      'The score falls with it.',
    ],
    causes: [
      'One update that was far too large',
      'A penalty on length or on invalid actions that outweighs the reward',
      'An end-of-sequence token that should not be part of the loss',
    ],
    remedies: [
      'Restart from the previous checkpoint, with a smaller learning rate.',
      'Read the responses of that step.',
      'Lower the penalties, or reward complete answers.',
    ],
    sources: [arxiv('2504.20073', 'RAGEN')],
  },
  repeated_answers: {
    what: 'Responses repeat the same words or the same action until a limit ends them.',
    signs: ['The share of repeated n-grams rises.', 'Responses grow longer and end at the limit.'],
    causes: ['Entropy that is too low', 'Truncated responses in the loss'],
    remedies: [
      'Stop generation at a repetition, or penalize repeated n-grams.',
      'Mask the loss of truncated responses.',
    ],
    sources: [arxiv('2504.20073', 'RAGEN'), dapo],
  },
  format_collapse: {
    what: 'The environment can parse fewer and fewer answers, so the agent’s actions have no effect.',
    signs: [
      'The share of invalid actions rises, or the format reward falls.',
      'The score falls with it or shortly after.',
    ],
    causes: [
      'Updates that move the policy far from its supervised initialization',
      'A format that earns no reward on its own',
      'Truncated actions',
    ],
    remedies: [
      'Give the format a small reward, or invalid actions a penalty.',
      'Anchor the policy with a KL penalty, or restart from a supervised checkpoint.',
    ],
    sources: [arxiv('2504.20073', 'RAGEN')],
  },
  entropy_explosion: {
    what: 'The policy becomes less and less certain, until its tokens are nearly random.',
    signs: [
      'Entropy rises by half or more within a few steps.',
      'Response length and gradient norm rise, then the score falls.',
    ],
    causes: [
      'An entropy bonus that is too strong',
      'An upper clip bound that is too wide',
      'Negative advantages that outweigh positive ones',
    ],
    remedies: [
      'Lower the entropy bonus and the upper clip bound.',
      'Mask the loss of truncated responses.',
    ],
    sources: [
      arxiv(
        '2505.22617',
        'The Entropy Mechanism of Reinforcement Learning for Reasoning Language Models',
      ),
    ],
  },
  kl_drift: {
    what: 'The policy moves away from its reference without a matching rise in the score.',
    signs: ['KL to the reference rises faster and faster.', 'The held-out score is flat or falls.'],
    causes: [
      'A KL coefficient that is too small',
      'A reward that measures something other than the score',
    ],
    remedies: [
      'Raise the KL coefficient, or update the reference.',
      'Stop at the best held-out score.',
    ],
    sources: [arxiv('2210.10760', 'Scaling Laws for Reward Model Overoptimization'), prorl],
  },
  gradient_spike: {
    what: 'A single update with an exceptionally large gradient moves the weights to where the policy no longer works.',
    signs: [
      'One gradient norm is many times the median before it.',
      'The score falls in the following steps; larger gradients after that are a consequence.',
    ],
    causes: ['Rare tokens with large ratios', 'A batch with few tokens in the loss', 'No clipping'],
    remedies: [
      'Clip the gradient norm near its median, and skip updates far above it.',
      'Lower the learning rate, and restart from the previous checkpoint.',
    ],
    sources: [arxiv('2509.02479', 'SimpleTIR')],
  },
  stalled_schedule: {
    what: 'A curriculum that should become harder or longer stays at its first level.',
    signs: ['The level is the same from the first step to the last.', 'The score is flat.'],
    causes: [
      'A condition that is never met',
      'A schedule driven by a counter that never increases',
    ],
    remedies: ['Log both sides of the condition.', 'Start from an easier level.'],
    sources: [agentGymRl],
  },
  few_prompts: {
    what: 'The policy sees the same few prompts repeatedly and memorizes them.',
    signs: ['The training score rises.', 'The held-out score does not improve.'],
    causes: ['A small training set', 'A filter that leaves few prompts'],
    remedies: ['Train on more prompts.', 'Stop at the best held-out score.'],
    sources: [dapo],
  },
};
