import { type Agent, greedy } from '../../../agents/agent.ts';
import { type Conversation, verdictOf } from '../../../agents/modes/conversation.ts';
import type { Criticizable } from '../../../agents/modes/prompts.ts';
import { answered, criticized, refined } from '../../../agents/modes/refine.ts';
import { agentTokens, type Trajectory } from '../../../agents/trajectory.ts';
import { critiqueReward, discriminationReward } from '../../../algorithms/critique-rewards.ts';
import type { Config } from '../../../config/schema.ts';
import { AGENT, CRITIC } from '../../../runs/checkpoint.ts';
import type { TrainingEpisode } from '../../learn/batch.ts';
import type { HeardConversation } from '../../look/conversations.ts';
import { expectFiniteLogps } from '../../play/finite.ts';
import type { Group } from '../../play/groups.ts';
import { mean, total } from '../../sums.ts';
import type { Stage } from './stage.ts';

/**
 * The conversations after one phase of an iteration. Each answer has a group of conversations, one
 * per critique.
 */
export interface Spoken {
  /** Their state so far, group by group. */
  readonly conversations: readonly Conversation[];
  /** Turns and tokens of this phase; a message shared by several conversations counts once. */
  readonly turns: number;
  readonly tokens: number;
}

/** The speakers and tasks of an iteration. */
export interface Hearing {
  readonly config: Config;
  readonly environment: Criticizable;
  readonly actor: Agent;
  readonly critic: Agent;
  /** The iteration's number. */
  readonly iteration: number;
}

/**
 * Number of answered tasks, as a multiple of those an iteration uses, to find enough correct and
 * wrong answers.
 */
export const ASKED = 2;

/**
 * The actor answers tasks, y ~ π_θ(·|x), each as often as the config says.
 *
 * @throws {EnvironmentFault} if the environment fails
 * @throws {NonFiniteError} if a token's log-probability is not finite
 */
export async function answer(
  { config, environment, actor, iteration }: Hearing,
  tasks: readonly string[],
  onProgress: (fraction: number) => void,
): Promise<Spoken> {
  onProgress(0);
  const { answers, answer_temperature: temperature } = config.critique;
  const begun = await answered(
    environment,
    { name: AGENT, agent: { ...actor, temperature } },
    tasks.flatMap((task) => new Array<string>(answers).fill(task)),
    { key: { iteration, episode: 0 }, onProgress },
  );
  onProgress(1);
  return spoken(begun, `the answers of iteration ${iteration}`);
}

/** Conversations that consist of one answer each. */
function begunBy(answers: readonly Trajectory[]): Conversation[] {
  return answers.map((trajectory) => ({
    task: trajectory.task,
    utterances: [{ author: AGENT, act: 'answer', trajectory }],
  }));
}

/** The first answers of conversations. */
export function answersOf(conversations: readonly Conversation[]): Trajectory[] {
  return conversations.flatMap(({ utterances }) =>
    utterances.slice(0, 1).map(({ trajectory }) => trajectory),
  );
}

/**
 * Like `answer`, but selects the answers to critique with a given share of correct ones, if both
 * kinds are available. A critic trained mostly on one kind learns to always give the same verdict.
 *
 * @param tasks `ASKED` times as many as an iteration uses
 */
export async function answerBoth(
  hearing: Hearing,
  tasks: readonly string[],
  onProgress: (fraction: number) => void,
): Promise<Spoken> {
  const { conversations, ...cost } = await answer(hearing, tasks, onProgress);
  const count = conversations.length / ASKED;
  return {
    conversations: balanced(conversations, count, hearing.config.critique.right_answers),
    ...cost,
  };
}

/**
 * Selects `count` answers in their order, with a given share of correct ones if both kinds are
 * available.
 */
function balanced(
  answers: readonly Conversation[],
  count: number,
  rightShare: number,
): readonly Conversation[] {
  const isRight = (place: number) => answers[place]?.utterances[0]?.trajectory.success === true;
  const places = answers.map((_, place) => place);
  const rights = places.filter((place) => isRight(place));
  const wrongs = places.filter((place) => !isRight(place));
  const right = Math.max(Math.round(rightShare * count), count - wrongs.length);
  const taken = rights.slice(0, right);
  const chosen = new Set([...taken, ...wrongs.slice(0, count - taken.length)]);
  return answers.filter((_, place) => chosen.has(place));
}

/**
 * The critic critiques each answer several times, c ~ π_φ(·|x, y).
 *
 * @throws {EnvironmentFault} if the environment fails
 * @throws {NonFiniteError} if a token's log-probability is not finite
 */
export async function criticize(
  { config, environment, critic, iteration }: Hearing,
  { conversations }: Spoken,
  onProgress: (fraction: number) => void,
): Promise<Spoken> {
  onProgress(0);
  const { group_size } = config.rollout;
  const each = conversations.flatMap((conversation) =>
    new Array<Conversation>(group_size).fill(conversation),
  );
  const critiqued = await criticized(
    environment,
    { name: CRITIC, agent: critic },
    each,
    { key: { iteration, episode: 0 }, onProgress },
    config.critique.advice,
  );
  onProgress(1);
  return spoken(critiqued, `the critiques of iteration ${iteration}`);
}

/**
 * The actor refines its answer after each critique, y′ ~ π_θ(·|x, y, c).
 *
 * @throws {EnvironmentFault} if the environment fails
 * @throws {NonFiniteError} if a token's log-probability is not finite
 */
export async function refine(
  { config, environment, actor, iteration }: Hearing,
  { conversations }: Spoken,
  onProgress: (fraction: number) => void,
): Promise<Spoken> {
  onProgress(0);
  const { refinement_temperature: temperature, answers } = config.critique;
  // All lower episode numbers belong to the actor's answers.
  const episode = ASKED * config.rollout.tasks_per_iteration * answers;
  const refinements = await refined(
    environment,
    { name: AGENT, agent: { ...actor, temperature } },
    conversations,
    { key: { iteration, episode }, onProgress },
  );
  onProgress(1);
  return spoken(refinements, `the refinements of iteration ${iteration}`);
}

/** Conversations after a phase, with the turns and tokens of their last messages. */
function spoken(conversations: readonly Conversation[], what: string): Spoken {
  const trajectories = conversations.flatMap(
    ({ utterances }) => utterances.at(-1)?.trajectory ?? [],
  );
  expectFiniteLogps(trajectories, what);
  return { conversations, ...costOf(trajectories) };
}

/** Total turns and tokens of trajectories. One that appears several times counts once. */
function costOf(trajectories: readonly Trajectory[]): Pick<Spoken, 'turns' | 'tokens'> {
  const played = [...new Set(trajectories)];
  return {
    turns: total(played, ({ turns }) => turns.length),
    tokens: total(played, agentTokens),
  };
}

/**
 * The critiques of each answer as a group of episodes with their stage's reward.
 *
 * @param compared a greedy critique of each answer as a baseline; null for none
 */
export function rewardedCritiques(
  { config, iteration }: Hearing,
  stage: Stage,
  { conversations }: Spoken,
  compared: readonly Conversation[] | null,
): Group[] {
  const { group_size } = config.rollout;
  const worthOf = (conversation: Conversation) => rewardOf(config, stage, conversation);
  return Array.from({ length: conversations.length / group_size }, (_, group) => {
    const own = conversations.slice(group * group_size, (group + 1) * group_size);
    const trajectories = own.flatMap((conversation) => {
      const [, critique] = conversation.utterances;
      if (critique === undefined) return [];
      return { ...worth(critique.trajectory, worthOf(conversation)), group };
    });
    const greedily = compared?.[group];
    return {
      ...{ iteration, group, task: trajectories[0]?.task ?? '', horizon: 1, trajectories },
      ...(greedily === undefined ? {} : { greedyReward: worthOf(greedily) }),
    };
  });
}

/**
 * Conversations with the reward and advantage of each critique.
 *
 * @param groups their critiques, rewarded
 * @param episodes the same, with their advantages
 */
export function learnedFrom(
  { number: stage }: Stage,
  { conversations }: Spoken,
  groups: readonly Group[],
  episodes: readonly TrainingEpisode[],
): readonly HeardConversation[] {
  const rewarded = groups.flatMap(({ trajectories }) => trajectories);
  return conversations.map((conversation, i) => {
    const [reward, advantages] = [rewarded[i]?.score, episodes[i]?.advantages];
    if (reward === undefined || advantages === undefined) return { ...conversation, learned: null };
    return { ...conversation, learned: { stage, reward, advantage: mean(advantages, (a) => a) } };
  });
}

/** A stage's reward for the critique of a conversation. */
function rewardOf(
  { critique: settings }: Config,
  { number }: Stage,
  { utterances: [answer, critique, refinement] }: Conversation,
): number {
  if (answer === undefined || critique === undefined) return 0;
  const right = answer.trajectory.success;
  const verdict = verdictOf(critique.trajectory, right);
  if (number === 1) return discriminationReward({ right, verdict });
  const { reward: indirect, discrimination, reward_form: form } = settings;
  const refined = refinement?.trajectory.success ?? false;
  return critiqueReward({ right, verdict, refined }, { indirect, discrimination, form });
}

/** A critique as an episode with a reward. */
function worth(trajectory: Trajectory, reward: number): Trajectory {
  return {
    ...trajectory,
    turns: trajectory.turns.map((turn) => ({ ...turn, reward })),
    score: reward,
  };
}

/** Greedy critiques of played answers, and greedy refinements after them. */
export async function hear(
  hearing: Hearing,
  played: readonly Trajectory[],
  onProgress: (fraction: number) => void,
): Promise<readonly Conversation[]> {
  const all = {
    ...hearing,
    actor: greedy(hearing.actor),
    critic: greedy(hearing.critic),
    config: greedily(hearing.config),
  };
  const answers = { conversations: begunBy(played), ...costOf([]) };
  const criticized = await criticize(all, answers, (share) => onProgress(share / 2));
  const { conversations } = await refine(all, criticized, (share) => onProgress((1 + share) / 2));
  return conversations;
}

/** One critique of each answer, without sampling. */
function greedily(config: Config): Config {
  return {
    ...config,
    rollout: { ...config.rollout, group_size: 1 },
    critique: { ...config.critique, refinement_temperature: 0 },
  };
}
