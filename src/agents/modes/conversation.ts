import type { CritiquedAnswer } from '../../algorithms/critique-metrics.ts';
import type { Environment } from '../../envs/types.ts';
import type { Agent } from '../agent.ts';
import { rollout } from '../rollout.ts';
import { agentTokens, type Trajectory } from '../trajectory.ts';

/** Somebody who takes part in conversations. */
export interface Speaker {
  /** The role, as students are called: `agent`, `critic`. */
  readonly name: string;
  readonly agent: Agent;
}

/** What an utterance does. */
export type Act = 'answer' | 'critique' | 'refinement';

/**
 * One turn of a conversation: an episode of one turn in the world of its act, with everything that its
 * author read and wrote. A loss on it covers its author's tokens and nobody else's.
 */
export interface Utterance {
  readonly author: string;
  readonly act: Act;
  readonly trajectory: Trajectory;
}

/** What was said about one task, in order. */
export interface Conversation {
  readonly task: string;
  readonly utterances: readonly Utterance[];
}

/** Keys the draws of what is said: each act takes the next numbers of episodes within the iteration. */
export interface DrawKey {
  readonly iteration: number;
  /** Number of the first episode. */
  readonly episode: number;
}

/** A key that no training iteration has. */
export const outsideTraining: DrawKey = { iteration: 0, episode: 0 };

/** The numbers after those of so many episodes. */
export function after({ iteration, episode }: DrawKey, episodes: number): DrawKey {
  return { iteration, episode: episode + episodes };
}

/** What was said in an utterance. */
export function wordsOf({ trajectory }: Pick<Utterance, 'trajectory'>): string {
  return trajectory.turns[0]?.action ?? '';
}

/**
 * What an agent says about each of some tasks of one turn, in their order. An agent that draws nothing
 * says the same about the same task, and is asked once.
 *
 * @throws {EnvironmentFault} when the environment throws.
 */
export async function said(
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
 * Each critique of conversations with the answer before and the refinement after it, as far as the
 * numbers need them; one without a refinement is left out.
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
 * What a critique called an answer; null where it is malformed.
 *
 * @param right whether the answer was
 */
export function verdictOf(critique: Trajectory, right: boolean): boolean | null {
  if (critique.turns[0]?.understood !== true) return null;
  return critique.success === right;
}

/** Tokens that were written in conversations, by all or by one. */
export function tokensOf(conversations: readonly Conversation[], author?: string): number {
  return conversations
    .flatMap(({ utterances }) => utterances)
    .filter((utterance) => author === undefined || utterance.author === author)
    .reduce((sum, { trajectory }) => sum + agentTokens(trajectory), 0);
}
