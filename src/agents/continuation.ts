import type { GenerateRequest } from '../policy/types.ts';
import type { Agent } from './agent.ts';
import { appendTurn } from './dialogue.ts';
import { parseTurn } from './parse.ts';

/** A text to continue as if the agent had generated its beginning. */
export interface BegunText {
  /** The observation before it. */
  readonly observation: string;
  /** The beginning of the action. */
  readonly begun: string;
  /** Seeds of its draws, as for an episode. */
  readonly iteration: number;
  readonly episode: number;
}

/** A continued text. */
interface ContinuedText {
  /** The whole action. */
  readonly action: string;
  readonly begunTokens: readonly number[];
  /** The tokens that the agent generated, including the end token if there is one. */
  readonly tokens: readonly number[];
  /** Log-probability in nats of each of these. */
  readonly logps: readonly number[];
}

/** A text with its tokens. */
interface Opened extends BegunText {
  readonly index: number;
  readonly begunTokens: readonly number[];
  readonly context: readonly number[];
}

/**
 * Continues texts in the bare format. The tokens of the given beginning count towards the limit per
 * turn; a text that reaches the limit is returned unchanged.
 * @returns in the order of `texts`
 * @throws {RangeError} for a text that does not fit the agent's context
 */
export async function continueTexts(
  agent: Agent,
  texts: readonly BegunText[],
  onProgress: (fraction: number) => void = () => {},
): Promise<ContinuedText[]> {
  const { tokenizer, window } = agent;
  const opened = texts.map((text, index): Opened => {
    const begunTokens = tokenizer.encode(text.begun);
    const context: number[] = [];
    const observationTokens = tokenizer.encode(text.observation);
    appendTurn(context, { observationTokens, actionTokens: begunTokens }, tokenizer);
    const longest = context.length + mayWrite(window.maxActionTokens, begunTokens);
    if (longest > window.contextLength) {
      throw new RangeError(
        `a text needs ${longest} tokens but the context holds ${window.contextLength}; raise agent.context_length`,
      );
    }
    return { ...text, index, begunTokens, context };
  });
  const done: ContinuedText[] = opened.map(({ begun, begunTokens }) => ({
    ...{ action: begun, begunTokens },
    ...{ tokens: [], logps: [] },
  }));
  const open = opened.filter((text) => mayWrite(window.maxActionTokens, text.begunTokens) > 0);
  let finished = 0;
  for (const call of calls(open, agent)) {
    const request = requestOf(call, agent);
    const { maxNewTokens } = request;
    const written = await agent.policy.generate(request);
    for (const [e, { index, begunTokens }] of call.entries()) {
      const length = Math.min(
        written.lengths[e] ?? 0,
        mayWrite(window.maxActionTokens, begunTokens),
      );
      const from = e * maxNewTokens;
      const tokens = Array.from(written.tokens.subarray(from, from + length));
      const logps = Array.from(written.logps.subarray(from, from + length));
      const { action } = parseTurn([...begunTokens, ...tokens], tokenizer, 'bare');
      done[index] = { action, begunTokens, tokens, logps };
    }
    finished += call.length;
    onProgress(finished / open.length);
  }
  return done;
}

/** Number of tokens that an agent may generate after a given beginning. */
function mayWrite(most: number, begun: readonly number[]): number {
  return Math.max(0, most - begun.length);
}

/** The most tokens that any text of a call may still generate; the limit for the whole call. */
function mostNew(texts: readonly Opened[], { window }: Agent): number {
  return Math.max(...texts.map(({ begunTokens }) => mayWrite(window.maxActionTokens, begunTokens)));
}

/** Splits texts into calls within the policy's capacity, grouping texts of similar length. */
function calls(texts: readonly Opened[], agent: Agent): Opened[][] {
  const { capacity } = agent.policy;
  const byLength = texts.toSorted((a, b) => b.context.length - a.context.length);
  const split: Opened[][] = [];
  let call: Opened[] = [];
  let tokens = 0;
  const fits = (text: Opened) =>
    call.length < Math.min(capacity.rows, capacity.episodes) &&
    tokens + text.context.length <= capacity.tokens &&
    // The first text of a call has the longest context, the last has the most tokens left to
    // generate.
    (call[0] ?? text).context.length + mostNew([...call.slice(-1), text], agent) <=
      capacity.context;
  for (const text of byLength) {
    if (call.length > 0 && !fits(text)) {
      split.push(call);
      call = [];
      tokens = 0;
    }
    call.push(text);
    tokens += text.context.length;
  }
  if (call.length > 0) split.push(call);
  return split;
}

function requestOf(call: readonly Opened[], agent: Agent): GenerateRequest {
  const starts = [0];
  for (const { context } of call) starts.push((starts.at(-1) ?? 0) + context.length);
  return {
    slots: Uint32Array.from(call, (_, slot) => slot),
    cachedLengths: new Uint32Array(call.length),
    newTokens: Uint32Array.from(call.flatMap(({ context }) => context)),
    newTokenStarts: Uint32Array.from(starts),
    maxNewTokens: mostNew(call, agent),
    keepCache: false,
    endTokens: agent.tokenizer.frame.ends,
    temperature: agent.temperature,
    random: {
      seed: agent.seed,
      iterations: Uint32Array.from(call, ({ iteration }) => iteration),
      episodes: Uint32Array.from(call, ({ episode }) => episode),
      offsets: Uint32Array.from(call, ({ begunTokens }) => begunTokens.length),
    },
  };
}
