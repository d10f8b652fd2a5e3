import type { Criticisable } from '../../agents/modes/prompts.ts';
import { ConfigError } from '../../config/error.ts';
import type { Config } from '../../config/schema.ts';

/** Lexemes and marks of a prompt around its texts, at most. */
const MARKS = 8;

/**
 * Whether answers and critiques of an environment fit what a config gives them.
 *
 * @throws {ConfigError} naming the field to raise.
 */
export function checkRoom({ agent, critique }: Config, { id, criticism }: Criticisable): void {
  const { question, answer, critique: longest } = criticism.longest;
  const atLeast = (path: string, needed: number, got: number, of: string) => {
    if (got < needed) {
      throw new ConfigError(
        path,
        `must be at least ${needed}, the tokens that ${of} of ${id} can have, got ${got}`,
      );
    }
  };
  atLeast('agent.max_action_tokens', answer, agent.max_action_tokens, 'an answer');
  atLeast('critique.tokens', longest, critique.tokens, 'a critique');
  // What is read is what was written, which may be as long as it was allowed to be.
  const { max_action_tokens: written } = agent;
  const refinement = question + written + critique.tokens + MARKS + written;
  atLeast(
    'agent.context_length',
    refinement,
    agent.context_length,
    'a refinement with all that it reads',
  );
}
