import { KernelArgumentError, type Recorder } from '../device/index.ts';
import { attentionForward } from '../kernels/attention.ts';
import { embeddingForward } from '../kernels/embedding.ts';
import { matmul, matmulTransposed } from '../kernels/matmul.ts';
import { rmsnormForward } from '../kernels/rmsnorm.ts';
import { rotate } from '../kernels/rope.ts';
import { moveRows } from '../kernels/rows.ts';
import { swigluForward } from '../kernels/swiglu.ts';
import { type Network, type PassIndex, type PassSizes, parameter } from './network.ts';

/** Tokens to logits of the wanted rows; keeps every activation. */
export function forward(
  d: Recorder,
  net: Network,
  index: PassIndex,
  { n, r }: PassSizes,
  cached: boolean,
  weights = net.parameters,
): void {
  const weight = (name: string) => parameter(weights, name);
  const { width, ffnWidth, layers } = net.shape;
  const heads = net.heads;
  const work = net.work;
  const kvColumns = 2 * net.kvWidth;
  const x0 = net.blocks[0]?.x;
  if (!x0) throw new KernelArgumentError('policy', 'no layers');
  embeddingForward(
    d,
    { tokens: index.tokens, table: weight('embedding'), x: x0 },
    { rows: n, width },
  );
  net.blocks.forEach((block, l) => {
    const prefix = `layers.${l}`;
    const narrow = l === layers - 1 && r < n;
    const rows = narrow ? r : n;
    d.piece(rows * net.blockWork);
    const { x, norm1, rstd1, kv, q, lse, middle, norm2, rstd2, gateUp, h } = block;
    rmsnormForward(
      d,
      { x, gain: weight(`${prefix}.attention_norm`), y: norm1, rstd: rstd1 },
      { rows: n, width },
    );
    matmul(
      d,
      { a: norm1, b: weight(`${prefix}.key_value`), c: kv },
      { rows: n, inner: width, columns: kvColumns },
    );
    rotate(
      d,
      { positions: index.positions, x: kv },
      { rows: n, heads: heads.kvHeads, headDim: heads.headDim, stride: kvColumns },
      1,
    );
    const store = cached ? net.caches[l] : kv;
    if (!store) throw new KernelArgumentError('policy', `no cache for layer ${l}`);
    if (cached) {
      if (!index.destination) throw new KernelArgumentError('policy', 'no cache rows');
      moveRows(
        d,
        'scatter',
        { index: index.destination, x: kv, y: store },
        { count: n, width: kvColumns },
      );
    }
    const queryInput = narrow ? work.rowNorm : norm1;
    const residual = narrow ? work.rowX : x;
    if (narrow) {
      const gather = { count: r, width };
      moveRows(d, 'gather', { index: index.rows, x: norm1, y: queryInput }, gather);
      moveRows(d, 'gather', { index: index.rows, x, y: residual }, gather);
    }
    matmul(
      d,
      { a: queryInput, b: weight(`${prefix}.query`), c: q },
      { rows, inner: width, columns: width },
    );
    rotate(
      d,
      { positions: narrow ? index.rowPositions : index.positions, x: q },
      { rows, heads: heads.heads, headDim: heads.headDim, stride: width },
      1,
    );
    const spans = narrow ? index.rowSpans : index.spans;
    // In a decode step, and where few rows are wanted, neighbours are of different sequences.
    const alone = index !== net.pass || 4 * rows < n;
    attentionForward(d, { q, kv: store, spans, o: block.attention, lse }, { rows, alone }, heads);
    matmul(
      d,
      {
        a: block.attention,
        b: weight(`${prefix}.attention_output`),
        c: middle,
        residual,
      },
      { rows, inner: width, columns: width },
    );
    rmsnormForward(
      d,
      { x: middle, gain: weight(`${prefix}.feed_forward_norm`), y: norm2, rstd: rstd2 },
      { rows, width },
    );
    matmul(
      d,
      { a: norm2, b: weight(`${prefix}.gate_up`), c: gateUp },
      { rows, inner: width, columns: 2 * ffnWidth },
    );
    swigluForward(d, { gateUp, h }, { rows, ffnWidth });
    matmul(
      d,
      {
        a: h,
        b: weight(`${prefix}.down`),
        c: net.blocks[l + 1]?.x ?? work.last,
        residual: middle,
      },
      { rows, inner: ffnWidth, columns: width },
    );
  });
  d.piece(r * net.logitWork);
  rmsnormForward(
    d,
    { x: work.last, gain: weight('final_norm'), y: work.finalNorm, rstd: work.finalRstd },
    { rows: r, width },
  );
  const columns = net.padded;
  if (net.shape.tiedEmbeddings) {
    matmulTransposed(
      d,
      { a: work.finalNorm, b: weight('embedding'), c: work.logits },
      { rows: r, inner: width, columns },
      false,
    );
  } else {
    matmul(
      d,
      { a: work.finalNorm, b: weight('head'), c: work.logits },
      { rows: r, inner: width, columns },
    );
  }
}
