import type { Config } from '../config/schema.ts';
import type { Tokenizer } from '../policy/tokenizer.ts';
import type { TokenPolicy } from '../policy/types.ts';
import type { DialogueWindow } from './dialogue.ts';
import type { FormatName } from './format.ts';

/** Everything of an agent that playing takes. It is a value: two agents are two of them. */
export interface Agent {
  readonly policy: TokenPolicy;
  readonly tokenizer: Tokenizer;
  /** The part of the dialogue that it reads. */
  readonly window: DialogueWindow;
  /** How it writes a turn. */
  readonly format: FormatName;
  /** Softmax temperature of what it writes; 0 takes the most probable token. */
  readonly temperature: number;
  /** Keys its draws, with the iteration and number of each episode. */
  readonly seed: number;
}

/** An agent that reads and writes as a config says. */
export function agentFor(
  config: Pick<Config, 'agent'>,
  policy: TokenPolicy,
  tokenizer: Tokenizer,
  seed: number,
): Agent {
  const { format, temperature } = config.agent;
  return { policy, tokenizer, window: dialogueWindow(config), format, temperature, seed };
}

/** The same agent, always taking the most probable token; it makes no draw. */
export function greedy(agent: Agent): Agent {
  return { ...agent, temperature: 0 };
}

/** The part of the dialogue that an agent of a config reads. */
export function dialogueWindow({ agent }: Pick<Config, 'agent'>): DialogueWindow {
  return {
    historyWindow: agent.history_window,
    contextLength: agent.context_length,
    maxActionTokens: agent.max_action_tokens,
    keepTask: agent.keep_task,
  };
}
