import type { DialogueFrame, Tokenizer } from '../policy/tokenizer.ts';

/** The parts of a turn in the dialogue format; a turn without an action has not been played yet. */
export interface DialogueTurn {
  readonly observationTokens: readonly number[];
  readonly actionTokens?: readonly number[];
}

/** How much of an episode the policy reads. */
export interface DialogueWindow {
  /** Number of turns, including the current one; 0 for all. */
  readonly historyWindow: number;
  /** Maximum number of tokens, including the next action. */
  readonly contextLength: number;
  /** Tokens reserved for that action. */
  readonly maxActionTokens: number;
  /**
   * Whether the first observation, which states the task, stays in view when the window moves on.
   */
  readonly keepTask: boolean;
}

/** Whether every turn is read without earlier ones. */
export function readsOneTurn({ historyWindow, keepTask }: DialogueWindow): boolean {
  return historyWindow === 1 && !keepTask;
}

/** Thrown if a single observation and its action do not fit the context. */
export class ContextOverflowError extends Error {
  override readonly name = 'ContextOverflowError';
  constructor(needed: number, contextLength: number) {
    super(
      `one turn needs ${needed} tokens but the context holds ${contextLength}; raise agent.context_length`,
    );
  }
}

/**
 * Appends the tokens of one turn: observation and action in the tokenizer's frame. The action
 * includes its end token if the agent generated one.
 */
export function appendTurn(tokens: number[], turn: DialogueTurn, { frame }: Tokenizer): void {
  if (tokens.length === 0) push(tokens, frame.opening);
  else pushNext(tokens, frame);
  pushTurn(tokens, turn, frame);
}

// Loops are faster than spreads here, on the hot path of every turn.
function push(tokens: number[], more: readonly number[]): void {
  for (const token of more) tokens.push(token);
}

/** The tokens between the last action and the next observation. */
function pushNext(tokens: number[], { observation, closing, ends }: DialogueFrame): void {
  if (closing.length > 0 && !ends.includes(tokens.at(-1) ?? -1)) push(tokens, closing);
  push(tokens, observation);
}

function pushTurn(
  tokens: number[],
  { observationTokens, actionTokens = [] }: DialogueTurn,
  frame: DialogueFrame,
): void {
  push(tokens, observationTokens);
  push(tokens, frame.action);
  push(tokens, actionTokens);
}

/**
 * Tokens of all turns from `start` on. If the task is kept and its turn is not among them, the
 * first observation precedes them.
 * @param actionStarts receives the position of the action of each of these turns
 */
export function contextTokens(
  turns: readonly DialogueTurn[],
  start: number,
  { frame }: Tokenizer,
  keepTask: boolean,
  actionStarts: number[] = [],
): number[] {
  const tokens: number[] = [];
  push(tokens, frame.opening);
  if (keepTask && start > 0) {
    push(tokens, turns[0]?.observationTokens ?? []);
    push(tokens, frame.afterTask);
  }
  for (let t = start; t < turns.length; t++) {
    const turn = turns[t];
    if (turn === undefined) continue;
    if (t > start) pushNext(tokens, frame);
    pushTurn(tokens, turn, frame);
    actionStarts.push(tokens.length - (turn.actionTokens?.length ?? 0));
  }
  return tokens;
}

/**
 * The first turn that the policy reads when it generates the action of the last turn: at most
 * `historyWindow` turns, and only as many as fit. Whole turns are dropped, oldest first. The result
 * never decreases within an episode.
 * @throws {ContextOverflowError} if the last turn alone does not fit
 */
export function contextStart(
  turns: readonly DialogueTurn[],
  window: DialogueWindow,
  { frame }: Tokenizer,
): number {
  const { historyWindow, contextLength, maxActionTokens, keepTask } = window;
  const last = turns.length - 1;
  const oldest = historyWindow === 0 ? 0 : Math.max(0, last - historyWindow + 1);
  const opening = frame.opening.length;
  const task = keepTask ? (turns[0]?.observationTokens.length ?? 0) + frame.afterTask.length : 0;
  let tokens = maxActionTokens;
  let needed = tokens;
  let start = turns.length;
  while (start > oldest) {
    const turn = turns[start - 1];
    if (turn === undefined) break;
    const { observationTokens, actionTokens } = turn;
    tokens += observationTokens.length + frame.action.length + (actionTokens?.length ?? 0);
    if (start <= last) {
      tokens += frame.observation.length;
      if (!frame.ends.includes(actionTokens?.at(-1) ?? -1)) tokens += frame.closing.length;
    }
    // The first turn contains the task itself.
    needed = tokens + opening + (start > 1 ? task : 0);
    if (needed > contextLength) break;
    start--;
  }
  if (start > last) throw new ContextOverflowError(needed, contextLength);
  return start;
}

/** An observation as the agent reads it. */
export interface Reading {
  readonly tokens: number[];
  /** The context of a turn that is read without earlier turns. */
  readonly alone: number[];
}

/** Tokenized observations by tokenizer: the episodes of a run read the same ones many times. */
const readings = new WeakMap<Tokenizer, Map<string, Reading>>();

/** Maximum number of cached observations; the cache is cleared when full. */
const MOST_READINGS = 4096;

export function reading(tokenizer: Tokenizer): (text: string) => Reading {
  const known = readings.get(tokenizer) ?? new Map<string, Reading>();
  readings.set(tokenizer, known);
  return (text) => {
    if (known.size >= MOST_READINGS) known.clear();
    let found = known.get(text);
    if (found === undefined) {
      const tokens = tokenizer.encode(text);
      const alone: number[] = [];
      appendTurn(alone, { observationTokens: tokens }, tokenizer);
      found = { tokens, alone };
      known.set(text, found);
    }
    return found;
  };
}
