import code from '../../shaders/attention.wgsl';
import type { Dispatcher, Tensor } from '../gpu/index.ts';
import { expectLength, expectSize, groups } from './guards.ts';

export interface AttentionHeads {
  readonly heads: number;
  /** Divides `heads`. */
  readonly kvHeads: number;
  /** A multiple of 4. */
  readonly headDim: number;
}

function constants(name: string, { heads, kvHeads, headDim }: AttentionHeads) {
  expectSize(name, 'kvHeads', kvHeads, { least: 1 });
  expectSize(name, 'heads', heads, { least: kvHeads, multiple: kvHeads });
  expectSize(name, 'headDim', headDim, { least: 4, multiple: 4 });
  return { HEADS: heads, KV_HEADS: kvHeads, HEAD_DIM: headDim };
}

/**
 * o (rows, heads·headDim) and lse (rows, heads) of queries q over the key–value rows that
 * spans (rows, 2) = first row, count names. Every query has at least one key.
 */
export function attentionForward(
  dispatcher: Dispatcher,
  tensors: {
    readonly q: Tensor;
    readonly kv: Tensor;
    readonly spans: Tensor;
    readonly o: Tensor;
    readonly lse: Tensor;
  },
  { rows }: { readonly rows: number },
  heads: AttentionHeads,
): void {
  const name = 'attention.forward';
  expectSize(name, 'rows', rows);
  const compiled = constants(name, heads);
  const width = heads.heads * heads.headDim;
  expectLength(name, 'q', tensors.q, [rows, width]);
  expectLength(name, 'o', tensors.o, [rows, width]);
  expectLength(name, 'lse', tensors.lse, [rows, heads.heads]);
  expectLength(name, 'spans', tensors.spans, [rows, 2]);
  const { q, kv, spans, o, lse } = tensors;
  dispatcher.dispatch(
    { kernel: 'attention', code, entry: 'forward', constants: compiled },
    { q, kv, spans, o, lse_out: lse },
    { rows },
    [groups(rows * heads.heads, 64)],
  );
}

/**
 * dq (rows, heads·headDim) and dkv (keyRows, 2·kvHeads·headDim), both overwritten.
 * keySpans (keyRows, 2) = begin, end of the query rows that attend to each key row.
 */
export function attentionBackward(
  dispatcher: Dispatcher,
  tensors: {
    readonly q: Tensor;
    readonly kv: Tensor;
    readonly spans: Tensor;
    readonly keySpans: Tensor;
    readonly o: Tensor;
    readonly lse: Tensor;
    readonly dout: Tensor;
    readonly dq: Tensor;
    readonly dkv: Tensor;
    /** Scratch (rows, heads). */
    readonly delta: Tensor;
  },
  { rows, keyRows }: { readonly rows: number; readonly keyRows: number },
  heads: AttentionHeads,
): void {
  const name = 'attention.backward';
  expectSize(name, 'rows', rows);
  expectSize(name, 'keyRows', keyRows);
  const compiled = constants(name, heads);
  const width = heads.heads * heads.headDim;
  expectLength(name, 'q', tensors.q, [rows, width]);
  expectLength(name, 'o', tensors.o, [rows, width]);
  expectLength(name, 'lse', tensors.lse, [rows, heads.heads]);
  expectLength(name, 'spans', tensors.spans, [rows, 2]);
  expectLength(name, 'dout', tensors.dout, [rows, width]);
  expectLength(name, 'dq', tensors.dq, [rows, width]);
  expectLength(name, 'delta', tensors.delta, [rows, heads.heads]);
  expectLength(name, 'keySpans', tensors.keySpans, [keyRows, 2]);
  expectLength(name, 'kv', tensors.kv, [keyRows, 2 * heads.kvHeads * heads.headDim]);
  expectLength(name, 'dkv', tensors.dkv, [keyRows, 2 * heads.kvHeads * heads.headDim]);
  const { q, kv, spans, keySpans, o, lse, dout, dq, dkv, delta } = tensors;
  dispatcher.dispatch(
    { kernel: 'attention', code, entry: 'backward_query', constants: compiled },
    { q, kv, spans, o_in: o, lse, do_in: dout, dq, delta_out: delta },
    { rows },
    [groups(rows * heads.heads, 64)],
  );
  dispatcher.dispatch(
    { kernel: 'attention', code, entry: 'backward_kv', constants: compiled },
    { q, kv, spans: keySpans, lse, do_in: dout, delta, dkv },
    { rows: keyRows },
    [groups(keyRows * heads.kvHeads, 64)],
  );
}
