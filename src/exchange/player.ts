/**
 * Plays an agent through onnxruntime: context, sampled action and action probabilities. The graph is
 * built from the weights and never taken from a file.
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

/** The part of onnxruntime's API that a player needs. */
export interface OnnxRuntime {
  readonly InferenceSession: InferenceSessionFactory;
  readonly Tensor: TensorConstructor;
  /** Execution provider: `webgpu` or `wasm`. */
  readonly provider: 'webgpu' | 'wasm' | 'cpu';
}

/** A token with its probability, in [0, 1]. */
export interface Odds {
  readonly text: string;
  readonly probability: number;
}

/** A turn's output. */
export interface PlayedTurn {
  readonly thought: string;
  readonly action: string;
  readonly actionTokens: readonly number[];
  /** Tokens with their sampling probabilities. */
  readonly tokens: readonly Odds[];
}

/** Probabilities of the next action. */
export interface Prospect {
  /** The given actions in order, each with the probability that the agent writes it. */
  readonly actions: readonly Odds[];
  /** The most probable first tokens, in descending order. */
  readonly next: readonly Odds[];
}

/**
 * Serializes calls to onnxruntime across sessions: its WebAssembly is suspended while the GPU works, and a
 * second call meanwhile corrupts its memory.
 */
let last: Promise<unknown> = Promise.resolve();
function inTurn<T>(call: () => Promise<T>): Promise<T> {
  const result = last.then(call);
  last = result.catch(() => {});
  return result;
}

/** Batch size for scoring multi-token actions. */
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
   * @param checkpoint checked by `readAgentFile` and `keptAgentOf`
   * @throws {TokenizerError} for an invalid vocabulary
   */
  static async create(checkpoint: KeptAgent, runtime: OnnxRuntime): Promise<OnnxPlayer> {
    const tokenizer = await openTokenizer(checkpoint.vocabulary, checkpoint.bpe);
    const graph = exportOnnx(checkpoint, { cache: false });
    const session = await inTurn(() =>
      runtime.InferenceSession.create(graph, {
        executionProviders: [runtime.provider],
        // Log errors only; warnings about shapes computed on the CPU are expected.
        logSeverityLevel: 3,
      }),
    );
    return new OnnxPlayer(checkpoint, tokenizer, runtime, session);
  }

  release(): Promise<void> {
    return inTurn(() => this.#session.release());
  }

  /**
   * The context for the next action.
   *
   * @param turns played so far, with actions
   * @throws {ContextOverflowError} if the observation alone does not fit
   */
  context(turns: readonly DialogueTurn[], observation: string): number[] {
    const window = dialogueWindow(this.checkpoint.config);
    const all = [...turns, { observationTokens: this.tokenizer.encode(observation) }];
    return contextTokens(
      all,
      contextStart(all, window, this.tokenizer),
      this.tokenizer,
      window.keepTask,
    );
  }

  /**
   * Samples an action.
   *
   * @param temperature 0 for greedy decoding
   * @param random uniform in [0, 1)
   */
  async write(
    context: readonly number[],
    temperature: number,
    random: () => number = Math.random,
  ): Promise<PlayedTurn> {
    const { tokenizer } = this;
    const { max_action_tokens: most, format, temperature: sampling } = this.checkpoint.config.agent;
    const written: number[] = [];
    const tokens: Odds[] = [];
    while (written.length < most && written.at(-1) !== tokenizer.end) {
      const [logits = new Float32Array()] = await this.#nextLogits([[...context, ...written]]);
      const p = softmax(logits, temperature || sampling);
      const token = temperature === 0 ? mostLikely(p) : drawn(p, random());
      written.push(token);
      tokens.push({ text: tokenizer.label(token), probability: p[token] ?? 0 });
    }
    return { ...parseTurn(written, tokenizer, format), actionTokens: written, tokens };
  }

  /** Tokenizes an action as the agent would write it. */
  spell(action: string): number[] {
    const { max_action_tokens: most } = this.checkpoint.config.agent;
    const tokens = this.tokenizer.encode(action).slice(0, most);
    return tokens.length < most ? [...tokens, this.tokenizer.end] : tokens;
  }

  /**
   * The probability of each given action and of the first tokens, at the agent's temperature. In the
   * ReAct format a thought precedes the action, so action probabilities are undefined and omitted.
   *
   * @param shown number of first tokens to return
   */
  async prospect(
    context: readonly number[],
    actions: readonly string[],
    shown: number,
  ): Promise<Prospect> {
    const { format, temperature } = this.checkpoint.config.agent;
    const first = await this.probabilities(context, temperature);
    const next = [...first.keys()]
      .toSorted((a, b) => (first[b] ?? 0) - (first[a] ?? 0))
      .slice(0, shown)
      .map((token) => ({
        text: this.tokenizer.label(token),
        probability: first[token] ?? 0,
      }));
    if (format !== 'bare') return { actions: [], next };
    const spelt = actions.map((action) => this.#spelling(action));
    const probabilities = spelt.map((tokens) =>
      tokens === null ? 0 : (first[tokens[0] ?? 0] ?? 0),
    );
    // Score one more token of every unfinished action per call.
    const longest = Math.max(0, ...spelt.map((tokens) => tokens?.length ?? 0));
    for (let t = 1; t < longest; t++) {
      const unfinished = [...spelt.keys()].filter((i) => (spelt[i]?.length ?? 0) > t);
      for (let from = 0; from < unfinished.length; from += ROWS_AT_ONCE) {
        const some = unfinished.slice(from, from + ROWS_AT_ONCE);
        const rows = await this.#nextLogits(
          some.map((i) => [...context, ...(spelt[i] ?? []).slice(0, t)]),
        );
        for (const [r, i] of some.entries()) {
          const p = softmax(rows[r] ?? new Float32Array(), temperature);
          probabilities[i] = (probabilities[i] ?? 0) * (p[spelt[i]?.[t] ?? 0] ?? 0);
        }
      }
    }
    return {
      actions: actions.map((text, i) => ({ text, probability: probabilities[i] ?? 0 })),
      next,
    };
  }

  /** (vocabulary) probabilities of the next token. */
  async probabilities(context: readonly number[], temperature = 1): Promise<Float64Array> {
    const [logits = new Float32Array()] = await this.#nextLogits([context]);
    return softmax(logits, temperature);
  }

  /** Like `spell`, but null if the agent cannot write this action. */
  #spelling(action: string): number[] | null {
    const { max_action_tokens: most } = this.checkpoint.config.agent;
    const tokens = this.tokenizer.encode(action);
    return tokens.length > most || tokens.includes(this.tokenizer.unk) ? null : this.spell(action);
  }

  /** Logits (vocabulary) after the last token of each sequence; all have the same length. */
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
      if (!(data instanceof Float32Array)) throw new TypeError('the logits are not float32');
      const columns = this.checkpoint.vocabulary.length;
      return sequences.map((_, s) => {
        const end = (s + 1) * length * columns;
        return data.slice(end - columns, end);
      });
    };
    return inTurn(run);
  }
}

/** Softmax at a temperature. */
function softmax(logits: Float32Array, temperature: number): Float64Array {
  const highest = logits.reduce((most, x) => Math.max(most, x), Number.NEGATIVE_INFINITY);
  const weights = Float64Array.from(logits, (x) => Math.exp((x - highest) / temperature));
  const total = weights.reduce((sum, w) => sum + w, 0);
  return weights.map((w) => w / total);
}

function mostLikely(p: Float64Array): number {
  return p.reduce((best, x, i) => (x > (p[best] ?? 0) ? i : best), 0);
}

/** Samples a token by inverse transform of a uniform number in [0, 1). */
function drawn(p: Float64Array, at: number): number {
  let passed = 0;
  for (const [token, share] of p.entries()) {
    passed += share;
    if (at < passed) return token;
  }
  return mostLikely(p);
}
