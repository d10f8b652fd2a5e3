import type { Agent } from '../agent.ts';
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
  const { actor, tasks, rounds, onProgress = () => {} } = request;
  const acts = 1 + 2 * rounds;
  const told = (done: number) => (fraction: number) => onProgress((done + fraction) / acts);
  const answers = await said(actor.agent, request.environment, tasks, request.key, told(0));
  let conversations = answers.map(
    (trajectory): Conversation => ({
      task: trajectory.task,
      utterances: [{ author: actor.name, act: 'answer', trajectory }],
    }),
  );
  for (let round = 0; round < rounds; round++) {
    const key = after(request.key, (1 + 2 * round) * tasks.length);
    conversations = await refineOnce({ ...request, key }, conversations, told(1 + 2 * round));
  }
  return conversations;
}

/** Adds a critique of each conversation's last answer, and what the actor makes of it. */
async function refineOnce(
  { environment, actor, critic, key }: RefineRequest,
  conversations: readonly Conversation[],
  onProgress: (acts: number) => void,
): Promise<Conversation[]> {
  const lastAnswers = conversations.map(({ task, utterances }) => ({
    task,
    answer: answerOf(utterances),
  }));
  const critiques = await said(
    critic.agent,
    // Whatever the annotator would say changes nothing that is played.
    critiqueWorld(environment, 'value'),
    lastAnswers.map(taskOf),
    key,
    onProgress,
  );
  const criticised = lastAnswers.map((about, i) => ({
    ...about,
    critique: critiques[i]?.turns[0]?.action ?? '',
  }));
  const refinements = await said(
    actor.agent,
    refinementWorld(environment),
    criticised.map(taskOf),
    after(key, conversations.length),
    (fraction) => onProgress(1 + fraction),
  );
  return conversations.map(({ task, utterances }, i) => ({
    task,
    utterances: [
      ...utterances,
      ...spoken(critic.name, 'critique', critiques[i]),
      ...spoken(actor.name, 'refinement', refinements[i]),
    ],
  }));
}

function spoken(
  author: string,
  act: Utterance['act'],
  trajectory: Utterance['trajectory'] | undefined,
): Utterance[] {
  return trajectory === undefined ? [] : [{ author, act, trajectory }];
}

/** The last answer, refined or not. */
function answerOf(utterances: readonly Utterance[]): string {
  const last = utterances.findLast(({ act }) => act !== 'critique');
  return last === undefined ? '' : wordsOf(last);
}

/** One agent in both roles: it criticises its own answers. */
export function selfCorrect({
  agent,
  critiqueTokens,
  ...rest
}: Omit<RefineRequest, 'actor' | 'critic'> & {
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
