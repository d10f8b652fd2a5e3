import { KernelArgumentError, type Recorder, type Tensor } from '../device/index.ts';
import { attentionForward } from '../kernels/attention.ts';
import { addBias, scale } from '../kernels/elementwise.ts';
import { embeddingForward } from '../kernels/embedding.ts';
import { frozenForward, frozenRows } from '../kernels/frozen.ts';
import { headnormForward } from '../kernels/headnorm.ts';
import { gateUp as gateUpForward, queryKeyValue } from '../kernels/layer.ts';
import { matmul, matmulTransposed } from '../kernels/matmul.ts';
import { sumParts } from '../kernels/reduce.ts';
import { rmsnormForward } from '../kernels/rmsnorm.ts';
import { rotate } from '../kernels/rope.ts';
import { moveRows } from '../kernels/rows.ts';
import { swigluForward } from '../kernels/swiglu.ts';
import { linear } from './linear.ts';
import {
  type BlockActivations,
  type Network,
  type ParameterTensors,
  type PassIndex,
  type PassSizes,
  parameter,
} from './network.ts';

/** Final hidden states of the requested rows. Stores the activations that the backward pass needs. */
export function hiddenStates(
  d: Recorder,
  net: Network,
  index: PassIndex,
  { n, r }: PassSizes,
  cached: boolean,
  weights = net.parameters,
): void {
  const { width } = net.shape;
  const { embeddingScale, rmsNormEps: epsilon } = net.block;
  const { work } = net;
  const x0 = net.blocks[0]?.x;
  if (!x0) throw new KernelArgumentError('policy', 'no layers');
  const table = net.frozen?.matrices.get('embedding');
  if (table) {
    const sizes = { rows: n, inputs: width, outputs: net.padded };
    frozenRows(d, { tokens: index.tokens, w: table, x: x0 }, sizes);
  } else {
    const tensors = { tokens: index.tokens, table: parameter(weights, 'embedding'), x: x0 };
    embeddingForward(d, tensors, { rows: n, width });
  }
  if (embeddingScale !== 1) scale(d, { x: x0 }, { rows: n, columns: width }, embeddingScale);
  for (let l = 0; l < net.blocks.length; l++) {
    blockForward(d, net, l, index, { n, r }, { cached, weights, recomputed: false });
  }
  d.piece(r * net.logitWork);
  rmsnormForward(
    d,
    {
      x: work.last,
      gain: net.vector('final_norm', weights),
      y: work.finalNorm,
      rstd: work.finalRstd,
    },
    { rows: r, width, epsilon },
  );
}

/** Whether a block computes only the requested rows: the last block does, unless all are requested. */
export function isNarrow(net: Network, l: number, { n, r }: PassSizes): boolean {
  return l === net.shape.layers - 1 && r < n;
}

/**
 * One block; see `referenceForward` for the equations. When it is recomputed for the backward pass, the last
 * product is omitted unless a post-norm follows it.
 */
export function blockForward(
  d: Recorder,
  net: Network,
  l: number,
  index: PassIndex,
  { n, r }: PassSizes,
  {
    cached,
    weights,
    recomputed,
  }: {
    readonly cached: boolean;
    readonly weights: ParameterTensors;
    readonly recomputed: boolean;
  },
): void {
  const block = activationsOf(net, l);
  const { width, ffnWidth } = net.shape;
  const { heads, work, queryWidth } = net;
  const { rmsNormEps: epsilon, activation } = net.block;
  const { sliding } = net.layer(l);
  const prefix = `layers.${l}`;
  const narrow = isNarrow(net, l, { n, r });
  const rows = narrow ? r : n;
  d.piece(rows * net.blockWork);
  const { x, norm1, rstd1, kv, q, lse, middle, norm2, rstd2, gateUp, h } = block;
  const { postNorms } = block;
  const vector = (name: string) => net.vector(`${prefix}.${name}`, weights);
  rmsnormForward(
    d,
    { x, gain: vector('attention_norm'), y: norm1, rstd: rstd1 },
    { rows: n, width, epsilon },
  );
  const store = cached ? net.caches[l] : kv;
  if (!store) throw new KernelArgumentError('policy', `no cache for layer ${l}`);
  const residual = narrow ? work.rowX : x;
  const fused = net.fuses(d);
  if (fused && !narrow) {
    const { positions, destination } = index;
    const matrices = parameter(weights, `${prefix}.query_key_value`);
    queryKeyValue(
      d,
      {
        ...{ x: norm1, weights: matrices, positions, q, kv: store },
        ...(cached && destination ? { destination } : {}),
      },
      { rows: n, inner: width },
      heads,
    );
  } else {
    keysAndValues(d, net, l, index, n, { cached, weights });
    if (narrow) {
      const gather = { count: r, width };
      moveRows(d, 'gather', { index: index.rows, x: norm1, y: work.rowNorm }, gather);
      moveRows(d, 'gather', { index: index.rows, x, y: residual }, gather);
    }
    queries(d, net, l, index, rows, { narrow, weights });
  }
  const spans = spansOf(index, narrow, sliding);
  // In a decode step, or if few rows are requested, neighboring rows belong to different sequences.
  const alone = index !== net.pass || 4 * rows < n;
  attentionForward(d, { q, kv: store, spans, o: block.attention, lse }, { rows, alone }, heads);
  joinStream(
    d,
    net,
    weights,
    `${prefix}.attention_output`,
    { a: block.attention, residual, y: middle },
    { rows, inputs: queryWidth },
    postNorms && {
      x: postNorms.attended,
      rstd: postNorms.attendedRstd,
      gain: vector('attention_post_norm'),
    },
  );
  rmsnormForward(
    d,
    { x: middle, gain: vector('feed_forward_norm'), y: norm2, rstd: rstd2 },
    { rows, width, epsilon },
  );
  if (fused) {
    const matrix = parameter(weights, `${prefix}.gate_up`);
    const sizes = { rows, inner: width, ffnWidth };
    gateUpForward(d, { x: norm2, weights: matrix, gateUp, h }, sizes);
  } else {
    linear(
      d,
      net,
      weights,
      `${prefix}.gate_up`,
      { a: norm2, c: gateUp },
      { rows, inputs: width, outputs: 2 * ffnWidth },
    );
    swigluForward(d, { gateUp, h }, { rows, ffnWidth, activation });
  }
  // The backward pass needs the last product only if a post-norm follows it.
  const y = recomputed ? work.dpost : (net.blocks[l + 1]?.x ?? work.last);
  if (!y) return;
  joinStream(
    d,
    net,
    weights,
    `${prefix}.down`,
    { a: h, residual: middle, y },
    { rows, inputs: ffnWidth },
    postNorms && {
      x: postNorms.fed,
      rstd: postNorms.fedRstd,
      gain: vector('feed_forward_post_norm'),
    },
  );
}

/** Computes kv from norm1, with rotated keys, and writes it to the cache. */
function keysAndValues(
  d: Recorder,
  net: Network,
  l: number,
  index: PassIndex,
  n: number,
  { cached, weights }: { readonly cached: boolean; readonly weights: ParameterTensors },
): void {
  const block = activationsOf(net, l);
  const { width } = net.shape;
  const { heads } = net;
  const { headDim } = heads;
  const { rmsNormEps: epsilon, qkvBias } = net.block;
  const { theta } = net.layer(l);
  const kvColumns = 2 * net.kvWidth;
  const { kv, headNorms } = block;
  const vector = (name: string) => net.vector(`layers.${l}.${name}`, weights);
  const raw = headNorms?.kv ?? kv;
  linear(
    d,
    net,
    weights,
    `layers.${l}.key_value`,
    { a: block.norm1, c: raw },
    { rows: n, inputs: width, outputs: kvColumns },
  );
  if (qkvBias) {
    addBias(d, { x: raw, bias: vector('key_value_bias') }, { rows: n, columns: kvColumns });
  }
  if (headNorms) {
    headnormForward(
      d,
      { x: raw, gain: vector('key_norm'), y: kv, rstd: headNorms.keyRstd },
      { rows: n, heads: heads.kvHeads, slots: 2 * heads.kvHeads, headDim },
      epsilon,
    );
  }
  const sizes = { rows: n, heads: heads.kvHeads, headDim, stride: kvColumns, theta };
  rotate(d, { positions: index.positions, x: kv }, sizes, 1);
  if (!cached) return;
  const y = net.caches[l];
  if (!index.destination || !y) throw new KernelArgumentError('policy', 'no cache rows');
  moveRows(d, 'scatter', { index: index.destination, x: kv, y }, { count: n, width: kvColumns });
}

/** Computes rotated q from norm1; in a narrow block, only from its requested rows. */
function queries(
  d: Recorder,
  net: Network,
  l: number,
  index: PassIndex,
  rows: number,
  { narrow, weights }: { readonly narrow: boolean; readonly weights: ParameterTensors },
): void {
  const { q, norm1, headNorms } = activationsOf(net, l);
  const { heads, queryWidth } = net;
  const { rmsNormEps: epsilon, qkvBias } = net.block;
  const { theta } = net.layer(l);
  const vector = (name: string) => net.vector(`layers.${l}.${name}`, weights);
  const raw = headNorms?.q ?? q;
  linear(
    d,
    net,
    weights,
    `layers.${l}.query`,
    { a: narrow ? net.work.rowNorm : norm1, c: raw },
    { rows, inputs: net.shape.width, outputs: queryWidth },
  );
  if (qkvBias) addBias(d, { x: raw, bias: vector('query_bias') }, { rows, columns: queryWidth });
  if (headNorms) {
    headnormForward(
      d,
      { x: raw, gain: vector('query_norm'), y: q, rstd: headNorms.queryRstd },
      { rows, heads: heads.heads, slots: heads.heads, headDim: heads.headDim },
      epsilon,
    );
  }
  rotate(
    d,
    { positions: narrow ? index.rowPositions : index.positions, x: q },
    { rows, heads: heads.heads, headDim: heads.headDim, stride: queryWidth, theta },
    1,
  );
}

function activationsOf(net: Network, l: number): BlockActivations {
  const block = net.blocks[l];
  if (!block) throw new KernelArgumentError('policy', `no layer ${l}`);
  return block;
}

export function spansOf(index: PassIndex, narrow: boolean, sliding: boolean): Tensor {
  const whole = narrow ? index.rowSpans : index.spans;
  if (!sliding) return whole;
  const windowed = narrow ? index.windowRowSpans : index.windowSpans;
  if (!windowed) throw new KernelArgumentError('policy', 'no spans of sliding windows');
  return windowed;
}

/** y (rows, width) = residual + a·W, or residual + norm(a·W). */
function joinStream(
  d: Recorder,
  net: Network,
  weights: ParameterTensors,
  name: string,
  { a, residual, y }: { readonly a: Tensor; readonly residual: Tensor; readonly y: Tensor },
  { rows, inputs }: { readonly rows: number; readonly inputs: number },
  post: {
    readonly x: Tensor;
    readonly rstd: Tensor;
    readonly gain: Tensor;
  } | null,
): void {
  const { width } = net.shape;
  const sizes = { rows, inputs, outputs: width };
  if (!post) {
    linear(d, net, weights, name, { a, c: y, residual }, sizes);
    return;
  }
  linear(d, net, weights, name, { a, c: post.x }, sizes);
  const epsilon = net.block.rmsNormEps;
  rmsnormForward(d, { x: post.x, gain: post.gain, y, rstd: post.rstd }, { rows, width, epsilon });
  // Summing a single part with accumulation adds the residual.
  sumParts(d, { partial: residual, y }, { length: rows * width, parts: 1 }, true);
}

/** A chunk of rows of logits. `slice` returns the rest of a (r, columns) tensor from the chunk's first row on. */
export interface LogitChunk {
  readonly from: number;
  readonly rows: number;
  slice(tensor: Tensor, columns: number): Tensor;
}

/** Splits the rows of logits into chunks of at most `logitRows`. */
export function logitChunks({ device, logitRows }: Network, r: number): LogitChunk[] {
  if (r <= logitRows) return [{ from: 0, rows: r, slice: (tensor) => tensor }];
  return Array.from({ length: Math.ceil(r / logitRows) }, (_, i) => {
    const from = i * logitRows;
    return {
      from,
      rows: Math.min(logitRows, r - from),
      slice: (tensor, columns) => {
        const start = from * columns;
        return device.slice(tensor, tensor.label, start, tensor.length - start);
      },
    };
  });
}

/** Computes the logits of a chunk from the final hidden states. */
export function logitsOf(
  d: Recorder,
  net: Network,
  { rows, slice }: LogitChunk,
  weights = net.parameters,
): void {
  const { width, tiedEmbeddings } = net.shape;
  const { finalNorm, logits } = net.work;
  const a = slice(finalNorm, width);
  const columns = net.padded;
  const w = net.frozen?.matrices.get(tiedEmbeddings ? 'embedding' : 'head');
  if (w) {
    frozenForward(d, { a, w, c: logits }, { rows, inputs: width, outputs: columns }, false);
  } else if (tiedEmbeddings) {
    const tensors = { a, b: parameter(weights, 'embedding'), c: logits };
    matmulTransposed(d, tensors, { rows, inner: width, columns }, false);
  } else {
    const tensors = { a, b: parameter(weights, 'head'), c: logits };
    matmul(d, tensors, { rows, inner: width, columns });
  }
}

/** Logits of the requested rows, which must fit into one chunk. */
export function forward(
  d: Recorder,
  net: Network,
  index: PassIndex,
  sizes: PassSizes,
  cached: boolean,
): void {
  hiddenStates(d, net, index, sizes, cached);
  const [chunk, ...others] = logitChunks(net, sizes.r);
  if (!chunk || others.length > 0) {
    const most = net.logitRows;
    throw new KernelArgumentError('policy', `${sizes.r} rows of logits, capacity for ${most}`);
  }
  logitsOf(d, net, chunk);
}
