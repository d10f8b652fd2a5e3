import source from '../../shaders/attention.wgsl';
import rotation from '../../shaders/rotation.wgsl';
import type { Dispatcher, KernelEntry, Tensor } from '../device/index.ts';
import { expectLength, expectSize, groups } from './guards.ts';
import { unrolled, withLibrary } from './unroll.ts';

const template = withLibrary(rotation, source);

export interface AttentionHeads {
  readonly heads: number;
  /** Divides `heads`. */
  readonly kvHeads: number;
  /** A multiple of 4. */
  readonly headDim: number;
}

function checkHeads(name: string, { heads, kvHeads, headDim }: AttentionHeads): void {
  expectSize(name, 'kvHeads', kvHeads, { least: 1 });
  expectSize(name, 'heads', heads, { least: kvHeads, multiple: kvHeads });
  expectSize(name, 'headDim', headDim, { least: 4, multiple: 4 });
}

type Entry = 'forward' | 'forward_alone' | 'backward_query' | 'backward_kv';

const kernels = new Map<string, KernelEntry>();

/** The kernel with its loops unrolled for these heads. */
function kernel(
  { kind }: Dispatcher,
  entry: Entry,
  heads: AttentionHeads,
  turn = false,
): KernelEntry {
  const quads = kind === 'quads';
  const { heads: HEADS, kvHeads: KV_HEADS, headDim: HEAD_DIM } = heads;
  const key = [quads, entry, HEADS, KV_HEADS, HEAD_DIM, turn].join();
  const known = kernels.get(key);
  if (known) return known;
  const constants = {
    ...{ HEADS, KV_HEADS, HEAD_DIM },
    QUADS: quads ? 1 : 0,
    SLOTS: slots(quads, heads),
    TURN: turn ? 1 : 0,
  };
  const code = unrolled(template, {
    ...constants,
    DIM4: HEAD_DIM / 4,
    HALF4: Math.floor(HEAD_DIM / 8),
    CHUNK,
    STEP,
  });
  const directives = quads ? QUAD_DIRECTIVES : '';
  const made = {
    kernel: 'attention',
    code,
    entry,
    constants: { ...constants, CHUNK, STEP },
    directives,
  };
  kernels.set(key, made);
  return made;
}

/** Loop bounds depend on data but are uniform within a quad, which the compiler cannot prove. */
const QUAD_DIRECTIVES = 'enable subgroups;\ndiagnostic(off, subgroup_uniformity);\n';

/** Keys per update of the running maximum. Changing it changes the result's bits. */
const CHUNK = 4;

/** Keys per loop iteration of the backward pass. */
const STEP = 2;

/** Rows per invocation. They share each loaded key and value; registers limit their number. */
function slots(quads: boolean, { headDim }: AttentionHeads): number {
  if (quads) return headDim <= 16 ? 4 : 2;
  return headDim <= 16 ? 2 : 1;
}

/** Workgroups for blocks of rows, one quad per block and head. */
function blocks(rows: number, heads: number, quads: boolean, shape: AttentionHeads) {
  return [groups(groups(rows, 4 * slots(quads, shape)) * heads * 4, 64)] as const;
}

/**
 * Computes o (rows, heads·headDim) and lse (rows, heads) of queries q over the key–value rows given
 * by spans (rows, 2) = first row, count. Every query has at least one key. Set `alone` if
 * neighboring rows share few keys, as in decoding; it affects speed only, the bits are the same.
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
  { rows, alone }: { readonly rows: number; readonly alone: boolean },
  heads: AttentionHeads,
): void {
  const name = 'attention.forward';
  expectSize(name, 'rows', rows);
  checkHeads(name, heads);
  const width = heads.heads * heads.headDim;
  expectLength(name, 'q', tensors.q, [rows, width]);
  expectLength(name, 'o', tensors.o, [rows, width]);
  expectLength(name, 'lse', tensors.lse, [rows, heads.heads]);
  expectLength(name, 'spans', tensors.spans, [rows, 2]);
  const { q, kv, spans, o, lse } = tensors;
  const quads = dispatcher.kind === 'quads';
  dispatcher.dispatch(
    kernel(dispatcher, alone ? 'forward_alone' : 'forward', heads),
    { q, kv, spans, o, lse_out: lse },
    { rows },
    alone
      ? [groups(rows * heads.heads * (quads ? 4 : 1), 64)]
      : blocks(rows, heads.heads, quads, heads),
  );
}

/**
 * Overwrites dq (rows, heads·headDim) and dkv (keyRows, 2·kvHeads·headDim).
 * keySpans (keyRows, 2) = begin, end of the query rows that attend to each key row. With
 * `positions` (keyRows; GPUs only), the gradients are rotated back, to those of `rotate`'s inputs.
 * Then each row must attend to position + 1 keys, and headDim must be a multiple of 8.
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
    readonly positions?: Tensor;
    /** Scratch (rows, heads). */
    readonly delta: Tensor;
  },
  { rows, keyRows }: { readonly rows: number; readonly keyRows: number },
  heads: AttentionHeads,
): void {
  const name = 'attention.backward';
  expectSize(name, 'rows', rows);
  expectSize(name, 'keyRows', keyRows);
  checkHeads(name, heads);
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
  const quads = dispatcher.kind === 'quads';
  const { q, kv, spans, keySpans, o, lse, dout, dq, dkv, delta, positions } = tensors;
  const turn = positions !== undefined;
  if (turn) {
    expectSize(name, 'headDim', heads.headDim, { least: 8, multiple: 8 });
    expectLength(name, 'positions', positions, [keyRows]);
  }
  dispatcher.dispatch(
    kernel(dispatcher, 'backward_query', heads, turn),
    { q, kv, spans, o_in: o, lse, do_in: dout, dq, delta_out: delta },
    { rows },
    blocks(rows, heads.heads, quads, heads),
  );
  dispatcher.dispatch(
    kernel(dispatcher, 'backward_kv', heads, turn),
    // Every binding needs a buffer; without positions this one is unused.
    {
      q_stream: q,
      kv,
      spans: keySpans,
      lse,
      do_stream: dout,
      delta,
      dkv,
      positions: positions ?? keySpans,
    },
    { rows: keyRows },
    blocks(keyRows, heads.kvHeads, quads, heads),
  );
}
