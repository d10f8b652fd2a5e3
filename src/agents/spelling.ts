/** Whether an agent that spells its actions in parts of words can say what its environment understands. */

import type { Config } from '../config/schema.ts';
import { begin, expertOf, play } from '../envs/episode.ts';
import type { Environment } from '../envs/types.ts';
import type { Tokenizer } from '../policy/tokenizer.ts';
import { type FormatName, writeTurn } from './format.ts';

/** Thrown for actions that an agent cannot write; `message` says which, and what to set. */
export class SpellingError extends Error {
  override readonly name = 'SpellingError';
}

/** The longest texts met in an environment, in an agent's tokens. */
export interface Spelling {
  readonly turn: { readonly text: string; readonly tokens: number };
  readonly observation: { readonly text: string; readonly tokens: number };
}

/** Training tasks that are looked through, and turns of each. */
const TASKS = 24;
const TURNS = 24;

/**
 * Looks for the longest observation and the longest turn: on the expert's way through some training
 * tasks, what it writes and what else it could.
 *
 * @throws {SpellingError} for an action that is not read back as it was written
 */
export function measureSpelling(
  environment: Environment,
  tokenizer: Tokenizer,
  format: FormatName,
): Spelling {
  const actions = new Set<string>();
  const turns = new Set<string>();
  const observations = new Set<string>();
  const { trainTasks } = environment;
  const stride = Math.max(1, Math.floor(trainTasks.length / TASKS));
  for (let i = 0; i < trainTasks.length; i += stride) {
    const start = begin(environment, trainTasks[i] ?? '');
    observations.add(start.observation);
    const most = Math.min(TURNS, environment.turnLimit);
    for (const turn of play(environment, start, expertOf(environment), most)) {
      const { thought, action } = turn.choice;
      for (const possible of [action, ...environment.admissibleActions(turn.before.state)]) {
        actions.add(possible);
        turns.add(writeTurn({ thought, action: possible }, format));
      }
      observations.add(turn.after.observation);
    }
  }
  for (const action of actions) {
    const read = tokenizer.decode(tokenizer.encode(action));
    if (read !== action) {
      throw new SpellingError(
        `This agent’s tokenizer cannot spell the action ${JSON.stringify(action)}: it reads it back as ${JSON.stringify(read)}.`,
      );
    }
  }
  return { turn: longest(turns, tokenizer), observation: longest(observations, tokenizer) };
}

function longest(texts: ReadonlySet<string>, tokenizer: Tokenizer): Spelling['turn'] {
  let most = { text: '', tokens: 0 };
  for (const text of texts) {
    const tokens = tokenizer.encode(text).length;
    if (tokens > most.tokens) most = { text, tokens };
  }
  return most;
}

/** @throws {SpellingError} where an action is longer than a turn may be, or not read back as written */
export function checkSpelling(
  environment: Environment,
  tokenizer: Tokenizer,
  { format, max_action_tokens: most }: Config['agent'],
): void {
  const { turn } = measureSpelling(environment, tokenizer, format);
  if (turn.tokens <= most) return;
  throw new SpellingError(
    `This agent spells ${JSON.stringify(turn.text)} with ${turn.tokens} tokens, and a turn may have ${most}. Set agent.max_action_tokens to at least ${turn.tokens}.`,
  );
}
