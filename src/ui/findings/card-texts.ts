/** What is known of each way to fail beside this page: in words, with where it was described. */

export interface Source {
  readonly title: string;
  readonly url: string;
}

export interface CardText {
  readonly what: string;
  /** In the order in which they come. */
  readonly signs: readonly string[];
  readonly causes: readonly string[];
  /** The first to try first. */
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

/** By the name of the way to fail; `cards.test.ts` holds that each has one. */
export const cardTexts: Readonly<Record<string, CardText | undefined>> = {
  not_finite: {
    what: 'A number in an update is infinite or no number at all. Without a guard it reaches the weights, and every number after it is lost.',
    signs: [
      'One series is the first to show NaN or Infinity; all others follow.',
      'Before it, the gradient norm leaps far above what it was.',
    ],
    causes: [
      'Exponentials of ratios between policies that are far apart',
      'Means over no tokens',
      'A learning rate that drives weights out of range',
      'Rewards of a size that nothing bounds',
    ],
    remedies: [
      'Find the first series that is not finite: it names the place in the code.',
      'Lower the learning rate and clip the gradient norm.',
      'Clamp log-ratios before they are exponentiated.',
    ],
    sources: [arxiv('2509.02479', 'SimpleTIR')],
  },
  no_step_bound: {
    what: 'The clip bounds are so wide that no token ever meets one. The objective is then an ordinary policy gradient that is taken several times from the same words, and nothing stops it from going too far.',
    signs: [
      'KL of an iteration grows to several tenths of a nat.',
      'The clip fraction stays at zero all the same.',
      'Success swings, or falls for good.',
    ],
    causes: [
      'Bounds that were widened in search of speed',
      'Bounds on the wrong scale, as 10 in place of 1.2',
    ],
    remedies: [
      'Bounds of 0.8 and 1.2.',
      'One update for each rollout, where bounds are not wanted.',
      'A target for KL that ends the epochs early.',
    ],
    sources: [ppo, onPolicy],
  },
  bounds_too_tight: {
    what: 'The clip bounds leave so little room that most tokens lose their gradient after the first step. The run learns, and far more slowly than it could.',
    signs: [
      'A large share of the tokens is clipped from the first iteration on.',
      'KL stays far below 0.001 nats.',
      'Entropy and success move slowly and evenly.',
    ],
    causes: [
      'Bounds of a method with sequence ratios, used on token ratios',
      'Bounds that were narrowed against another instability',
    ],
    remedies: [
      'Bounds of 0.8 and 1.2.',
      'A higher upper bound alone, such as 1.28, where rare words must be able to grow.',
    ],
    sources: [ppo, dapo],
  },
  learning_rate_too_high: {
    what: 'Each update moves the policy farther than its data can say anything about. The next rollout is played by a policy that nobody has tested, and what was learned is overwritten.',
    signs: [
      'KL of the first iterations is above 0.1 nats; 0.001 to 0.03 are usual.',
      'Many tokens run into the clip bounds within one iteration.',
      'Entropy moves in leaps, and explained variance drops.',
      'Success stays low, or falls after a good start.',
    ],
    causes: [
      'A learning rate taken over from a larger batch or another model',
      'No warm-up',
      'Moments of the optimiser that were kept from imitation',
    ],
    remedies: [
      'A third or a tenth of the learning rate.',
      'Warm-up over the first updates.',
      'Moments that begin anew after imitation.',
      'Fewer epochs, or a target for KL.',
    ],
    sources: [onPolicy, details],
  },
  too_many_epochs: {
    what: 'Every iteration learns so often from the same episodes that it learns their accidents by heart. The first epochs are sound; the last ones push the policy far beyond what the episodes show.',
    signs: [
      'KL is large at the end of an iteration and small after its first epoch.',
      'The clip fraction grows from epoch to epoch.',
      'Success swings from iteration to iteration.',
    ],
    causes: [
      'Epochs raised to get more out of costly rollouts',
      'Small batches that are passed over often',
    ],
    remedies: [
      'Four epochs or fewer.',
      'A target for KL that ends the epochs early.',
      'More episodes for each iteration.',
    ],
    sources: [onPolicy, arxiv('2405.00662', 'No Representation, No Trust')],
  },
  nothing_moves: {
    what: 'There is a gradient in every update, and the steps are too small for it to matter. After many iterations the policy is still the one that it began as.',
    signs: [
      'KL stays below 0.0001 nats.',
      'No token comes near a bound.',
      'Entropy and success are flat while the gradient norm is ordinary.',
    ],
    causes: [
      'A learning rate of another kind of training, or a schedule that is over',
      'Gradients scaled down twice',
    ],
    remedies: [
      'Three to ten times the learning rate, until KL reaches 0.001.',
      'Look at the schedule: what the optimiser is given may not be what was set.',
    ],
    sources: [onPolicy, { title: 'Spinning Up in Deep RL', url: 'https://spinningup.openai.com/' }],
  },
  horizon_too_short: {
    what: 'Episodes are cut before the longer ways can succeed. What takes more turns than the limit is never rewarded, so it is never learned.',
    signs: [
      'Nearly all failures are cut by the limit.',
      'Episodes that succeed take almost all the turns they may.',
      'Evaluation with more turns solves more than training.',
    ],
    causes: ['A limit set for speed', 'A growing limit that begins too low or grows too late'],
    remedies: ['More turns.', 'A limit that grows while the agent learns (ScalingInter-RL).'],
    sources: [agentGymRl, timeLimits],
  },
  bootstrapping_at_horizon: {
    what: 'An episode that the limit cuts is credited with the value of its last state. Without discount that promise never shrinks, so walking on is worth as much as arriving, and the value head learns from its own promises.',
    signs: [
      'Explained variance falls below zero after it had been good.',
      'Episodes grow longer, up to the limit.',
      'Success falls, and what it lost is cut by the limit.',
    ],
    causes: [
      'γ = 1 together with cut episodes that are bootstrapped',
      'A limit that the agent cannot see',
    ],
    remedies: [
      'γ below 1, such as 0.95.',
      'A limit that stays as it is.',
      'The remaining turns in the observation.',
    ],
    sources: [timeLimits, gae],
  },
  value_head_untrained: {
    what: 'The value head says the same everywhere. Advantages are then the returns themselves: unbiased and noisy, so that the run needs many more episodes.',
    signs: [
      'Explained variance is zero from the start on.',
      'The value loss is flat.',
      'Success rises slowly, or with swings.',
    ],
    causes: [
      'A value coefficient of 0',
      'A value head that no gradient reaches',
      'A clip of values that holds them where they began',
    ],
    remedies: [
      'A value coefficient of 0.5.',
      'A value head that is trained before the policy is.',
      'Advantages within groups, which need no value head.',
    ],
    sources: [gae, details],
  },
  entropy_bonus_too_strong: {
    what: 'Being uncertain pays more than being right. The policy learns what is good, and is held from writing it.',
    signs: [
      'The bonus is many times what the advantages put into the loss.',
      'Entropy stays near its start, or grows.',
      'Greedy play solves far more than sampled play.',
    ],
    causes: [
      'A coefficient taken over from rewards of another scale',
      'A bonus raised against a collapse that had another cause',
    ],
    remedies: [
      'A coefficient of 0.01 or 0.',
      'A higher upper clip bound in its place, where exploring is wanted.',
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
    what: 'The KL penalty costs more than reward can bring, so the policy stays beside its reference.',
    signs: [
      'KL to the reference rises a little and stops.',
      'The penalty is as large as the rest of the loss.',
      'Entropy and success are flat.',
    ],
    causes: [
      'A coefficient for a policy that begins good, used on one that does not',
      'A reference that is never renewed',
    ],
    remedies: [
      'A coefficient a hundred times smaller.',
      'A reference that is renewed now and then.',
      'No reference at all, where the reward is a rule.',
    ],
    sources: [prorl, dapo],
  },
  groups_agree: {
    what: 'Advantages are differences within a group of episodes of one task. Where all of a group fail, or all succeed, they are zero, and the group teaches nothing.',
    signs: [
      'In most groups all rewards are equal.',
      'The gradient norm is near zero, or comes from the bonus and the penalty alone.',
      'Success is close to 0, or to 1.',
    ],
    causes: [
      'Tasks out of reach, or solved long ago',
      'Groups too small to hold both kinds',
      'A reward that is broken and always the same',
    ],
    remedies: [
      'Larger groups.',
      'Other tasks in place of those whose groups agree (dynamic sampling).',
      'Easier tasks, or imitation of an expert first.',
    ],
    sources: [dapo],
  },
  entropy_collapse: {
    what: 'The policy writes the same words whatever they earn. It no longer finds anything that it does not know already.',
    signs: [
      'Entropy falls to a tenth within the first fifth of the run.',
      'Groups agree more and more often, and the gradient norm falls.',
      'Success stays where it is, well below what could be had.',
    ],
    causes: [
      'Words that are sure already and are rewarded again',
      'An upper clip bound that holds rare words back',
      'A learning rate that is too high',
    ],
    remedies: [
      'An upper clip bound of 1.28.',
      'A lower learning rate.',
      'Updates without the tokens that carry the collapse (Clip-Cov, KL-Cov).',
      'An entropy bonus, last of all.',
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
    what: 'What samples the words and what trains on them give the same words different probabilities. Every ratio is then wrong from the start, although the policy has not moved.',
    signs: [
      'The distance between the two is well above 0, and the same in every iteration.',
      'Ratios differ from 1 before the first update.',
      'The gradient norm climbs, and success falls all at once.',
    ],
    causes: [
      'Other kernels or another precision on the two sides',
      'A temperature that only one of them knows',
      'Text that is tokenised again on its way',
      'Experts that are routed otherwise (mixtures of experts)',
    ],
    remedies: [
      'The same numerics on both sides, and tokens that are kept as they were sampled.',
      'Weights for the difference, truncated (truncated importance sampling).',
      'Tokens or episodes left out that differ too much.',
    ],
    sources: [
      arxiv('2510.26788', 'Defeating the Training-Inference Mismatch via FP16'),
      { title: 'verl: rollout correction', url: 'https://verl.readthedocs.io/' },
    ],
  },
  environment_faults: {
    what: 'Episodes fail because the environment does, and are counted as failures of the policy. The policy is punished for what it cannot help, and learns from accidents.',
    signs: [
      'Success steps down at once, while entropy and KL stay as they were.',
      'Turns or speed change in the same iteration.',
      'It recovers by itself when the environment does.',
    ],
    causes: [
      'Servers that time out or are restarted',
      'A fault that is booked as a reward of 0',
      'A grader that fails on some answers',
    ],
    remedies: [
      'Leave faulty episodes out, or play them again.',
      'Count faults apart from failures.',
      'Read some of the episodes that failed.',
    ],
    sources: [arxiv('2406.04151', 'AgentGym')],
  },
  rewards_lost: {
    what: 'Episodes succeed, and what they earned never reaches the words that earned it. The advantages are flat, so nothing is learned from any success.',
    signs: [
      'Success varies from episode to episode, and advantages are zero.',
      'The policy loss stays at zero, or comes from the bonus alone.',
      'Groups hold successes beside failures all the same.',
    ],
    causes: [
      'A reward put behind the last word that was written, where a mask cuts it off',
      'Rewards that are shifted by a turn',
      'A factor of 0 on the way',
    ],
    remedies: [
      'Put the reward on the last token that the agent wrote.',
      'Follow one successful episode from its reward to its advantages.',
    ],
    sources: [agentGymRl, details],
  },
  reward_scale: {
    what: 'Rewards are so large that the value head cannot follow them, and its loss drowns the rest. Estimators that compare within a group do not mind.',
    signs: [
      'The value loss is far above 1, or sits at its clip.',
      'Gradients of the value head outweigh those of the policy.',
      'Explained variance drops, and success swings or falls.',
    ],
    causes: [
      'Rewards in points of a game or in money',
      'A factor that was added for another method',
      'Several parts that are summed without weights',
    ],
    remedies: [
      'Divide rewards by their usual size, or normalise returns.',
      'Lower the weight of the value loss by as much.',
      'Compare episodes within groups.',
    ],
    sources: [arxiv('1709.06560', 'Deep Reinforcement Learning That Matters'), details],
  },
  reward_hacking: {
    what: 'The reward can be collected without solving the task, and the policy has found out how. The score rises while success does not.',
    signs: [
      'The score rises, and success is flat or falls, in training as in evaluation.',
      'One part of the reward makes up most of it.',
      'Answers grow longer, or more alike.',
    ],
    causes: [
      'A part of the reward for form or length',
      'A learned judge that can be pleased',
      'A verifier with a gap',
    ],
    remedies: [
      'Read the episodes that are paid best.',
      'Pay for success alone, or cap what can be earned without it.',
      'A second verifier, and the run from before it began.',
    ],
    sources: [arxiv('2210.10760', 'Scaling Laws for Reward Model Overoptimization')],
  },
  groups_mixed: {
    what: 'Episodes of different tasks stand in one group. Their advantages then say which task was easier, and not which words were better.',
    signs: [
      'Episodes of one group begin with different observations.',
      'Groups agree far less often than success by task would have it.',
      'The policy moves, and success does not follow.',
      'Easy tasks are always above their group, hard ones always below.',
    ],
    causes: [
      'Group ids that are lost when episodes are sorted or spread over workers',
      'Batches that are shuffled between rollout and advantage',
    ],
    remedies: [
      'Give every episode the id of its task, and group by it.',
      'Check that the prompts of a group are equal: ids that are wrong do not show it.',
    ],
    sources: [arxiv('2503.09516', 'Search-R1'), dapo],
  },
  setback: {
    what: 'Success has fallen well below its best, and none of the known causes explains it. A setback may pass by itself; one that does not asks for a closer look at the iteration in which it began.',
    signs: [
      'Success leaves its best level and stays away from it.',
      'Often an update just before went farther than usual.',
    ],
    causes: [
      'One large step',
      'Ways that were lost while others were learned',
      'A run that goes on after everything is solved',
    ],
    remedies: [
      'A third of the learning rate, or one that falls.',
      'An end where greedy play solves everything.',
      'Several seeds: one fall may be luck.',
    ],
    sources: [
      arxiv('2108.13264', 'Deep Reinforcement Learning at the Edge of the Statistical Precipice'),
    ],
  },
};
