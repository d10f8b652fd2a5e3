import { KernelArgumentError, type Recorder, type Tensor } from '../device/index.ts';
import { attentionBackward } from '../kernels/attention.ts';
import { biasGradient, scale } from '../kernels/elementwise.ts';
import { embeddingBackward } from '../kernels/embedding.ts';
import { frozenBackward } from '../kernels/frozen.ts';
import { headnormBackward } from '../kernels/headnorm.ts';
import { linearGradients } from '../kernels/layer.ts';
import { matmul, matmulTransposed } from '../kernels/matmul.ts';
import { logitGradient } from '../kernels/objective.ts';
import { sumParts } from '../kernels/reduce.ts';
import { PART_ROWS, rmsnormBackward, rmsnormBackwardParts } from '../kernels/rmsnorm.ts';
import { rotate } from '../kernels/rope.ts';
import { moveRows } from '../kernels/rows.ts';
import { swigluBackward } from '../kernels/swiglu.ts';
import { blockForward, isNarrow, logitChunks, logitsOf, spansOf } from './forward.ts';
import { VALUE_COLUMNS } from './layout.ts';
import { addGradient, linearBackward } from './linear.ts';
import {
  type BatchSizes,
  type GradientParts,
  type Network,
  type PassSizes,
  parameter,
} from './network.ts';

/**
 * Backpropagates the loss and adds the gradients of all trained parameters to the existing ones. With an
 * adapter, logits (in chunks) and blocks are recomputed instead of stored.
 */
export function backward(
  d: Recorder,
  net: Network,
  sizes: BatchSizes,
  pieces: number,
  softened: { readonly temperature: number },
): void {
  const { n, r } = sizes;
  const { width, layers } = net.shape;
  const { work } = net;
  const parts = net.fuses(d) ? net.parts : null;
  headBackward(d, net, parts, sizes, softened);
  const narrowed = r < n;
  let dx = narrowed ? work.rowDx : work.dx;
  norm(
    d,
    net,
    parts,
    'final_norm',
    { x: work.last, rstd: work.finalRstd, dy: work.rowDnorm, dx },
    { rows: r, of: n },
    false,
  );
  for (let l = layers - 1; l >= 0; l--) dx = blockBackward(d, net, parts, l, { n, r }, dx);
  if (parts) {
    const { matrices, gains, stride, gainStride, splits } = parts;
    const ofMatrices = { partial: matrices, y: parts.matrixGradients };
    sumParts(d, ofMatrices, { length: stride, parts: splits }, true);
    const ofGains = { partial: gains, y: parts.gainGradients };
    sumParts(d, ofGains, { length: gainStride, parts: Math.ceil(n / PART_ROWS) }, true);
  }
  // The rest is only needed for the embedding's gradient.
  if (net.frozen) return;
  const { embeddingScale } = net.block;
  if (embeddingScale !== 1) scale(d, { x: dx }, { rows: n, columns: width }, embeddingScale);
  embeddingBackward(
    d,
    {
      sortedRows: work.sortedRows,
      pieces: work.pieces,
      dx,
      partial: net.scratch,
      dtable: net.gradient('embedding'),
    },
    { pieces, width },
  );
}

/** Backward pass of the RMSNorm with the gain `name`, for `rows` rows in a pass of `of` tokens. */
function norm(
  d: Recorder,
  net: Network,
  parts: GradientParts | null,
  name: string,
  tensors: {
    readonly x: Tensor;
    readonly rstd: Tensor;
    readonly dy: Tensor;
    readonly dx: Tensor;
  },
  { rows, of }: { readonly rows: number; readonly of: number },
  added: boolean,
): void {
  const { width } = net.shape;
  const gain = net.vector(name);
  if (parts) {
    rmsnormBackwardParts(
      d,
      { ...tensors, gain, dgain: parameter(parts, name) },
      { rows, width },
      { parts: Math.ceil(of / PART_ROWS), stride: parts.gainStride },
      added,
    );
    return;
  }
  const { scratch } = net;
  const dgain = net.vectorGradient(name);
  rmsnormBackward(d, { ...tensors, gain, dgain, scratch }, { rows, width }, added);
}

/** Backpropagates ∂loss/∂logits and ∂loss/∂values through the heads to `rowDnorm` (r, width). */
function headBackward(
  d: Recorder,
  net: Network,
  parts: GradientParts | null,
  { r, lossRows }: BatchSizes,
  softened: { readonly temperature: number },
): void {
  const { work } = net;
  const { width, vocabulary, tiedEmbeddings, valueHead } = net.shape;
  const columns = net.padded;
  const { logits, softmax, lossStarts, lossTargets: targets, pulls, dlogits, dvalues } = work;
  const chunks = logitChunks(net, r);
  for (const chunk of chunks) {
    const { rows, slice } = chunk;
    if (chunks.length > 1) logitsOf(d, net, chunk);
    logitGradient(
      d,
      {
        logits,
        softmax: slice(softmax, 2),
        starts: slice(lossStarts, 1),
        targets,
        pulls,
        dlogits,
        dvalues: slice(dvalues, VALUE_COLUMNS),
      },
      { rows, lossRows, vocabulary, stride: columns },
      softened,
    );
    d.piece(2 * rows * net.logitWork);
    const c = slice(work.rowDnorm, width);
    const w = net.frozen?.matrices.get(tiedEmbeddings ? 'embedding' : 'head');
    if (w) {
      frozenBackward(d, { a: dlogits, w, c }, { rows, inputs: width, outputs: columns }, false);
    } else if (tiedEmbeddings) {
      const tensors = { a: dlogits, b: net.weight('embedding'), c };
      matmul(d, tensors, { rows, inner: columns, columns: width });
      const gradient = { rows: columns, inner: rows, columns: width };
      addGradient(d, net, 'embedding', dlogits, slice(work.finalNorm, width), gradient);
    } else {
      const tensors = { x: slice(work.finalNorm, width), dy: dlogits, dx: c };
      linearBackward(
        d,
        net,
        parts,
        'head',
        tensors,
        { rows, inputs: width, outputs: columns },
        false,
      );
    }
  }
  if (!valueHead) return;
  matmulTransposed(
    d,
    { a: dvalues, b: net.weight('value_head'), c: work.rowDnorm },
    { rows: r, inner: VALUE_COLUMNS, columns: width },
    true,
  );
  addGradient(d, net, 'value_head', work.finalNorm, dvalues, {
    rows: width,
    inner: r,
    columns: VALUE_COLUMNS,
  });
}

/** Returns the gradient of a block's input, given its output's gradient. */
function blockBackward(
  d: Recorder,
  net: Network,
  parts: GradientParts | null,
  l: number,
  { n, r }: PassSizes,
  dOutput: Tensor,
): Tensor {
  let dx = dOutput;
  const { width, ffnWidth } = net.shape;
  const { heads, work, scratch, queryWidth } = net;
  const { activation, qkvBias } = net.block;
  const { theta, sliding } = net.layer(l);
  const index = net.pass;
  const kvColumns = 2 * net.kvWidth;
  const block = net.blocks[l];
  if (!block) throw new KernelArgumentError('policy', `no layer ${l}`);
  const prefix = `layers.${l}`;
  const narrow = isNarrow(net, l, { n, r });
  const rows = narrow ? r : n;
  const { headNorms, postNorms } = block;
  if (net.frozen) {
    const settings = { cached: false, weights: net.parameters, recomputed: true };
    blockForward(d, net, l, index, { n, r }, settings);
  }
  d.piece(2 * rows * net.blockWork);
  const through = (
    name: string,
    tensors: Parameters<typeof norm>[4],
    ofRows: number,
    adds: boolean,
  ) => norm(d, net, parts, `${prefix}.${name}`, tensors, { rows: ofRows, of: n }, adds);
  /** The gradient before a post-norm; `dx` itself if there is none. */
  const beforePost = (name: string, x: Tensor | undefined, rstd: Tensor | undefined): Tensor => {
    const { dpost } = work;
    if (!x || !rstd || !dpost) return dx;
    through(name, { x, rstd, dy: dx, dx: dpost }, rows, false);
    return dpost;
  };

  // feed-forward: x_out = middle + a(gate)·up · down
  const { gateUp, h } = block;
  const dy = beforePost('feed_forward_post_norm', postNorms?.fed, postNorms?.fedRstd);
  const ofDown = { rows, inputs: ffnWidth, outputs: width };
  if (parts) {
    const tensors = { x: h, dy, gateUp, dx: work.dgateUp };
    linearBackward(d, net, parts, `${prefix}.down`, tensors, ofDown, false);
  } else {
    linearBackward(d, net, null, `${prefix}.down`, { x: h, dy, dx: work.dh }, ofDown, false);
    const dgateUp = { gateUp, dh: work.dh, dgateUp: work.dgateUp };
    swigluBackward(d, dgateUp, { rows, ffnWidth, activation });
  }
  linearBackward(
    d,
    net,
    parts,
    `${prefix}.gate_up`,
    { x: block.norm2, dy: work.dgateUp, dx: work.dnorm },
    { rows, inputs: width, outputs: 2 * ffnWidth },
    false,
  );
  through(
    'feed_forward_norm',
    { x: block.middle, rstd: block.rstd2, dy: work.dnorm, dx },
    rows,
    true,
  );

  // attention: middle = x + attention · output
  linearBackward(
    d,
    net,
    parts,
    `${prefix}.attention_output`,
    {
      x: block.attention,
      dy: beforePost('attention_post_norm', postNorms?.attended, postNorms?.attendedRstd),
      dx: work.dattention,
    },
    { rows, inputs: queryWidth, outputs: width },
    false,
  );
  attentionBackward(
    d,
    {
      q: block.q,
      kv: block.kv,
      spans: spansOf(index, narrow, sliding),
      keySpans: keySpansOf(net, narrow, sliding),
      o: block.attention,
      lse: block.lse,
      dout: work.dattention,
      dq: work.dq,
      dkv: work.dkv,
      delta: work.delta,
      ...(parts ? { positions: index.positions } : {}),
    },
    { rows, keyRows: n },
    heads,
  );
  if (!parts) {
    rotate(
      d,
      { positions: narrow ? index.rowPositions : index.positions, x: work.dq },
      { rows, heads: heads.heads, headDim: heads.headDim, stride: queryWidth, theta },
      -1,
    );
    rotate(
      d,
      { positions: index.positions, x: work.dkv },
      { rows: n, heads: heads.kvHeads, headDim: heads.headDim, stride: kvColumns, theta },
      -1,
    );
  }
  if (headNorms) {
    const { headDim } = heads;
    const headNorm = (name: string, x: Tensor, rstd: Tensor, dy: Tensor) => ({
      ...{ x, rstd, dy, scratch },
      gain: net.vector(`${prefix}.${name}`),
      dgain: net.vectorGradient(`${prefix}.${name}`),
    });
    headnormBackward(d, headNorm('query_norm', headNorms.q, headNorms.queryRstd, work.dq), {
      ...{ rows, heads: heads.heads, slots: heads.heads, headDim },
    });
    headnormBackward(d, headNorm('key_norm', headNorms.kv, headNorms.keyRstd, work.dkv), {
      ...{ rows: n, heads: heads.kvHeads, slots: 2 * heads.kvHeads, headDim },
    });
  }
  if (qkvBias && !net.frozen) {
    const queryBias = net.gradient(`${prefix}.query_bias`);
    const keyBias = net.gradient(`${prefix}.key_value_bias`);
    biasGradient(d, { dy: work.dq, dbias: queryBias, scratch }, { rows, columns: queryWidth });
    biasGradient(d, { dy: work.dkv, dbias: keyBias, scratch }, { rows: n, columns: kvColumns });
  }
  const query = `${prefix}.query`;
  const querySizes = { rows, inputs: width, outputs: queryWidth };
  if (parts && !narrow) {
    linearGradients(
      d,
      {
        ...{ x: block.norm1, dy: work.dq, dy2: work.dkv, dx: work.dnorm },
        weights: net.weight(`${prefix}.query_key_value`),
        partial: parameter(parts, query),
      },
      { rows, inner: width, columns: queryWidth, columns2: kvColumns },
      parts,
    );
  } else {
    linearBackward(
      d,
      net,
      parts,
      `${prefix}.key_value`,
      { x: block.norm1, dy: work.dkv, dx: work.dnorm },
      { rows: n, inputs: width, outputs: kvColumns },
      false,
    );
    if (narrow) {
      const tensors = { x: work.rowNorm, dy: work.dq, dx: work.rowDnorm };
      linearBackward(d, net, parts, query, tensors, querySizes, false);
      const move = { count: r, width };
      moveRows(d, 'scatter_add', { index: index.rows, x: work.rowDnorm, y: work.dnorm }, move);
      d.clear(work.dx);
      moveRows(d, 'scatter', { index: index.rows, x: dx, y: work.dx }, move);
      dx = work.dx;
    } else {
      const tensors = { x: block.norm1, dy: work.dq, dx: work.dnorm };
      linearBackward(d, net, null, query, tensors, querySizes, true);
    }
  }
  through('attention_norm', { x: block.x, rstd: block.rstd1, dy: work.dnorm, dx }, n, true);
  return dx;
}

function keySpansOf({ work }: Network, narrow: boolean, sliding: boolean): Tensor {
  if (!sliding) return narrow ? work.rowKeySpans : work.keySpans;
  const windowed = narrow ? work.windowRowKeySpans : work.windowKeySpans;
  if (!windowed) throw new KernelArgumentError('policy', 'no key spans of sliding windows');
  return windowed;
}
