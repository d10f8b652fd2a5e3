import type { Environment } from '../envs/types.ts';

/** How an agent writes a turn: the action alone, or a thought before it (ReAct, arXiv:2210.03629). */
export const formatNames = ['bare', 'react'] as const;
export type FormatName = (typeof formatNames)[number];

/** What an agent wrote in a turn, read by its format. */
export interface Written {
  /** Empty in the bare format, and where the agent wrote none. */
  readonly thought: string;
  /** The text handed to the environment. */
  readonly action: string;
}

const THOUGHT = 'Thought:';
const ACTION = 'Action:';

/** Every lexeme of dialogues in an environment, the agent's part included. */
export function dialogueLexicon(environment: Environment, format: FormatName): readonly string[] {
  const { lexicon, thoughtLexicon } = environment;
  return format === 'bare' ? lexicon : [...lexicon, THOUGHT, ACTION, ...thoughtLexicon];
}

/** The text of a turn as an agent's tokens spell it, on one line. */
export function writeTurn({ thought, action }: Written, format: FormatName): string {
  return format === 'bare' ? action : `${THOUGHT} ${thought} ${ACTION} ${action}`;
}

/**
 * Reads what was written. In the ReAct format the action is what follows the last `Action:`; a text
 * without one is taken for an action as a whole, as the AgentGym suite does.
 */
export function readTurn(text: string, format: FormatName): Written {
  if (format === 'bare') return { thought: '', action: text };
  const at = text.lastIndexOf(ACTION);
  if (at === -1) return { thought: '', action: text };
  const before = text.slice(0, at).trim();
  return {
    thought: before.startsWith(THOUGHT) ? before.slice(THOUGHT.length).trim() : before,
    action: text.slice(at + ACTION.length).trim(),
  };
}
