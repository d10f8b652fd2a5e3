/** Monologues made from critiques, as training data of an actor (self-talk, arXiv:2411.16579). */
import type { Agent } from '../../agents/agent.ts';
import { type Conversation, wordsOf } from '../../agents/modes/conversation.ts';
import type { Criticizable } from '../../agents/modes/prompts.ts';
import type { TrainingEpisode } from '../learn/batch.ts';
import { toldEpisode } from './imitation/imitation.ts';

/**
 * D_correct as monologues: correct answers with praise after each step; refined ones as the answer
 * up to the critiqued step, followed by the refinement from there. Critiques without a step, and
 * refinements that change an earlier step, are left out.
 */
export function monologues(
  { criticism }: Criticizable,
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

/** An answer in which each step is followed by a self-assessment. */
interface Monologue {
  readonly task: string;
  readonly text: string;
  /** Whether it withdraws a step. */
  readonly refined: boolean;
}

/** The expert's answers with praise after each step. */
export function expertMonologues(
  environment: Criticizable,
  tasks: readonly string[],
): readonly Monologue[] {
  return tasks.flatMap((task) => {
    const { action } = environment.expert(environment.reset(task).state);
    const text = environment.criticism.monologue([{ answer: action, wrong: null }]);
    return text === null ? [] : { task, text, refined: false };
  });
}

/** Monologues as training dialogues with equal token weights. */
export function monologueEpisodes(
  agent: Agent,
  environment: Criticizable,
  all: readonly Monologue[],
): TrainingEpisode[] {
  return all.map(({ task, text }) => toldEpisode(agent, environment, task, text));
}
