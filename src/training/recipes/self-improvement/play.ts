import { greedy } from '../../../agents/agent.ts';
import type { Conversation } from '../../../agents/modes/conversation.ts';
import type { Iteration } from '../../recipe.ts';
import { answer, criticize, type Hearing, refine, type Spoken } from '../critique/play.ts';

/** The conversations of a round of self-improvement. */
export interface Round {
  /** Correct answers alone; wrong ones with their critiques and refinements. */
  readonly conversations: readonly Conversation[];
  /** The first answers, one conversation each. */
  readonly answers: readonly Conversation[];
  readonly turns: number;
  readonly tokens: number;
}

/**
 * The actor answers each question N times; each wrong answer gets L critiques, each
 * followed by a refinement.
 *
 * @throws {EnvironmentFault} if the environment fails
 */
export async function hearRound(
  hearing: Hearing,
  questions: readonly string[],
  { phase }: Iteration,
): Promise<Round> {
  const { critic: heeded } = hearing.config.self_improvement;
  const all = forRound(hearing, questions.length);
  const answers = await phase('answer', (onProgress) => answer(all, questions, onProgress));
  const [right, wrong] = [true, false].map((is) =>
    answers.conversations.filter(({ utterances: [first] }) => first?.trajectory.success === is),
  );
  const spoken: Spoken[] = [answers];
  let refined: readonly Conversation[] = wrong ?? [];
  if (heeded === 'on' && refined.length > 0) {
    const asked = { ...answers, conversations: refined };
    const critiques = await phase('criticize', (onProgress) => criticize(all, asked, onProgress));
    const refinements = await phase('refine', (onProgress) => refine(all, critiques, onProgress));
    spoken.push(critiques, refinements);
    refined = refinements.conversations;
  }
  return {
    conversations: [...(right ?? []), ...refined],
    answers: answers.conversations,
    turns: spoken.reduce((sum, { turns }) => sum + turns, 0),
    tokens: spoken.reduce((sum, { tokens }) => sum + tokens, 0),
  };
}

/** A single critique is greedy; several are sampled. */
function forRound({ config, critic, ...hearing }: Hearing, questions: number): Hearing {
  const { answers, critiques } = config.self_improvement;
  return {
    ...hearing,
    critic: critiques === 1 ? greedy(critic) : critic,
    config: {
      ...config,
      critique: { ...config.critique, answers },
      rollout: { ...config.rollout, group_size: critiques, tasks_per_iteration: questions },
    },
  };
}
