/** Monologues made from critiques, and what an actor learns from them (self-talk, arXiv:2411.16579). */
import type { Agent } from '../../agents/agent.ts';
import { type Conversation, wordsOf } from '../../agents/modes/conversation.ts';
import type { Criticisable } from '../../agents/modes/prompts.ts';
import type { TrainingEpisode } from '../learn/batch.ts';
import { toldEpisode } from './imitation.ts';

/**
 * D_correct as monologues: right answers with praise behind each step; of mended ones the answer up to
 * the step that its critique found wrong, and the refinement from there. One that names no step, and a
 * refinement that changed an earlier one, is left out.
 */
export function monologues(
  { criticism }: Criticisable,
  conversations: readonly Conversation[],
): readonly Monologue[] {
  return conversations.flatMap(({ task, utterances: [answer, critique, refinement] }) => {
    if (answer === undefined) return [];
    if (answer.trajectory.success) {
      const text = criticism.monologue([{ answer: wordsOf(answer), wrong: null }]);
      return text === null ? [] : { task, text, refined: false };
    }
    if (critique === undefined || refinement?.trajectory.success !== true) return [];
    const wrong = criticism.read(wordsOf(critique))?.step ?? null;
    const text = criticism.monologue([
      { answer: wordsOf(answer), wrong },
      { answer: wordsOf(refinement), wrong: null },
    ]);
    return text === null ? [] : { task, text, refined: true };
  });
}

/** An answer with what its author thought of each step. */
export interface Monologue {
  readonly task: string;
  readonly text: string;
  /** Whether a step is taken back in it. */
  readonly refined: boolean;
}

/** The expert's answers with praise behind each step. */
export function expertMonologues(
  environment: Criticisable,
  tasks: readonly string[],
): readonly Monologue[] {
  return tasks.flatMap((task) => {
    const { action } = environment.expert(environment.reset(task).state);
    const text = environment.criticism.monologue([{ answer: action, wrong: null }]);
    return text === null ? [] : { task, text, refined: false };
  });
}

/** Monologues as dialogues to learn, every token as good as any other. */
export function monologueEpisodes(
  agent: Agent,
  environment: Criticisable,
  all: readonly Monologue[],
): TrainingEpisode[] {
  return all.map(({ task, text }) => toldEpisode(agent, environment, task, text));
}
