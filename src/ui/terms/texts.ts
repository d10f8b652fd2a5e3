/** What the cards of terms say. */

import type { TermName } from './terms.ts';

export interface TermText {
  readonly title: string;
  /** One sentence that stands by itself. */
  readonly short: string;
  /** What it means for the agent here. */
  readonly more: string;
  /** Below the drawing. */
  readonly drawn: string;
  readonly see: readonly TermName[];
}

export const termTexts: Readonly<Record<TermName, TermText>> = {
  token: {
    title: 'Token',
    short: 'The smallest piece of text that the agent reads or writes.',
    more: 'A token is a word, a mark, or a fixed phrase such as “move up”. The agent knows a list of them, its vocabulary, and writes by choosing one after the other.',
    drawn: 'A sentence is cut into tokens; the agent adds the last one.',
    see: ['policy', 'entropy'],
  },
  policy: {
    title: 'Policy',
    short: 'How the agent decides: a probability for every token it could write next.',
    more: 'The policy is a small transformer. Given what was said so far, it spreads 100% over its whole vocabulary, and the next token is drawn by these odds. Learning changes the odds and nothing else.',
    drawn: 'What is read goes in; odds for every next token come out.',
    see: ['token', 'entropy', 'greedy'],
  },
  episode: {
    title: 'Episode',
    short: 'One try at one task, from its start to its end.',
    more: 'In each turn the agent reads what the environment says and answers with an action. The episode ends when the task is solved or lost, or when the horizon cuts it.',
    drawn: 'Turn by turn: the environment speaks, the agent acts.',
    see: ['horizon', 'reward'],
  },
  reward: {
    title: 'Reward',
    short: 'The number that says how good an episode was.',
    more: 'It is all that the agent is told. In the maze the goal gives 1 and everything else 0; nobody says which step was the good one. Finding that out is the work of advantages.',
    drawn: 'Many steps, and one reward at the end.',
    see: ['advantage', 'episode'],
  },
  horizon: {
    title: 'Horizon',
    short: 'The most turns that an episode may take.',
    more: 'A short horizon gives quick, cheap tries that only easy tasks survive. A long one reaches far and costs much. ScalingInter-RL begins short and lengthens it as the agent gets better.',
    drawn: 'The same task under a short horizon and a longer one.',
    see: ['episode', 'reward'],
  },
  evaluation: {
    title: 'Evaluation',
    short: 'An exam between two iterations, from which nothing is learned.',
    more: 'The agent plays a fixed set of tasks and always takes its most probable word. Most environments keep tasks apart for it; where there are few, as in the double-T maze, it plays the ones that it trains on.',
    drawn: 'Training goes on; now and then a dot says what the agent can do.',
    see: ['greedy', 'episode'],
  },
  greedy: {
    title: 'Greedy play',
    short: 'Always taking the most probable word, instead of drawing one by the odds.',
    more: 'In training the agent draws, so that it tries things out. Greedy play shows what it holds to be best. The two success rates differ for as long as the agent is undecided.',
    drawn: 'Of all the odds, greedy play looks at the largest alone.',
    see: ['policy', 'evaluation', 'entropy'],
  },
  imitation: {
    title: 'Imitation',
    short: 'Making the words of an expert more probable, before any trial of one’s own.',
    more: 'The agent reads how an expert solves tasks and learns to write the same. It is quick, and ends at what the expert showed; reinforcement learning goes on from there.',
    drawn: 'The agent follows the expert’s path.',
    see: ['policy', 'reward'],
  },
  update: {
    title: 'Update',
    short: 'One small step of all the numbers that the policy is made of.',
    more: 'After the episodes of an iteration the optimiser takes a few such steps. Each moves the weights a little in the direction that the gradient points to.',
    drawn: 'Each update is a step towards better odds.',
    see: ['gradient', 'objective'],
  },
  gradient: {
    title: 'Gradient',
    short: 'The direction in which a small change of the weights improves the objective most.',
    more: 'Its norm is its length: how strongly the batch pulls. It often jumps before a run falls apart, and so a gradient that is too long is scaled down.',
    drawn: 'On a slope it points straight up; its length says how steep the place is.',
    see: ['update', 'objective'],
  },
  advantage: {
    title: 'Advantage',
    short: 'How much better an action turned out than was to be expected.',
    more: 'Above zero the action becomes more probable, below zero less. What was to be expected comes from a value head (PPO) or from the other episodes of the same task (GRPO).',
    drawn:
      'The line is what was expected. Actions above it become more probable, those below it less.',
    see: ['reward', 'value', 'ratio'],
  },
  value: {
    title: 'Value head',
    short: 'A second output of the network that guesses how much reward is still to come.',
    more: 'It is learned beside the policy. Near the goal the guess is high, far from it low, and an action’s advantage is measured against it.',
    drawn: 'Darker places promise more reward.',
    see: ['advantage', 'reward'],
  },
  objective: {
    title: 'Surrogate objective',
    short: 'The number that an update makes larger, in place of the reward itself.',
    more: 'Reward cannot be differentiated. The surrogate can: it multiplies each token’s ratio by its advantage, and near the policy that played, making it larger makes reward larger.',
    drawn: 'The surrogate follows the reward where the policy stands, and leaves it farther away.',
    see: ['ratio', 'advantage', 'clipping'],
  },
  ratio: {
    title: 'Probability ratio',
    short: 'How probable a token is now, divided by how probable it was when it was written.',
    more: 'One means that nothing has changed. The farther the ratio is from one, the less the old episodes say of the present policy.',
    drawn: 'A token’s probability then and now: here it has grown by half.',
    see: ['clipping', 'policy'],
  },
  clipping: {
    title: 'Clipping',
    short:
      'Once a token’s ratio has moved far enough in the wanted direction, the token no longer pulls.',
    more: 'Bounds such as 0.8 and 1.2 keep a few lucky episodes from changing the policy all at once. The clip fraction says how many tokens have run into a bound.',
    drawn: 'For a good token the gain grows with the ratio up to the upper bound, and then stays.',
    see: ['ratio', 'objective'],
  },
  entropy: {
    title: 'Entropy',
    short: 'How undecided the policy is.',
    more: 'It is highest where all tokens are equally probable, and zero where one has 100%. It falls while the agent learns. Where it falls too early, the agent stops trying things out.',
    drawn: 'Undecided on the left, decided on the right.',
    see: ['nat', 'policy', 'greedy'],
  },
  nat: {
    title: 'Nat',
    short: 'The unit in which entropy is counted here.',
    more: 'A choice among n equally probable tokens has ln n nats: 0.69 for two, 2.3 for ten. One nat is about 1.44 bits.',
    drawn: 'Nats of a choice among 2, 4 and 8 equal tokens.',
    see: ['entropy', 'kl'],
  },
  kl: {
    title: 'KL divergence',
    short: 'How far two policies are apart, in nats.',
    more: 'It is zero where they give the same odds. Here it compares the policy after the updates of an iteration with the one that played it. Sudden growth means that the steps are too large.',
    drawn: 'The odds before and after: the farther apart they are, the larger the KL.',
    see: ['nat', 'ratio', 'update'],
  },
};
