import type { CritiquedAnswer } from '../../algorithms/critique-metrics.ts';
import type { Environment } from '../../envs/types.ts';
import type { Agent } from '../agent.ts';
import { rollout } from '../rollout.ts';
import { agentTokens, type Trajectory } from '../trajectory.ts';

/** A participant in conversations. */
export interface Speaker {
  /** The role's name: `agent`, `critic`. */
  readonly name: string;
  readonly agent: Agent;
}

/** The purpose of an utterance. */
export type Act = 'answer' | 'critique' | 'refinement';

/**
 * One turn of a conversation: an episode of one turn in the environment of its act, with everything
 * that its author read and generated. A loss on it covers only its author's tokens.
 */
export interface Utterance {
  readonly author: string;
  readonly act: Act;
  readonly trajectory: Trajectory;
}

/** The utterances about one task, in order. */
export interface Conversation {
  readonly task: string;
  readonly utterances: readonly Utterance[];
}

/** Seeds the draws of utterances: each act takes the next episode numbers within the iteration. */
export interface DrawKey {
  readonly iteration: number;
  /** Number of the first episode. */
  readonly episode: number;
}

/** A key that no training iteration uses. */
export const outsideTraining: DrawKey = { iteration: 0, episode: 0 };

/** The key after a number of episodes. */
export function after({ iteration, episode }: DrawKey, episodes: number): DrawKey {
  return { iteration, episode: episode + episodes };
}

/** The text of an utterance. */
export function wordsOf({ trajectory }: Pick<Utterance, 'trajectory'>): string {
  return trajectory.turns[0]?.action ?? '';
}

/**
 * An agent's utterances on one-turn tasks, in task order. A greedy agent generates the same text
 * for equal tasks, so it is sampled only once.
 * @throws {EnvironmentFault} if the environment throws
 */
export async function askAgent(
  agent: Agent,
  world: Environment,
  tasks: readonly string[],
  { iteration, episode }: DrawKey,
  onProgress: (fraction: number) => void = () => {},
): Promise<Trajectory[]> {
  const asked = agent.temperature === 0 ? [...new Set(tasks)] : tasks;
  const { trajectories } = await rollout({
    agent,
    environment: world,
    episodes: asked.map((task, i) => ({
      iteration,
      episode: episode + i,
      task,
      group: i,
      horizon: world.turnLimit,
    })),
    onProgress,
  });
  if (asked.length === tasks.length) return trajectories;
  const byTask = new Map(asked.map((task, i) => [task, trajectories[i]]));
  return tasks.flatMap((task) => byTask.get(task) ?? []);
}

/**
 * Each critique with the answer before it and the refinement after it, in the form that the metrics
 * need; critiques without a refinement are omitted.
 */
export function critiquedAnswers(conversations: readonly Conversation[]): CritiquedAnswer[] {
  return conversations.flatMap(({ utterances }) =>
    utterances.flatMap((utterance, u) => {
      const [before, next] = [utterances[u - 1], utterances[u + 1]];
      if (utterance.act !== 'critique' || before === undefined || next === undefined) return [];
      const right = before.trajectory.success;
      const verdict = verdictOf(utterance.trajectory, right);
      return { right, verdict, refined: next.trajectory.success };
    }),
  );
}

/**
 * The verdict of a critique; null if it is malformed.
 * @param right whether the answer was correct
 */
export function verdictOf(critique: Trajectory, right: boolean): boolean | null {
  if (critique.turns[0]?.understood !== true) return null;
  return critique.success === right;
}

/** Number of tokens generated in conversations, by all authors or by one. */
export function tokensOf(conversations: readonly Conversation[], author?: string): number {
  return conversations
    .flatMap(({ utterances }) => utterances)
    .filter((utterance) => author === undefined || utterance.author === author)
    .reduce((sum, { trajectory }) => sum + agentTokens(trajectory), 0);
}
