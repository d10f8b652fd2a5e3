import type { Config } from '../config/schema.ts';
import type { Tokenizer } from '../policy/tokenizer.ts';
import type { TokenPolicy } from '../policy/types.ts';
import type { DialogueWindow } from './dialogue.ts';
import type { FormatName } from './format.ts';

/** Everything needed to play as an agent, as an immutable value. */
export interface Agent {
  readonly policy: TokenPolicy;
  readonly tokenizer: Tokenizer;
  /** The part of the dialogue that the agent reads. */
  readonly window: DialogueWindow;
  /** The format of its turns. */
  readonly format: FormatName;
  /** Sampling temperature; 0 picks the most probable token. */
  readonly temperature: number;
  /** Seed of its draws, combined with the iteration and number of each episode. */
  readonly seed: number;
}

/** The agent described by a config. */
export function agentFor(
  config: Pick<Config, 'agent'>,
  policy: TokenPolicy,
  tokenizer: Tokenizer,
  seed: number,
): Agent {
  const { format, temperature } = config.agent;
  return { policy, tokenizer, window: dialogueWindow(config), format, temperature, seed };
}

/** The same agent with greedy decoding, which makes no draws. */
export function greedy(agent: Agent): Agent {
  return { ...agent, temperature: 0 };
}

/** The part of the dialogue that a config's agent reads. */
export function dialogueWindow({ agent }: Pick<Config, 'agent'>): DialogueWindow {
  return {
    historyWindow: agent.history_window,
    contextLength: agent.context_length,
    maxActionTokens: agent.max_action_tokens,
    keepTask: agent.keep_task,
  };
}
