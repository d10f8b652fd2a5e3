/**
 * An agent that plays through onnxruntime: what it reads, what it writes, and how likely it is to say
 * what could be said. It runs graphs that are built from its weights, never one from a file.
 */
import type {
  InferenceSession,
  InferenceSessionFactory,
  Tensor,
  TensorConstructor,
} from 'onnxruntime-web';
import { dialogueWindow } from '../agents/agent.ts';
import { contextStart, contextTokens, type DialogueTurn } from '../agents/dialogue.ts';
import { parseTurn } from '../agents/parse.ts';
import { openTokenizer } from '../policy/open-tokenizer.ts';
import type { Tokenizer } from '../policy/tokenizer.ts';
import type { KeptAgent } from '../runs/checkpoint.ts';
import { exportOnnx } from './onnx.ts';

/** The part of onnxruntime that a player needs, whichever way it computes. */
export interface OnnxRuntime {
  readonly InferenceSession: InferenceSessionFactory;
  readonly Tensor: TensorConstructor;
  /** `webgpu` or `wasm`; what onnxruntime itself calls an execution provider. */
  readonly provider: 'webgpu' | 'wasm' | 'cpu';
}

/** A token with its probability, in [0, 1]. */
export interface Odds {
  readonly text: string;
  readonly probability: number;
}

/** What an agent wrote in a turn. */
export interface PlayedTurn {
  readonly thought: string;
  readonly action: string;
  readonly actionTokens: readonly number[];
  /** Each token with the probability that it was drawn with. */
  readonly tokens: readonly Odds[];
}

/** How likely the next words are. */
export interface Prospect {
  /** Each given action with the probability that the agent writes it, in the order given. */
  readonly actions: readonly Odds[];
  /** The most probable first tokens, the likeliest first. */
  readonly next: readonly Odds[];
}

/**
 * Calls of onnxruntime wait for one another, whichever session they are for: its WebAssembly is suspended
 * while the GPU works, and a second call that comes in then corrupts its memory.
 */
let last: Promise<unknown> = Promise.resolve();
function inTurn<T>(call: () => Promise<T>): Promise<T> {
  const result = last.then(call);
  last = result.catch(() => {});
  return result;
}

/** Sequences that one call takes when actions of several tokens are weighed. */
const ROWS_AT_ONCE = 32;

export class OnnxPlayer {
  readonly checkpoint: KeptAgent;
  readonly tokenizer: Tokenizer;
  readonly #runtime: OnnxRuntime;
  readonly #session: InferenceSession;

  private constructor(
    checkpoint: KeptAgent,
    tokenizer: Tokenizer,
    runtime: OnnxRuntime,
    session: InferenceSession,
  ) {
    this.checkpoint = checkpoint;
    this.tokenizer = tokenizer;
    this.#runtime = runtime;
    this.#session = session;
  }

  /**
   * @param checkpoint as `readAgentFile` and `keptAgentOf` have checked it
   * @throws {TokenizerError} for a vocabulary that is no agent's
   */
  static async create(checkpoint: KeptAgent, runtime: OnnxRuntime): Promise<OnnxPlayer> {
    const tokenizer = await openTokenizer(checkpoint.vocabulary, checkpoint.bpe);
    const graph = exportOnnx(checkpoint, { cache: false });
    const session = await inTurn(() =>
      runtime.InferenceSession.create(graph, {
        executionProviders: [runtime.provider],
        // Errors alone: that shapes are computed on the processor is as it should be.
        logSeverityLevel: 3,
      }),
    );
    return new OnnxPlayer(checkpoint, tokenizer, runtime, session);
  }

  release(): Promise<void> {
    return inTurn(() => this.#session.release());
  }

  /**
   * The tokens that the agent reads before it writes its next action.
   *
   * @param turns those played, each with its action
   * @throws {ContextOverflowError} when the observation alone does not fit.
   */
  context(turns: readonly DialogueTurn[], observation: string): number[] {
    const window = dialogueWindow(this.checkpoint.config);
    const all = [...turns, { observationTokens: this.tokenizer.encode(observation) }];
    return contextTokens(all, contextStart(all, window), this.tokenizer, window.keepTask);
  }

  /**
   * Writes an action.
   *
   * @param temperature 0 takes the most probable token
   * @param random uniform in [0, 1)
   */
  async write(
    context: readonly number[],
    temperature: number,
    random: () => number = Math.random,
  ): Promise<PlayedTurn> {
    const { tokenizer } = this;
    const { max_action_tokens: most, format } = this.checkpoint.config.agent;
    const written: number[] = [];
    const tokens: Odds[] = [];
    while (written.length < most && written.at(-1) !== tokenizer.end) {
      const [logits = new Float32Array()] = await this.#nextLogits([[...context, ...written]]);
      const p = softmax(logits, temperature === 0 ? 1 : temperature);
      const token = temperature === 0 ? mostLikely(p) : drawn(p, random());
      written.push(token);
      tokens.push({ text: tokenizer.label(token), probability: p[token] ?? 0 });
    }
    return { ...parseTurn(written, tokenizer, format), actionTokens: written, tokens };
  }

  /** The tokens with which the agent would have written an action. */
  spell(action: string): number[] {
    const { max_action_tokens: most } = this.checkpoint.config.agent;
    const tokens = this.tokenizer.encode(action).slice(0, most);
    return tokens.length < most ? [...tokens, this.tokenizer.end] : tokens;
  }

  /**
   * How likely the agent is to write each of some actions, and which words it would begin with. In the
   * ReAct format a thought comes first, so that an action by itself has no probability: none is given.
   *
   * @param shown most first tokens to name
   */
  async prospect(
    context: readonly number[],
    actions: readonly string[],
    shown: number,
  ): Promise<Prospect> {
    const first = await this.probabilities(context);
    const next = [...first.keys()]
      .toSorted((a, b) => (first[b] ?? 0) - (first[a] ?? 0))
      .slice(0, shown)
      .map((token) => ({
        text: this.tokenizer.label(token),
        probability: first[token] ?? 0,
      }));
    if (this.checkpoint.config.agent.format !== 'bare') return { actions: [], next };
    const spelt = actions.map((action) => this.#spelling(action));
    const probabilities = spelt.map((tokens) =>
      tokens === null ? 0 : (first[tokens[0] ?? 0] ?? 0),
    );
    // One more token of every unfinished action at a time, many actions in one call.
    const longest = Math.max(0, ...spelt.map((tokens) => tokens?.length ?? 0));
    for (let t = 1; t < longest; t++) {
      const unfinished = [...spelt.keys()].filter((i) => (spelt[i]?.length ?? 0) > t);
      for (let from = 0; from < unfinished.length; from += ROWS_AT_ONCE) {
        const some = unfinished.slice(from, from + ROWS_AT_ONCE);
        const rows = await this.#nextLogits(
          some.map((i) => [...context, ...(spelt[i] ?? []).slice(0, t)]),
        );
        for (const [r, i] of some.entries()) {
          const p = softmax(rows[r] ?? new Float32Array(), 1);
          probabilities[i] = (probabilities[i] ?? 0) * (p[spelt[i]?.[t] ?? 0] ?? 0);
        }
      }
    }
    return {
      actions: actions.map((text, i) => ({ text, probability: probabilities[i] ?? 0 })),
      next,
    };
  }

  /** (vocabulary) of the token that follows a context. */
  async probabilities(context: readonly number[]): Promise<Float64Array> {
    const [logits = new Float32Array()] = await this.#nextLogits([context]);
    return softmax(logits, 1);
  }

  /** As `spell`, or null where the agent cannot write this action. */
  #spelling(action: string): number[] | null {
    const { max_action_tokens: most } = this.checkpoint.config.agent;
    const tokens = this.tokenizer.encode(action);
    return tokens.length > most || tokens.includes(this.tokenizer.unk) ? null : this.spell(action);
  }

  /** Logits (vocabulary) after the last token of each sequence; all are of one length. */
  #nextLogits(sequences: readonly (readonly number[])[]): Promise<Float32Array[]> {
    const run = async () => {
      const [batch, length] = [sequences.length, sequences[0]?.length ?? 0];
      const int64 = (value: (s: number, t: number) => number): Tensor => {
        const values = new BigInt64Array(batch * length);
        for (let i = 0; i < values.length; i++) {
          values[i] = BigInt(value(Math.floor(i / length), i % length));
        }
        return new this.#runtime.Tensor('int64', values, [batch, length]);
      };
      const outputs = await this.#session.run(
        {
          input_ids: int64((s, t) => sequences[s]?.[t] ?? 0),
          attention_mask: int64(() => 1),
          position_ids: int64((_, t) => t),
        },
        ['logits'],
      );
      const data = await outputs.logits?.getData();
      if (!(data instanceof Float32Array)) throw new TypeError('the logits are not 32-bit floats');
      const columns = this.checkpoint.vocabulary.length;
      return sequences.map((_, s) => {
        const end = (s + 1) * length * columns;
        return data.slice(end - columns, end);
      });
    };
    return inTurn(run);
  }
}

/** Probabilities at a temperature. */
function softmax(logits: Float32Array, temperature: number): Float64Array {
  const highest = logits.reduce((most, x) => Math.max(most, x), Number.NEGATIVE_INFINITY);
  const weights = Float64Array.from(logits, (x) => Math.exp((x - highest) / temperature));
  const total = weights.reduce((sum, w) => sum + w, 0);
  return weights.map((w) => w / total);
}

function mostLikely(p: Float64Array): number {
  return p.reduce((best, x, i) => (x > (p[best] ?? 0) ? i : best), 0);
}

/** The token in whose share of [0, 1) a number falls. */
function drawn(p: Float64Array, at: number): number {
  let passed = 0;
  for (const [token, share] of p.entries()) {
    passed += share;
    if (at < passed) return token;
  }
  return mostLikely(p);
}
