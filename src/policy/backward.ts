import { KernelArgumentError, type Recorder, type Tensor } from '../device/index.ts';
import { attentionBackward } from '../kernels/attention.ts';
import { embeddingBackward } from '../kernels/embedding.ts';
import {
  type MatmulSizes,
  matmul,
  matmulTransposed,
  matmulWeightGradient,
} from '../kernels/matmul.ts';
import { sumParts } from '../kernels/reduce.ts';
import { rmsnormBackward } from '../kernels/rmsnorm.ts';
import { rotate } from '../kernels/rope.ts';
import { moveRows } from '../kernels/rows.ts';
import { swigluBackward } from '../kernels/swiglu.ts';
import { VALUE_COLUMNS } from './layout.ts';
import type { Network, PassSizes } from './network.ts';

/** dlogits and dvalues to the gradients of every parameter, added to what is there. */
export function backward(d: Recorder, net: Network, { n, r }: PassSizes, pieces: number): void {
  const { width, ffnWidth, layers } = net.shape;
  const heads = net.heads;
  const work = net.work;
  const index = net.pass;
  const scratch = net.scratch;
  const kvColumns = 2 * net.kvWidth;
  const columns = net.padded;

  d.piece(2 * r * net.logitWork);
  if (net.shape.tiedEmbeddings) {
    matmul(
      d,
      { a: work.dlogits, b: net.weight('embedding'), c: work.rowDnorm },
      { rows: r, inner: columns, columns: width },
    );
    accumulate(d, net, 'embedding', work.dlogits, work.finalNorm, {
      rows: columns,
      inner: r,
      columns: width,
    });
  } else {
    matmulTransposed(
      d,
      { a: work.dlogits, b: net.weight('head'), c: work.rowDnorm },
      { rows: r, inner: columns, columns: width },
      false,
    );
    accumulate(d, net, 'head', work.finalNorm, work.dlogits, {
      rows: width,
      inner: r,
      columns,
    });
  }
  if (net.shape.valueHead) {
    matmulTransposed(
      d,
      { a: work.dvalues, b: net.weight('value_head'), c: work.rowDnorm },
      { rows: r, inner: VALUE_COLUMNS, columns: width },
      true,
    );
    accumulate(d, net, 'value_head', work.finalNorm, work.dvalues, {
      rows: width,
      inner: r,
      columns: VALUE_COLUMNS,
    });
  }
  const narrowed = r < n;
  let dx = narrowed ? work.rowDx : work.dx;
  rmsnormBackward(
    d,
    {
      x: work.last,
      gain: net.weight('final_norm'),
      rstd: work.finalRstd,
      dy: work.rowDnorm,
      dx,
      dgain: net.gradient('final_norm'),
      scratch,
    },
    { rows: r, width },
    false,
  );

  for (let l = layers - 1; l >= 0; l--) {
    const block = net.blocks[l];
    if (!block) throw new KernelArgumentError('policy', `no layer ${l}`);
    const prefix = `layers.${l}`;
    const narrow = l === layers - 1 && narrowed;
    const rows = narrow ? r : n;
    d.piece(2 * rows * net.blockWork);

    // feed-forward: x_out = middle + silu(gate)·up · down
    matmulTransposed(
      d,
      { a: dx, b: net.weight(`${prefix}.down`), c: work.dh },
      { rows, inner: width, columns: ffnWidth },
      false,
    );
    accumulate(d, net, `${prefix}.down`, block.h, dx, {
      rows: ffnWidth,
      inner: rows,
      columns: width,
    });
    swigluBackward(
      d,
      { gateUp: block.gateUp, dh: work.dh, dgateUp: work.dgateUp },
      { rows, ffnWidth },
    );
    accumulate(d, net, `${prefix}.gate_up`, block.norm2, work.dgateUp, {
      rows: width,
      inner: rows,
      columns: 2 * ffnWidth,
    });
    matmulTransposed(
      d,
      { a: work.dgateUp, b: net.weight(`${prefix}.gate_up`), c: work.dnorm },
      { rows, inner: 2 * ffnWidth, columns: width },
      false,
    );
    rmsnormBackward(
      d,
      {
        x: block.middle,
        gain: net.weight(`${prefix}.feed_forward_norm`),
        rstd: block.rstd2,
        dy: work.dnorm,
        dx,
        dgain: net.gradient(`${prefix}.feed_forward_norm`),
        scratch,
      },
      { rows, width },
      true,
    );

    // attention: middle = x + attention · output
    matmulTransposed(
      d,
      { a: dx, b: net.weight(`${prefix}.attention_output`), c: work.dattention },
      { rows, inner: width, columns: width },
      false,
    );
    accumulate(d, net, `${prefix}.attention_output`, block.attention, dx, {
      rows: width,
      inner: rows,
      columns: width,
    });
    attentionBackward(
      d,
      {
        q: block.q,
        kv: block.kv,
        spans: narrow ? index.rowSpans : index.spans,
        keySpans: narrow ? work.rowKeySpans : work.keySpans,
        o: block.attention,
        lse: block.lse,
        dout: work.dattention,
        dq: work.dq,
        dkv: work.dkv,
        delta: work.delta,
      },
      { rows, keyRows: n },
      heads,
    );
    rotate(
      d,
      { positions: narrow ? index.rowPositions : index.positions, x: work.dq },
      { rows, heads: heads.heads, headDim: heads.headDim, stride: width },
      -1,
    );
    rotate(
      d,
      { positions: index.positions, x: work.dkv },
      { rows: n, heads: heads.kvHeads, headDim: heads.headDim, stride: kvColumns },
      -1,
    );
    accumulate(d, net, `${prefix}.query`, narrow ? work.rowNorm : block.norm1, work.dq, {
      rows: width,
      inner: rows,
      columns: width,
    });
    accumulate(d, net, `${prefix}.key_value`, block.norm1, work.dkv, {
      rows: width,
      inner: n,
      columns: kvColumns,
    });
    matmulTransposed(
      d,
      { a: work.dkv, b: net.weight(`${prefix}.key_value`), c: work.dnorm },
      { rows: n, inner: kvColumns, columns: width },
      false,
    );
    const queryWeight = net.weight(`${prefix}.query`);
    const querySizes = { rows, inner: width, columns: width };
    if (narrow) {
      matmulTransposed(d, { a: work.dq, b: queryWeight, c: work.rowDnorm }, querySizes, false);
      const move = { count: r, width };
      moveRows(d, 'scatter_add', { index: index.rows, x: work.rowDnorm, y: work.dnorm }, move);
      d.clear(work.dx);
      moveRows(d, 'scatter', { index: index.rows, x: dx, y: work.dx }, move);
      dx = work.dx;
    } else {
      matmulTransposed(d, { a: work.dq, b: queryWeight, c: work.dnorm }, querySizes, true);
    }
    rmsnormBackward(
      d,
      {
        x: block.x,
        gain: net.weight(`${prefix}.attention_norm`),
        rstd: block.rstd1,
        dy: work.dnorm,
        dx,
        dgain: net.gradient(`${prefix}.attention_norm`),
        scratch,
      },
      { rows: n, width },
      true,
    );
  }
  embeddingBackward(
    d,
    {
      sortedRows: work.sortedRows,
      pieces: work.pieces,
      dx,
      partial: scratch,
      dtable: net.gradient('embedding'),
    },
    { pieces, width },
  );
}

/** name's gradient += aᵀ · b over `sizes.inner` rows. */
function accumulate(
  d: Recorder,
  net: Network,
  name: string,
  a: Tensor,
  b: Tensor,
  sizes: MatmulSizes,
): void {
  const partial = net.scratch;
  const parts = matmulWeightGradient(d, { a, b, partial }, sizes);
  const length = sizes.rows * sizes.columns;
  sumParts(d, { partial, y: net.gradient(name) }, { length, parts }, true);
}
