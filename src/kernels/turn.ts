/** A whole turn of a small agent in one dispatch, for devices of kind `gpu`. */

import philox from '../../shaders/philox.wgsl';
import rotation from '../../shaders/rotation.wgsl';
import source from '../../shaders/turn.wgsl';
import type { Dispatcher, KernelEntry, Tensor } from '../device/index.ts';
import { expectLength, expectSize } from './guards.ts';
import { ENDED } from './sample.ts';
import { unrolled, withLibrary } from './unroll.ts';

const text = /* @__PURE__ */ withLibrary(philox, /* @__PURE__ */ withLibrary(rotation, source));

/** Elements of the index per context and per episode. */
export const CONTEXT_COLUMNS = 6;
export const DRAW_COLUMNS = 4;

/** Keys per update of the running maximum, as in attention.ts. */
const CHUNK = 4;

/** Tokens that pass through the layers together. */
const TOKENS = 8;

/** Workgroup memory that every WebGPU adapter has, in bytes. */
const WORKGROUP_MEMORY = 16_384;

export interface TurnShape {
  readonly vocabulary: number;
  /** Rows of the embedding and columns of the head. */
  readonly padded: number;
  readonly layers: number;
  readonly width: number;
  readonly heads: number;
  readonly kvHeads: number;
  readonly ffnWidth: number;
  readonly tiedEmbeddings: boolean;
}

/** Starts of the first layer's parameters, in elements, and distances to those of the next layer. */
export interface TurnLayout {
  readonly embedding: number;
  readonly query: number;
  readonly keyValue: number;
  readonly attentionOutput: number;
  readonly gateUp: number;
  readonly down: number;
  readonly matrices: number;
  readonly attentionNorm: number;
  readonly feedForwardNorm: number;
  readonly gains: number;
  readonly finalNorm: number;
  /** Equals `embedding` if embeddings are tied. */
  readonly head: number;
}

/** Whether the activations of a few tokens fit into a workgroup's memory. */
export function fitsTurn({ padded, width, heads, ffnWidth }: TurnShape): boolean {
  if (width % (8 * heads) !== 0) return false;
  const words = TOKENS * (3 * width + ffnWidth + 1) + 2 * padded + 3;
  // The sizes of workgroup variables are rounded up to 16 bytes.
  return 4 * words + 7 * 16 <= WORKGROUP_MEMORY;
}

const kernels = new Map<string, KernelEntry>();

function kernel(shape: TurnShape, layout: TurnLayout): KernelEntry {
  const constants = {
    ...{ VOCABULARY: shape.vocabulary, PADDED: shape.padded, LAYERS: shape.layers },
    ...{ WIDTH: shape.width, HEADS: shape.heads, KV_HEADS: shape.kvHeads, FFN: shape.ffnWidth },
    ...{ HEAD_DIM: shape.width / shape.heads, TIED: shape.tiedEmbeddings ? 1 : 0, TOKENS, CHUNK },
    ...{ EMBEDDING: layout.embedding, QUERY_MATRIX: layout.query },
    ...{ KEY_VALUE_MATRIX: layout.keyValue, OUTPUT_MATRIX: layout.attentionOutput },
    ...{ GATE_UP_MATRIX: layout.gateUp, DOWN_MATRIX: layout.down, MATRICES: layout.matrices },
    ...{ ATTENTION_GAIN: layout.attentionNorm, FEED_FORWARD_GAIN: layout.feedForwardNorm },
    ...{ GAINS: layout.gains, FINAL_GAIN: layout.finalNorm, HEAD_MATRIX: layout.head },
  };
  const key = Object.values(constants).join();
  const known = kernels.get(key);
  if (known) return known;
  const code = unrolled(text, { ...constants, DIM4: constants.HEAD_DIM / 4 });
  const made = { kernel: 'turn', code, entry: 'turn', constants };
  kernels.set(key, made);
  return made;
}

/**
 * Prefill of the new tokens of each context, then `width` tokens for each episode, written to
 * tokens, logps, entropies (episodes, width) as by `sample`. Keys and values are appended to
 * caches (layers, cacheLength).
 *
 * `index` holds (contexts, 6) first new token, their number, cached tokens, first cache row, first
 * draw, draws; then the new tokens; then (episodes, 4), ordered by context, as in `sample` with the
 * row of the outputs in place of the row of logits. Contexts have one episode each if width > 1.
 */
export function takeTurn(
  dispatcher: Dispatcher,
  tensors: {
    readonly parameters: Tensor;
    readonly index: Tensor;
    readonly caches: Tensor;
    readonly tokens: Tensor;
    readonly logps: Tensor;
    readonly entropies: Tensor;
  },
  shape: TurnShape,
  layout: TurnLayout,
  sizes: {
    readonly contexts: number;
    readonly newTokens: number;
    readonly episodes: number;
    readonly width: number;
    /** Elements of a layer's cache. */
    readonly cacheLength: number;
    /** Elements of all parameters. */
    readonly parameters: number;
  },
  draw: {
    /** 1 to 4 token ids. */
    readonly endTokens: readonly number[];
    readonly temperature: number;
    readonly seed: number;
  },
): void {
  const name = 'turn.turn';
  const { contexts, newTokens, episodes, width, cacheLength } = sizes;
  expectSize(name, 'contexts', contexts, { least: 1 });
  expectSize(name, 'new tokens − contexts', newTokens - contexts);
  expectSize(name, 'width', width, { least: 1 });
  expectSize(name, 'episodes − contexts', episodes - contexts);
  if (width > 1) expectSize(name, 'contexts − episodes', contexts - episodes);
  expectSize(name, 'cacheLength', cacheLength, { least: 4, multiple: 4 });
  expectSize(name, '4 − end tokens', 4 - draw.endTokens.length);
  const tokens_at = CONTEXT_COLUMNS * contexts;
  const draws_at = tokens_at + newTokens;
  expectLength(name, 'index', tensors.index, [draws_at + DRAW_COLUMNS * episodes]);
  expectLength(name, 'parameters', tensors.parameters, [sizes.parameters]);
  expectLength(name, 'caches', tensors.caches, [shape.layers, cacheLength]);
  for (const key of ['tokens', 'logps', 'entropies'] as const) {
    expectLength(name, key, tensors[key], [episodes, width]);
  }
  const [end_token = ENDED, ...others] = draw.endTokens;
  const [end_token_2 = end_token, end_token_3 = end_token, end_token_4 = end_token] = others;
  dispatcher.dispatch(
    kernel(shape, layout),
    { ...tensors },
    {
      ...{ tokens_at, draws_at, width, end_token, end_token_2, end_token_3, end_token_4 },
      cache_stride: cacheLength / 4,
      temperature: draw.temperature,
      seed: draw.seed,
      epsilon: 1e-5,
    },
    [contexts],
  );
}
