/** Checks that an agent with a subword tokenizer can generate the environment's actions. */

import type { Config } from '../config/schema.ts';
import { begin, expertOf, play } from '../envs/episode.ts';
import type { Environment } from '../envs/types.ts';
import type { Tokenizer } from '../policy/tokenizer.ts';
import { type FormatName, writeTurn } from './format.ts';

/** Thrown if an agent cannot generate an action; `message` quotes the text. */
export class SpellingError extends Error {
  override readonly name = 'SpellingError';
}

/** The longest texts found in an environment, in the agent's tokens. */
interface Spelling {
  readonly turn: { readonly text: string; readonly tokens: number };
  readonly observation: { readonly text: string; readonly tokens: number };
}

/** Approximate number of training tasks examined, and maximum number of turns per task. */
const TASKS = 24;
const TURNS = 24;

/**
 * Finds the longest observation and the longest turn along the expert's path through some training
 * tasks, including alternative actions.
 * @throws {SpellingError} for an action that does not survive encoding and decoding
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

/**
 * @throws {SpellingError} if an action exceeds `max_action_tokens`, or does not survive encoding and
 *   decoding
 */
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
