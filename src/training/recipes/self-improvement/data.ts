import type { Agent } from '../../../agents/agent.ts';
import type { Conversation } from '../../../agents/modes/conversation.ts';
import type { Trajectory } from '../../../agents/trajectory.ts';
import { type TrainingEpisode, writtenEpisode } from '../../learn/batch.ts';

/** A correct answer used for training. */
export interface CorrectAnswer {
  readonly task: string;
  /** The message that contains it. */
  readonly trajectory: Trajectory;
  /** Whether it needed a critique. */
  readonly refined: boolean;
}

/**
 * D_correct of a round (arXiv:2411.16579, Algorithm 1): the correct answers, and the correct
 * refinements of wrong ones, as answers to their questions. Repeated answers and refinements count
 * as often as they occur. Hard questions get more wrong answers, so they get more refinements and
 * can gain weight.
 */
export function correctAnswers(conversations: readonly Conversation[]): readonly CorrectAnswer[] {
  return conversations.flatMap(({ task, utterances: [answer, , refinement] }) => {
    const right = answer?.trajectory.success === true ? answer : refinement;
    if (right?.trajectory.success !== true) return [];
    return { task, trajectory: right.trajectory, refined: right !== answer };
  });
}

/**
 * A correct answer as a training episode: its own tokens with only the question as context.
 *
 * @param question the actor's prompt for the task
 */
export function answerEpisode(
  { tokenizer }: Agent,
  { trajectory }: CorrectAnswer,
  question: string,
): TrainingEpisode {
  const observationTokens = tokenizer.encode(question);
  const turns = trajectory.turns.map((turn) => ({
    ...turn,
    observation: question,
    observationTokens,
  }));
  return weighted(writtenEpisode({ ...trajectory, turns }, tokenizer), 1);
}

/** The episode with equal token weights. */
export function weighted(
  episode: Pick<TrainingEpisode, 'targets'> & Omit<TrainingEpisode, 'advantages'>,
  weight: number,
): TrainingEpisode {
  return { ...episode, advantages: episode.targets.map(() => weight) };
}

/** Share of the tasks at each level, from level 1 up; null without tasks. */
export function levelShares(
  tasks: readonly string[],
  levels: number,
  level: (task: string) => number,
): readonly number[] | null {
  if (tasks.length === 0) return null;
  return Array.from(
    { length: levels },
    (_, i) => tasks.filter((task) => level(task) === i + 1).length / tasks.length,
  );
}
