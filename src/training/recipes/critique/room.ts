import type { Criticizable } from '../../../agents/modes/prompts.ts';
import { ConfigError } from '../../../config/error.ts';
import type { Config } from '../../../config/schema.ts';

/** Maximum number of lexemes and separators that a prompt adds to its texts. */
const MARKS = 8;

/**
 * Checks that answers and critiques of an environment fit the config's limits.
 *
 * @throws {ConfigError} naming the field to raise
 */
export function checkRoom({ agent, critique }: Config, { id, criticism }: Criticizable): void {
  const { question, answer, critique: longest } = criticism.longest;
  const atLeast = (path: string, needed: number, got: number, of: string) => {
    if (got < needed) {
      throw new ConfigError(
        path,
        `must be at least ${needed}, the maximum number of tokens in ${of} of ${id}, got ${got}`,
      );
    }
  };
  atLeast('agent.max_action_tokens', answer, agent.max_action_tokens, 'an answer');
  atLeast('critique.tokens', longest, critique.tokens, 'a critique');
  // The prompt contains generated text, which may be as long as the turn limit allows.
  const { max_action_tokens: written } = agent;
  const refinement = question + written + critique.tokens + MARKS + written;
  atLeast(
    'agent.context_length',
    refinement,
    agent.context_length,
    'a refinement together with its prompt',
  );
}
