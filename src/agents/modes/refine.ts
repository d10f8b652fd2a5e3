import type { Advice } from '../../envs/criticism.ts';
import type { Trajectory } from '../trajectory.ts';
import {
  after,
  askAgent,
  type Conversation,
  type DrawKey,
  type Speaker,
  type Utterance,
  wordsOf,
} from './conversation.ts';
import type { Criticizable } from './prompts.ts';
import { critiqueWorld, refinementWorld, taskOf } from './worlds.ts';

export interface RefineRequest {
  readonly environment: Criticizable;
  readonly actor: Speaker;
  /** The agent that refines answers; the actor by default. */
  readonly refiner?: Speaker;
  readonly critic: Speaker;
  readonly tasks: readonly string[];
  /** Number of times an answer is critiqued and refined; 0 leaves it unchanged. */
  readonly rounds: number;
  readonly key: DrawKey;
  readonly onProgress?: (fraction: number) => void;
}

/**
 * An actor answers; then, for a number of rounds, a critic critiques the answer and the actor
 * refines it:
 *
 *     y₀ ~ π_θ(·|x)        cᵢ ~ π_φ(·|x, yᵢ)        yᵢ₊₁ ~ π_θ(·|x, yᵢ, cᵢ)
 *
 * Every answer is refined, including answers judged correct.
 *
 * @throws {EnvironmentFault} if the environment throws
 */
export async function refine(request: RefineRequest): Promise<Conversation[]> {
  const { environment, actor, refiner = actor, critic, tasks, rounds } = request;
  const next = oneByOne(request);
  let conversations = await answered(environment, actor, tasks, next());
  for (let round = 0; round < rounds; round++) {
    conversations = await criticized(environment, critic, conversations, next());
    conversations = await refined(environment, refiner, conversations, next());
  }
  return conversations;
}

/** The key of the next draws, and a callback for progress. */
interface Saying {
  readonly key: DrawKey;
  readonly onProgress: (fraction: number) => void;
}

/** The acts of a request in sequence: an answer, then a critique and another answer per round. */
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
      onProgress: (fraction) => onProgress((before + fraction) / acts),
    };
  };
}

/**
 * Conversations that start with an answer to each task.
 * @throws {EnvironmentFault} if the environment throws
 */
export async function answered(
  environment: Criticizable,
  { name, agent }: Speaker,
  tasks: readonly string[],
  { key, onProgress }: Saying,
): Promise<Conversation[]> {
  const answers = await askAgent(agent, environment, tasks, key, onProgress);
  return answers.map((trajectory) => ({
    task: trajectory.task,
    utterances: [{ author: name, act: 'answer', trajectory }],
  }));
}

/**
 * Adds a critique of each conversation's last answer.
 * @param advice detail of the annotator's critiques; the conversations do not depend on it
 * @throws {EnvironmentFault} if the environment throws
 */
export async function criticized(
  environment: Criticizable,
  { name, agent }: Speaker,
  conversations: readonly Conversation[],
  { key, onProgress }: Saying,
  advice: Advice = 'value',
): Promise<Conversation[]> {
  const about = conversations.map(({ task, utterances }) =>
    taskOf({ task, answer: lastAnswer(utterances) }),
  );
  const critiques = await askAgent(
    agent,
    critiqueWorld(environment, advice),
    about,
    key,
    onProgress,
  );
  return conversations.map((one, i) => withUtterance(one, name, 'critique', critiques[i]));
}

/**
 * Adds an actor's refinement after each conversation's last critique.
 * @throws {EnvironmentFault} if the environment throws
 */
export async function refined(
  environment: Criticizable,
  { name, agent }: Speaker,
  conversations: readonly Conversation[],
  { key, onProgress }: Saying,
): Promise<Conversation[]> {
  const about = conversations.map(({ task, utterances }) => {
    const last = utterances.at(-1);
    const critique = last === undefined ? '' : wordsOf(last);
    return taskOf({ task, answer: lastAnswer(utterances), critique });
  });
  const refinements = await askAgent(agent, refinementWorld(environment), about, key, onProgress);
  return conversations.map((one, i) => withUtterance(one, name, 'refinement', refinements[i]));
}

function withUtterance(
  { task, utterances }: Conversation,
  author: string,
  act: Utterance['act'],
  trajectory: Trajectory | undefined,
): Conversation {
  if (trajectory === undefined) return { task, utterances: utterances };
  return { task, utterances: [...utterances, { author, act, trajectory }] };
}

/** The last answer, refined or not. */
function lastAnswer(utterances: readonly Utterance[]): string {
  const last = utterances.findLast(({ act }) => act !== 'critique');
  return last === undefined ? '' : wordsOf(last);
}
