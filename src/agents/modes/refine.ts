import type { Advice } from '../../envs/criticism.ts';
import type { Agent } from '../agent.ts';
import type { Trajectory } from '../trajectory.ts';
import {
  after,
  type Conversation,
  type DrawKey,
  type Speaker,
  said,
  type Utterance,
  wordsOf,
} from './conversation.ts';
import type { Criticisable } from './prompts.ts';
import { critiqueWorld, refinementWorld, taskOf } from './worlds.ts';

export interface RefineRequest {
  readonly environment: Criticisable;
  readonly actor: Speaker;
  /** Who answers anew; the actor where absent. */
  readonly refiner?: Speaker;
  readonly critic: Speaker;
  readonly tasks: readonly string[];
  /** How often an answer is criticised and refined; 0 leaves it as it is. */
  readonly rounds: number;
  readonly key: DrawKey;
  readonly onProgress?: (fraction: number) => void;
}

/**
 * An actor answers, a critic criticises, the actor answers anew, so many rounds:
 *
 *     y₀ ~ π_θ(·|x)        cᵢ ~ π_φ(·|x, yᵢ)        yᵢ₊₁ ~ π_θ(·|x, yᵢ, cᵢ)
 *
 * Every answer is refined, also one that is called right.
 *
 * @throws {EnvironmentFault} when the environment throws.
 */
export async function refine(request: RefineRequest): Promise<Conversation[]> {
  const { environment, actor, refiner = actor, critic, tasks, rounds } = request;
  const next = oneByOne(request);
  let conversations = await answered(environment, actor, tasks, next());
  for (let round = 0; round < rounds; round++) {
    conversations = await criticised(environment, critic, conversations, next());
    conversations = await refined(environment, refiner, conversations, next());
  }
  return conversations;
}

/** How what is said next is drawn, and who is told how far it is. */
export interface Saying {
  readonly key: DrawKey;
  readonly told: (fraction: number) => void;
}

/** The acts of a request one after the other: an answer, and a critique and another answer a round. */
export function oneByOne({
  tasks,
  rounds,
  key,
  onProgress = () => {},
}: Pick<RefineRequest, 'tasks' | 'rounds' | 'key' | 'onProgress'>): () => Saying {
  const acts = 1 + 2 * rounds;
  let done = 0;
  return () => {
    const before = done++;
    return {
      key: after(key, before * tasks.length),
      told: (fraction) => onProgress((before + fraction) / acts),
    };
  };
}

/**
 * Conversations that begin with an answer to each task.
 *
 * @throws {EnvironmentFault} when the environment throws.
 */
export async function answered(
  environment: Criticisable,
  { name, agent }: Speaker,
  tasks: readonly string[],
  { key, told }: Saying,
): Promise<Conversation[]> {
  const answers = await said(agent, environment, tasks, key, told);
  return answers.map((trajectory) => ({
    task: trajectory.task,
    utterances: [{ author: name, act: 'answer', trajectory }],
  }));
}

/**
 * Adds a critique of each conversation's last answer.
 *
 * @param advice how much the annotator would say, which changes nothing that is played
 * @throws {EnvironmentFault} when the environment throws.
 */
export async function criticised(
  environment: Criticisable,
  { name, agent }: Speaker,
  conversations: readonly Conversation[],
  { key, told }: Saying,
  advice: Advice = 'value',
): Promise<Conversation[]> {
  const about = conversations.map(({ task, utterances }) =>
    taskOf({ task, answer: lastAnswer(utterances) }),
  );
  const critiques = await said(agent, critiqueWorld(environment, advice), about, key, told);
  return conversations.map((one, i) => withUtterance(one, name, 'critique', critiques[i]));
}

/**
 * Adds what an actor makes of each conversation's last critique.
 *
 * @throws {EnvironmentFault} when the environment throws.
 */
export async function refined(
  environment: Criticisable,
  { name, agent }: Speaker,
  conversations: readonly Conversation[],
  { key, told }: Saying,
): Promise<Conversation[]> {
  const about = conversations.map(({ task, utterances }) => {
    const last = utterances.at(-1);
    const critique = last === undefined ? '' : wordsOf(last);
    return taskOf({ task, answer: lastAnswer(utterances), critique });
  });
  const refinements = await said(agent, refinementWorld(environment), about, key, told);
  return conversations.map((one, i) => withUtterance(one, name, 'refinement', refinements[i]));
}

function withUtterance(
  { task, utterances }: Conversation,
  author: string,
  act: Utterance['act'],
  trajectory: Trajectory | undefined,
): Conversation {
  if (trajectory === undefined) return { task, utterances };
  return { task, utterances: [...utterances, { author, act, trajectory }] };
}

/** The last answer, refined or not. */
function lastAnswer(utterances: readonly Utterance[]): string {
  const last = utterances.findLast(({ act }) => act !== 'critique');
  return last === undefined ? '' : wordsOf(last);
}

/** One agent in both roles: it criticises its own answers. */
export function selfCorrect({
  agent,
  critiqueTokens,
  ...rest
}: Omit<RefineRequest, 'actor' | 'refiner' | 'critic'> & {
  readonly agent: Speaker;
  /** Most tokens of a critique. */
  readonly critiqueTokens: number;
}): Promise<Conversation[]> {
  return refine({
    ...rest,
    actor: agent,
    critic: { name: agent.name, agent: writing(agent.agent, critiqueTokens) },
  });
}

/** The same agent, writing up to so many tokens in a turn. */
export function writing(agent: Agent, maxActionTokens: number): Agent {
  return { ...agent, window: { ...agent.window, maxActionTokens } };
}
