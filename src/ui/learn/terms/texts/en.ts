import type { TermTexts } from './types.ts';

export const termTexts: TermTexts = {
  heading: 'Terms',
  all: 'All terms',
  close: 'Close definition',
  closeAll: 'Close terms',
  see: 'See also',
  inSentence: (title) => title.toLowerCase().replace('kl ', 'KL '),
  drawn: { text: 'text so far', turns: 'turns', expert: 'expert', goal: 'goal' },
  of: {
    token: {
      title: 'Token',
      short: 'The smallest piece of text that the agent reads or writes.',
      more: 'A token is a word, a punctuation mark, or a fixed phrase such as “move up”. The list of all tokens is the vocabulary. The agent writes by sampling one token after another.',
      drawn: 'A sentence is split into tokens; the agent adds the last one.',
    },
    policy: {
      title: 'Policy',
      short: 'The rule by which the agent acts: a probability for every possible next token.',
      more: 'The policy is a small transformer. Given the text so far, it assigns a probability to every token of the vocabulary. The next token is sampled from this distribution. Training changes the probabilities.',
      drawn: 'Input: the text so far. Output: a probability for every next token.',
    },
    episode: {
      title: 'Episode',
      short: 'One attempt at one task, from start to end.',
      more: 'In each turn the agent reads an observation and answers with an action. The episode terminates when the task is solved or failed, or is truncated at the horizon.',
      drawn: 'Turn by turn: an observation, then an action.',
    },
    reward: {
      title: 'Reward',
      short: 'A number from the environment that the agent learns to maximize.',
      more: 'It is the only feedback. In the maze, reaching the goal gives 1 and everything else 0. The reward does not say which step was good; advantages estimate that.',
      drawn: 'Many steps, and one reward at the end.',
    },
    horizon: {
      title: 'Horizon',
      short: 'The maximum number of turns per episode.',
      more: 'A short horizon is cheap, but tasks that need more turns cannot succeed. A long one allows them and costs more. ScalingInter-RL starts short and extends the horizon in phases.',
      drawn: 'The same task under a short horizon and a longer one.',
    },
    evaluation: {
      title: 'Evaluation',
      short: 'A test between two iterations that does not affect training.',
      more: 'The agent plays a fixed set of tasks greedily. Most environments hold out tasks for it. The double-T maze has too few tasks and uses its training tasks.',
      drawn: 'The curve is training success; each dot is an evaluation.',
    },
    greedy: {
      title: 'Greedy play',
      short: 'Always taking the most probable token instead of sampling.',
      more: 'In training the agent samples, so that it explores. Greedy play shows its preferred actions. The two success rates differ as long as the policy has high entropy.',
      drawn: 'Greedy play uses only the largest probability.',
    },
    imitation: {
      title: 'Imitation',
      short: 'Supervised training on an expert’s dialogues, also called behavior cloning.',
      more: 'The agent learns to reproduce the expert’s actions. Imitation is fast, but limited to what the expert shows. Reinforcement learning continues from there.',
      drawn: 'The agent follows the expert’s path.',
    },
    update: {
      title: 'Update',
      short: 'One optimizer step, which changes all weights of the policy.',
      more: 'After the episodes of an iteration the optimizer makes several updates. Each moves the weights a little in the direction of the gradient.',
      drawn: 'Each update is a small step uphill.',
    },
    gradient: {
      title: 'Gradient',
      short: 'The direction in which a small change of the weights improves the objective most.',
      more: 'Its norm is its length. A sudden jump often precedes a collapse, so gradients above a maximum norm are scaled down.',
      drawn: 'It points uphill; its length is the steepness.',
    },
    advantage: {
      title: 'Advantage',
      short: 'How much better an action was than expected.',
      more: 'Actions with a positive advantage become more probable, those with a negative one less probable. The expectation comes from a value head (PPO) or from the other episodes of the same task (GRPO).',
      drawn:
        'The line is the expectation. Actions above it become more probable, those below it less.',
    },
    value: {
      title: 'Value head',
      short: 'A second output of the network that predicts the expected return.',
      more: 'It is trained together with the policy. Near the goal the value is high, far from it low. Advantages are computed relative to it.',
      drawn: 'Darker cells have a higher value.',
    },
    objective: {
      title: 'Surrogate objective',
      short: 'The differentiable objective that updates maximize instead of the reward.',
      more: 'The reward cannot be differentiated. The surrogate can: it multiplies each token’s ratio by its advantage. Close to the policy that collected the episodes, increasing it increases the expected reward.',
      drawn: 'The surrogate matches the reward near the current policy and deviates farther away.',
    },
    ratio: {
      title: 'Probability ratio',
      short: 'The probability of a token now, divided by its probability when it was sampled.',
      more: 'A ratio of 1 means no change. The farther it is from 1, the less the old episodes say about the current policy.',
      drawn: 'Probability then and now: here the ratio is 1.5.',
    },
    clipping: {
      title: 'Clipping',
      short:
        'Tokens whose ratio has moved beyond a bound, in the direction of their advantage, get no gradient.',
      more: 'Bounds such as 0.8 and 1.2 keep a few episodes from changing the policy too much. The clip fraction is the share of clipped tokens.',
      drawn:
        'For a positive advantage the objective grows with the ratio up to the upper bound, then stays constant.',
    },
    entropy: {
      title: 'Entropy',
      short: 'How random the policy’s choices are.',
      more: 'It is highest if all tokens are equally probable, and 0 if one token has probability 1. It falls during training. If it falls too early, the agent stops exploring.',
      drawn: 'High entropy on the left, low entropy on the right.',
    },
    nat: {
      title: 'Nat',
      short: 'The unit of entropy with natural logarithms.',
      more: 'A choice among n equally probable tokens has an entropy of ln n nats: 0.69 for two, 2.3 for ten. One nat is about 1.44 bits.',
      drawn: 'Entropy of a choice among 2, 4 and 8 equally probable tokens.',
    },
    kl: {
      title: 'KL divergence',
      short: 'A measure of how much one distribution differs from another, in nats.',
      more: 'It is 0 for equal distributions. Here it is the mean distance during an iteration’s updates from the policy that generated the tokens. A sudden rise means that the steps are too large.',
      drawn: 'Probabilities before and after: the more they differ, the larger the KL divergence.',
    },
  },
};
