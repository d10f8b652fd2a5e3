import { type Criticism, promptLexemes } from '../../envs/criticism.ts';
import type { Environment } from '../../envs/types.ts';

/** An environment whose answers can be critiqued. */
export type Criticizable = Environment & { readonly criticism: Criticism };

export function isCriticizable(environment: Environment): environment is Criticizable {
  return environment.criticism !== undefined;
}

const { solution, critique: criticized, others: elsewhere, criticize, improve } = promptLexemes;

/** Joins texts with single spaces. Empty texts are skipped: an agent may have generated nothing. */
const joined = (...texts: readonly string[]) => texts.filter((text) => text !== '').join(' ');

/** The prompt of a critic: `question Solution: y Criticise it.` */
export function critiquePrompt(question: string, answer: string): string {
  return joined(question, solution, answer, criticize);
}

/** The prompt of an actor that refines an answer: `question Solution: y Critique: c Improve it.` */
export function refinementPrompt(question: string, answer: string, critique: string): string {
  return joined(question, solution, answer, criticized, critique, improve);
}

/** The prompt of a debater: `question Solution: y Others: y₁ Others: y₂ … Improve it.` */
export function debatePrompt(question: string, own: string, others: readonly string[]): string {
  const read = others.flatMap((answer) => [elsewhere, answer]);
  return joined(question, solution, own, ...read, improve);
}
