import type { Environment } from '../envs/types.ts';

/** The format of a turn: the action alone, or a thought before it (ReAct, arXiv:2210.03629). */
export const formatNames = ['bare', 'react'] as const;
export type FormatName = (typeof formatNames)[number];

/** A turn's text, parsed by format. */
export interface Written {
  /** Empty in the bare format, and if the agent generated none. */
  readonly thought: string;
  /** The text passed to the environment. */
  readonly action: string;
}

const THOUGHT = 'Thought:';
const ACTION = 'Action:';

/** All lexemes of an environment's dialogues, including the agent's part. */
export function dialogueLexicon(environment: Environment, format: FormatName): readonly string[] {
  const { lexicon, thoughtLexicon } = environment;
  return format === 'bare' ? lexicon : [...lexicon, THOUGHT, ACTION, ...thoughtLexicon];
}

/** The text of a turn, on one line. */
export function writeTurn({ thought, action }: Written, format: FormatName): string {
  return format === 'bare' ? action : `${THOUGHT} ${thought} ${ACTION} ${action}`;
}

/**
 * Parses a turn's text. In the ReAct format the action follows the last `Action:`; a text without
 * `Action:` is taken as the action, as in the AgentGym suite.
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
