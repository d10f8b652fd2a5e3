/**
 * Reference implementation of the whole policy in float64, composed of the kernels' references. Slow; used
 * in tests, and by the page to look inside a small network.
 */
import { objectiveReference } from '../algorithms/objective-reference.ts';
import {
  attentionBackwardReference,
  attentionReference,
  attentionWeightsReference,
} from '../kernels/reference/attention.ts';
import {
  biasGradientReference,
  headnormBackwardReference,
  headnormReference,
} from '../kernels/reference/headnorm.ts';
import { linearBackward, linearForward } from '../kernels/reference/linear.ts';
import { rmsnormBackwardReference, rmsnormReference } from '../kernels/reference/rmsnorm.ts';
import { rotateReference } from '../kernels/reference/rope.ts';
import { gatherRows, scatterAddRows } from '../kernels/reference/rows.ts';
import { swigluBackwardReference, swigluReference } from '../kernels/reference/swiglu.ts';
import { at, plus } from '../kernels/reference/values.ts';
import { architectureOf, attentionWidths, VALUE_COLUMNS } from './layout.ts';
import type { Objective, PolicyShape, TrainingBatch } from './types.ts';

/** Parameters or gradients by the names of `parameterLayout`, row-major. */
export type Parameters = Readonly<Record<string, Float64Array>>;

/** Packed sequences: token ids, and where each sequence starts, ending with the number of tokens. */
export interface PackedTokens {
  readonly tokens: Uint32Array;
  readonly sequenceStarts: Uint32Array;
}

/** An attention head; both indices start at 0. */
export interface HeadRef {
  readonly layer: number;
  readonly head: number;
}

/** Activations of one block that the backward pass needs. */
export interface BlockTrace {
  /** (N, width) the residual stream before the block. */
  readonly x: Float64Array;
  /** (N, 2) first key row of each token, and its number of key rows. */
  readonly spans: Uint32Array;
  readonly norm1: Float64Array;
  /** Queries, keys and values before head norms and rotation. */
  readonly rawQ: Float64Array;
  readonly rawKv: Float64Array;
  readonly q: Float64Array;
  readonly kv: Float64Array;
  readonly attention: Float64Array;
  /** Outputs of attention and feed-forward before their post-norms. */
  readonly attended: Float64Array;
  readonly fed: Float64Array;
  readonly middle: Float64Array;
  readonly norm2: Float64Array;
  readonly gateUp: Float64Array;
  readonly h: Float64Array;
}

export interface ReferenceForward {
  /** (N, padded vocabulary) logits after every token. */
  readonly logits: Float64Array;
  /** (N) value estimates after every token; zeros without a value head. */
  readonly values: Float64Array;
  readonly blocks: readonly BlockTrace[];
  /** (N, width) the last block's output, before and after the final norm. */
  readonly last: Float64Array;
  readonly finalNorm: Float64Array;
}

function sizes(shape: PolicyShape) {
  const { queries, keys } = attentionWidths(shape);
  const { headDim } = architectureOf(shape);
  return { headDim, queries, kvColumns: 2 * keys, padded: padded(shape.vocabulary) };
}

/** RoPE θ and attention spans of a layer; a sliding window, if it has one, restricts the spans. */
function layerOf(shape: PolicyShape, l: number, spans: Uint32Array) {
  const { sliding, ropeTheta } = architectureOf(shape);
  if (!sliding?.layers[l]) return { theta: ropeTheta, spans };
  const windowed = spans.map((value, i) => {
    const count = at(spans, i | 1);
    const hidden = Math.max(0, count - sliding.tokens);
    return i % 2 === 0 ? value + hidden : count - hidden;
  });
  return { theta: sliding.ropeTheta, spans: windowed };
}

function padded(vocabulary: number): number {
  return Math.ceil(vocabulary / 4) * 4;
}

function parameter(parameters: Parameters, name: string): Float64Array {
  const values = parameters[name];
  if (values === undefined) throw new RangeError(`no parameter ${name}`);
  return values;
}

/** positions (N) within each sequence; spans (N, 2) = the sequence's first row, position + 1. */
function places({ tokens, sequenceStarts }: PackedTokens) {
  const positions = new Uint32Array(tokens.length);
  const spans = new Uint32Array(2 * tokens.length);
  for (let s = 0; s + 1 < sequenceStarts.length; s++) {
    const start = at(sequenceStarts, s);
    for (let t = start; t < at(sequenceStarts, s + 1); t++) {
      positions[t] = t - start;
      spans.set([start, t - start + 1], 2 * t);
    }
  }
  return { positions, spans };
}

/**
 * The Llama block (arXiv:2302.13971, section 2.2), with grouped-query attention (arXiv:2305.13245):
 *
 *     m = x + attention(rotate(norm(x)·Wq), rotate(norm(x)·Wk), norm(x)·Wv) · Wo
 *     y = m + (silu(norm(m)·Wgate) · norm(m)·Wup) · Wdown
 *
 * and its descendants: biases of q, k and v (Qwen2, arXiv:2407.10671), norms of each query and key head
 * before the rotation (Qwen3, arXiv:2505.09388), post-norms, sliding windows and scaled embeddings
 * (Gemma 3, arXiv:2503.19786).
 *
 * @param off heads whose output is replaced by zeros before Wo (zero ablation)
 */
export function referenceForward(
  shape: PolicyShape,
  parameters: Parameters,
  packed: PackedTokens,
  off: readonly HeadRef[] = [],
): ReferenceForward {
  const { width, heads, kvHeads, ffnWidth, layers } = shape;
  const { headDim, queries, kvColumns } = sizes(shape);
  const architecture = architectureOf(shape);
  const { rmsNormEps: epsilon, qkvBias, qkNorm, postNorms, activation } = architecture;
  const rows = packed.tokens.length;
  const { positions, spans: allSpans } = places(packed);
  const get = (name: string) => parameter(parameters, name);
  const linear = (x: Float64Array, name: string, inputs: number, outputs: number) =>
    linearForward({ x, w: get(name) }, { rows, inputs, outputs });
  const biased = (x: Float64Array, name: string) => {
    if (!qkvBias) return x;
    const bias = get(name);
    return x.map((value, i) => value + at(bias, i % bias.length));
  };
  const norm = (x: Float64Array, name: string) =>
    rmsnormReference({ x, gain: get(name) }, { rows, width, epsilon }).y;
  const headnorm = (x: Float64Array, name: string, normed: number, slots: number) =>
    qkNorm
      ? headnormReference({ x, gain: get(name) }, { rows, heads: normed, slots, headDim }, epsilon)
          .y
      : x;

  const embedded = gatherRows(
    { x: get('embedding'), index: packed.tokens },
    { count: rows, width },
  );
  let x: Float64Array = embedded.map((value) => value * architecture.embeddingScale);
  const blocks: BlockTrace[] = [];
  for (let l = 0; l < layers; l++) {
    const of = (name: string) => `layers.${l}.${name}`;
    const { theta, spans } = layerOf(shape, l, allSpans);
    const turn = (x: Float64Array, turned: number, stride: number) =>
      rotateReference({ x, positions }, { rows, heads: turned, headDim, stride, theta }, 1);
    const norm1 = norm(x, of('attention_norm'));
    const rawQ = biased(linear(norm1, of('query'), width, queries), of('query_bias'));
    const rawKv = biased(linear(norm1, of('key_value'), width, kvColumns), of('key_value_bias'));
    const q = turn(headnorm(rawQ, of('query_norm'), heads, heads), heads, queries);
    const kv = turn(headnorm(rawKv, of('key_norm'), kvHeads, 2 * kvHeads), kvHeads, kvColumns);
    const attention = attentionReference({ q, kv, spans }, { rows, heads, kvHeads, headDim }).o;
    for (const { layer, head } of off) {
      if (layer !== l) continue;
      for (let r = 0; r < rows; r++) {
        const start = (r * heads + head) * headDim;
        attention.fill(0, start, start + headDim);
      }
    }
    const attended = linear(attention, of('attention_output'), queries, width);
    const middle = plus(x, postNorms ? norm(attended, of('attention_post_norm')) : attended);
    const norm2 = norm(middle, of('feed_forward_norm'));
    const gateUp = linear(norm2, of('gate_up'), width, 2 * ffnWidth);
    const h = swigluReference(gateUp, { rows, ffnWidth, activation });
    const fed = linear(h, of('down'), ffnWidth, width);
    blocks.push({
      ...{ x, spans, norm1, rawQ, rawKv, q, kv, attention, attended },
      ...{ middle, norm2, gateUp, h, fed },
    });
    x = plus(middle, postNorms ? norm(fed, of('feed_forward_post_norm')) : fed);
  }
  const { finalNorm, logits } = referenceReadout(shape, parameters, x);
  const values = shape.valueHead
    ? linearForward({ x: finalNorm, w: valueHead(parameters) }, { rows, inputs: width, outputs: 1 })
    : new Float64Array(rows);
  return { logits, values, blocks, last: x, finalNorm };
}

/**
 * Logits (N, padded vocabulary) of residual streams (N, width): the final norm and the output
 * projection. Applied to the stream after an inner block, this is the logit lens (nostalgebraist,
 * 2020).
 */
export function referenceReadout(
  shape: PolicyShape,
  parameters: Parameters,
  x: Float64Array,
): { readonly finalNorm: Float64Array; readonly logits: Float64Array } {
  const { width } = shape;
  const rows = x.length / width;
  const { rmsNormEps: epsilon } = architectureOf(shape);
  const gain = parameter(parameters, 'final_norm');
  const finalNorm = rmsnormReference({ x, gain }, { rows, width, epsilon }).y;
  const logits = linearForward(
    { x: finalNorm, w: head(shape, parameters) },
    { rows, inputs: width, outputs: sizes(shape).padded },
  );
  return { finalNorm, logits };
}

/** Attention weights (N − from, heads, N − from) of a block for the tokens from `from` on. */
export function referenceAttention(
  shape: PolicyShape,
  block: BlockTrace,
  from: number,
): Float64Array {
  const { heads, kvHeads } = shape;
  const rows = block.x.length / shape.width;
  const { headDim } = sizes(shape);
  return attentionWeightsReference(block, { rows, heads, kvHeads, headDim }, from);
}

/** The output projection (width, padded vocabulary); with tied embeddings, the embedding's transpose. */
function head(shape: PolicyShape, parameters: Parameters): Float64Array {
  if (!shape.tiedEmbeddings) return parameter(parameters, 'head');
  return transposed(parameter(parameters, 'embedding'), sizes(shape).padded, shape.width);
}

/** The value head's first column (width); the others are padding for the GPU. */
function valueHead(parameters: Parameters): Float64Array {
  return parameter(parameters, 'value_head').filter((_, i) => i % VALUE_COLUMNS === 0);
}

/** (columns, rows) from (rows, columns). */
function transposed(x: Float64Array, rows: number, columns: number): Float64Array {
  return Float64Array.from({ length: x.length }, (_, i) =>
    at(x, (i % rows) * columns + Math.floor(i / rows)),
  );
}

/**
 * Gradients of every parameter from dlogits (N, padded vocabulary) and dvalues (N).
 */
export function referenceBackward(
  shape: PolicyShape,
  parameters: Parameters,
  packed: PackedTokens,
  { blocks, last, finalNorm }: ReferenceForward,
  { dlogits, dvalues }: { readonly dlogits: Float64Array; readonly dvalues: Float64Array },
): Record<string, Float64Array> {
  const { width, heads, kvHeads, ffnWidth, layers } = shape;
  const { headDim, queries, kvColumns, padded } = sizes(shape);
  const architecture = architectureOf(shape);
  const { rmsNormEps: epsilon, qkvBias, qkNorm, postNorms, activation } = architecture;
  const rows = packed.tokens.length;
  const { positions, spans: allSpans } = places(packed);
  const get = (name: string) => parameter(parameters, name);
  const gradients: Record<string, Float64Array> = {};
  /** Backward of y = x·W: stores W's gradient and returns x's. */
  const linear = (
    x: Float64Array,
    name: string,
    dy: Float64Array,
    inputs: number,
    outputs: number,
  ) => {
    const { dx, dw } = linearBackward({ x, w: get(name), dy }, { rows, inputs, outputs });
    gradients[name] = dw;
    return dx;
  };
  const norm = (x: Float64Array, name: string, dy: Float64Array) => {
    const { dx, dgain } = rmsnormBackwardReference(
      { x, gain: get(name), dy },
      { rows, width, epsilon },
    );
    gradients[name] = dgain;
    return dx;
  };
  const headnorm = (
    x: Float64Array,
    name: string,
    dy: Float64Array,
    normed: number,
    slots: number,
  ) => {
    if (!qkNorm) return dy;
    const heads = { rows, heads: normed, slots, headDim };
    const { dx, dgain } = headnormBackwardReference({ x, gain: get(name), dy }, heads, epsilon);
    gradients[name] = dgain;
    return dx;
  };

  const { dx: dfinal, dw: dhead } = linearBackward(
    { x: finalNorm, w: head(shape, parameters), dy: dlogits },
    { rows, inputs: width, outputs: padded },
  );
  let dnormed = dfinal;
  if (shape.valueHead) {
    const { dx: fromValues, dw } = linearBackward(
      { x: finalNorm, w: valueHead(parameters), dy: dvalues },
      { rows, inputs: width, outputs: 1 },
    );
    dnormed = plus(dfinal, fromValues);
    gradients.value_head = Float64Array.from({ length: width * VALUE_COLUMNS }, (_, i) =>
      i % VALUE_COLUMNS === 0 ? at(dw, i / VALUE_COLUMNS) : 0,
    );
  }
  let dx = norm(last, 'final_norm', dnormed);
  for (let l = layers - 1; l >= 0; l--) {
    const of = (name: string) => `layers.${l}.${name}`;
    const block = blocks[l];
    if (block === undefined) throw new RangeError(`no trace of block ${l}`);
    const { theta, spans } = layerOf(shape, l, allSpans);
    const turnBack = (dx: Float64Array, turned: number, stride: number) =>
      rotateReference({ x: dx, positions }, { rows, heads: turned, headDim, stride, theta }, -1);
    const dfed = postNorms ? norm(block.fed, of('feed_forward_post_norm'), dx) : dx;
    const dh = linear(block.h, of('down'), dfed, ffnWidth, width);
    const dgateUp = swigluBackwardReference(
      { gateUp: block.gateUp, dh },
      { rows, ffnWidth, activation },
    );
    const dnorm2 = linear(block.norm2, of('gate_up'), dgateUp, width, 2 * ffnWidth);
    const dmiddle = plus(dx, norm(block.middle, of('feed_forward_norm'), dnorm2));
    const dattended = postNorms
      ? norm(block.attended, of('attention_post_norm'), dmiddle)
      : dmiddle;
    const dout = linear(block.attention, of('attention_output'), dattended, queries, width);
    const { dq, dkv } = attentionBackwardReference(
      { q: block.q, kv: block.kv, spans, dout },
      { rows, heads, kvHeads, headDim },
    );
    const drawQ = headnorm(
      block.rawQ,
      of('query_norm'),
      turnBack(dq, heads, queries),
      heads,
      heads,
    );
    const turnedKv = turnBack(dkv, kvHeads, kvColumns);
    const drawKv = headnorm(block.rawKv, of('key_norm'), turnedKv, kvHeads, 2 * kvHeads);
    if (qkvBias) {
      gradients[of('query_bias')] = biasGradientReference(drawQ, queries);
      gradients[of('key_value_bias')] = biasGradientReference(drawKv, kvColumns);
    }
    const dnorm1 = plus(
      linear(block.norm1, of('query'), drawQ, width, queries),
      linear(block.norm1, of('key_value'), drawKv, width, kvColumns),
    );
    dx = plus(dmiddle, norm(block.x, of('attention_norm'), dnorm1));
  }
  const dembedding = new Float64Array(padded * width);
  dx = dx.map((value) => value * architecture.embeddingScale);
  scatterAddRows({ x: dx, index: packed.tokens, y: dembedding }, { count: rows, width });
  if (shape.tiedEmbeddings) {
    gradients.embedding = plus(dembedding, transposed(dhead, width, padded));
  } else {
    gradients.embedding = dembedding;
    gradients.head = dhead;
  }
  return gradients;
}

/** The loss of an update and its terms, from the forward passes of its micro-batches. */
export function referenceObjective(
  shape: PolicyShape,
  forwards: readonly ReferenceForward[],
  batches: readonly TrainingBatch[],
  objective: Objective,
): ReturnType<typeof objectiveReference> {
  const { vocabulary } = shape;
  const stride = sizes(shape).padded;
  const logits: number[] = [];
  const values: number[] = [];
  batches.forEach((batch, b) => {
    const forward = forwards[b];
    if (forward === undefined) throw new RangeError(`no forward pass for micro-batch ${b}`);
    for (const row of batch.rows) {
      logits.push(...forward.logits.subarray(row * stride, row * stride + vocabulary));
      values.push(at(forward.values, row));
    }
  });
  const column = (pick: (batch: TrainingBatch) => ArrayLike<number> | undefined) =>
    batches.flatMap((batch) => Array.from(pick(batch) ?? new Float64Array(batch.rows.length)));
  return objectiveReference({
    logits,
    targets: column(({ targets }) => targets),
    temperature: objective.temperature,
    values,
    rows: {
      behaviorLogps: column(({ behaviorLogps }) => behaviorLogps),
      proximalLogps: column((batch) => batch.proximalLogps ?? batch.behaviorLogps),
      referenceLogps: column((batch) => batch.referenceLogps ?? batch.behaviorLogps),
      advantages: column(({ advantages }) => advantages),
      weights: column(({ weights }) => weights),
      oldValues: column(({ oldValues }) => oldValues),
      returns: column(({ returns }) => returns),
      episodes: column(({ episodes }) => episodes),
    },
    settings: objective,
  });
}

/** The objective and the gradients of an update over several micro-batches. */
export function referenceUpdate(
  shape: PolicyShape,
  parameters: Parameters,
  batches: readonly TrainingBatch[],
  objective: Objective,
): {
  readonly objective: ReturnType<typeof objectiveReference>;
  readonly gradients: Record<string, Float64Array>;
} {
  const { vocabulary } = shape;
  const stride = sizes(shape).padded;
  const forwards = batches.map((batch) => referenceForward(shape, parameters, batch));
  const found = referenceObjective(shape, forwards, batches, objective);
  const gradients: Record<string, Float64Array> = {};
  for (const [name, values] of Object.entries(parameters)) {
    gradients[name] = new Float64Array(values.length);
  }
  let lossRow = 0;
  batches.forEach((batch, b) => {
    const forward = forwards[b];
    if (forward === undefined) throw new RangeError(`no forward pass for micro-batch ${b}`);
    const dlogits = new Float64Array(forward.logits.length);
    const dvalues = new Float64Array(forward.values.length);
    for (const row of batch.rows) {
      for (let v = 0; v < vocabulary; v++) {
        const to = row * stride + v;
        dlogits[to] = at(dlogits, to) + at(found.dlogits, lossRow * vocabulary + v);
      }
      dvalues[row] = at(dvalues, row) + at(found.dvalues, lossRow);
      lossRow++;
    }
    const parts = referenceBackward(shape, parameters, batch, forward, { dlogits, dvalues });
    for (const [name, values] of Object.entries(parts)) {
      gradients[name] = plus(parameter(gradients, name), values);
    }
  });
  return { objective: found, gradients };
}
