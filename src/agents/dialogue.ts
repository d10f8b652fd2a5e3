import type { Tokenizer } from '../policy/tokenizer.ts';

/** What the dialogue format needs of one turn; a turn without an action is still to be played. */
export interface DialogueTurn {
  readonly observationTokens: readonly number[];
  readonly actionTokens?: readonly number[];
}

/** How much of an episode the policy reads. */
export interface DialogueWindow {
  /** Turns, the present one included; 0 for all. */
  readonly historyWindow: number;
  /** Most tokens, the action about to be written included. */
  readonly contextLength: number;
  /** Tokens kept free for that action. */
  readonly maxActionTokens: number;
  /** The first observation, which states the task, is read however far the window has moved on. */
  readonly keepTask: boolean;
}

/** Thrown when a single observation and its action do not fit the context. */
export class ContextOverflowError extends Error {
  override readonly name = 'ContextOverflowError';
  constructor(needed: number, contextLength: number) {
    super(
      `one turn needs ${needed} tokens but the context holds ${contextLength}; raise agent.context_length`,
    );
  }
}

/**
 * Appends the tokens of one turn: `<obs> o… <act> a…`. The action holds its own `<end>` if the agent
 * wrote one.
 */
export function appendTurn(tokens: number[], turn: DialogueTurn, tokenizer: Tokenizer): void {
  // Loops, not spreads: every turn of every episode passes here.
  tokens.push(tokenizer.obs);
  for (const token of turn.observationTokens) tokens.push(token);
  tokens.push(tokenizer.act);
  for (const token of turn.actionTokens ?? []) tokens.push(token);
}

/**
 * Tokens of all turns from `start` on, one after the other, behind the first observation
 * (`<obs> o…`) where the task is kept and its turn is not among them.
 */
export function contextTokens(
  turns: readonly DialogueTurn[],
  start: number,
  tokenizer: Tokenizer,
  keepTask: boolean,
): number[] {
  const tokens: number[] = [];
  if (keepTask && start > 0) {
    tokens.push(tokenizer.obs);
    for (const token of turns[0]?.observationTokens ?? []) tokens.push(token);
  }
  for (let t = start; t < turns.length; t++) {
    const turn = turns[t];
    if (turn !== undefined) appendTurn(tokens, turn, tokenizer);
  }
  return tokens;
}

/**
 * The first turn that the policy reads when it writes the action of the last one: at most
 * `historyWindow` turns, and as many of them as fit. Turns are dropped whole, the oldest first.
 * Over an episode the result never decreases.
 *
 * @throws {ContextOverflowError} when the last turn alone does not fit.
 */
export function contextStart(turns: readonly DialogueTurn[], window: DialogueWindow): number {
  const { historyWindow, contextLength, maxActionTokens, keepTask } = window;
  const last = turns.length - 1;
  const oldest = historyWindow === 0 ? 0 : Math.max(0, last - historyWindow + 1);
  const task = keepTask ? 1 + (turns[0]?.observationTokens.length ?? 0) : 0;
  let tokens = maxActionTokens;
  let needed = tokens;
  let start = turns.length;
  while (start > oldest) {
    const turn = turns[start - 1];
    if (turn === undefined) break;
    tokens += 2 + turn.observationTokens.length + (turn.actionTokens?.length ?? 0);
    // The first turn brings the task itself.
    needed = tokens + (start > 1 ? task : 0);
    if (needed > contextLength) break;
    start--;
  }
  if (start > last) throw new ContextOverflowError(needed, contextLength);
  return start;
}
