/**
 * Causal attention over packed sequences with streaming softmax (arXiv:2205.14135, without its
 * tiles), as in attention.wgsl, with the same shapes:
 *   q, o, do, dq (rows, HEADS · HEAD_DIM);   lse, delta (rows, HEADS)
 *   kv, dkv (store rows, 2 · KV_HEADS · HEAD_DIM): keys of all heads, then values of all heads
 *
 * Four rows of one head form a block, one per vector lane. Keys are read CHUNK rows at a time for
 * all four. A row's bits do not depend on the other rows of its block, nor on `forward` or
 * `forward_alone`: a score is summed in the order of the components, key chunks are counted from
 * the row's first key, and a masked key has the weight 0.
 */
import {
  type Body,
  greatestLane,
  type I32,
  i32,
  type V128,
  type Variable,
  v128,
  vector,
} from '../../device/processor/assembler.ts';
import {
  type KernelCall,
  type ProcessorKernels,
  wasmFunction,
} from '../../device/processor/kernel.ts';
import { exp, log } from './maths.ts';
import { turned, turnIn, turnOut } from './square.ts';

/** Initial maximum: lower than any score, and exp(MASKED − NOTHING_YET) is 0. */
const NOTHING_YET = -1e37;
const MASKED = -1e38;

/** Rows per block. */
const LANES = 4;
/** Keys per chunk of the forward pass: as many sums as fit in registers. */
const CHUNK = 8;
/** Keys per chunk of the backward pass, which needs two sums per key. */
const BACKWARD_CHUNK = 4;

/** Sizes used by a kernel specialized for these heads. */
function shape([heads = 1, kvHeads = 1, headDim = 4]: readonly number[]) {
  return {
    heads,
    kvHeads,
    headDim,
    /** Query heads per key–value head. */
    group: heads / kvHeads,
    /** Row strides in bytes: `queryBytes` of q and o, `kvBytes` of kv. */
    queryBytes: 4 * heads * headDim,
    kvBytes: 8 * kvHeads * headDim,
    /** Byte offset from a key to its value. */
    valueBytes: 4 * kvHeads * headDim,
    scale: 1 / Math.sqrt(headDim),
  };
}

type Mutable = V128 & Variable<V128>;

const count = (n: number) => Array.from({ length: n }, (_, i) => i);

/** Combines four 32-bit values, one per row of a block, into a vector, via memory at `at`. */
function lanesOf(f: Body, at: I32, values: readonly I32[]): V128 {
  values.forEach((value, lane) => {
    f.store(at, value, 4 * lane);
  });
  return f.v128(f.load(at));
}

/** A block: four rows of one head. Past the last row, `row` repeats the last one. */
function blockOf(
  f: Body,
  unit: I32,
  rows: I32,
  heads: number,
): { head: I32; first: I32; size: I32; row: readonly I32[] } {
  const head = f.i32(unit.rem(heads));
  const first = f.i32(unit.div(heads).mul(LANES));
  const size = f.i32(rows.sub(first).min(i32(LANES)));
  const last = f.i32(first.add(size).sub(1));
  return { head, first, size, row: count(LANES).map((r) => f.i32(first.add(r).min(last))) };
}

/**
 * A block may span several sequences. Calls `each` for one sequence after the other, with its first
 * key row, the maximum number of keys per row, and each lane's number of keys (0 for rows of other
 * sequences).
 */
function eachSequence(
  f: Body,
  { spans, scratch }: { readonly spans: I32; readonly scratch: I32 },
  { first, size, row }: ReturnType<typeof blockOf>,
  each: (base: I32, most: I32, keys: V128) => void,
): void {
  const end = f.i32(first.add(size));
  const begin = f.i32(first);
  const next = f.i32(first);
  const spanOf = (r: I32) => spans.add(r.shl(3));
  f.while(begin.lt(end), () => {
    const base = f.i32(f.loadInt(spanOf(begin)));
    next.set(end);
    f.while(f.loadInt(spanOf(next.sub(1))).ne(base), () => next.set(next.sub(1)));
    const most = f.i32(f.loadInt(spanOf(next.sub(1)), 4));
    const keys = lanesOf(
      f,
      scratch,
      row.map((r, lane) => {
        const mine = first.add(lane).ge(begin).and(first.add(lane).lt(next));
        return mine
          .mul(f.loadInt(spanOf(r), 4))
          .toFloat()
          .asInt();
      }),
    );
    each(base, most, keys);
    begin.set(next);
  });
}

/**
 * Streams `length` rows and calls `chunk` for `size` rows at a time, with their first address and
 * their stride in bytes. An incomplete last chunk is copied to `room` and padded with zeros,
 * because the memory after it holds other data. All `streams` advance together.
 */
function inChunks(
  f: Body,
  length: I32,
  size: number,
  headDim: number,
  stride: number,
  streams: readonly I32[],
  room: I32,
  chunk: (first: readonly I32[], stride: number, done: I32) => void,
): void {
  const places = streams.map((stream) => f.i32(stream));
  const done = f.i32(0);
  f.while(done.add(size).le(length), () => {
    chunk(places, stride, done);
    for (const place of places) place.set(place.add(size * stride));
    done.set(done.add(size));
  });
  f.if(done.lt(length), () => {
    const left = f.i32(length.sub(done));
    const copies = places.map((place, s) => {
      const to = f.i32(room.add(s * size * headDim * 4));
      const from = f.i32(place);
      const copy = f.i32(to);
      f.for(0, i32(size), 1, (row) => {
        f.if(
          row.lt(left),
          () => {
            for (let d = 0; d < headDim; d += 4) f.store(copy, f.load(from, 4 * d), 4 * d);
          },
          () => {
            for (let d = 0; d < headDim; d += 4) f.store(copy, v128(0), 4 * d);
          },
        );
        from.set(from.add(stride));
        copy.set(copy.add(4 * headDim));
      });
      return to;
    });
    chunk(copies, 4 * headDim, done);
  });
}

/** Pointers to `size` rows, `stride` bytes apart. */
function pointersTo(f: Body, first: I32, size: number, stride: number) {
  return count(size).map((c) => f.i32(first.add(c * stride)));
}

/**
 * sums[s][c] += Σ_d block[s] (d, lane) · streamed[s] row c (d), in the order of d. Uses one pointer
 * per row: an engine without single-element loads at an offset would compute and keep an address
 * for each element.
 */
function scores(
  f: Body,
  sums: readonly (readonly Mutable[])[],
  blocks: readonly I32[],
  streamed: readonly I32[],
  stride: number,
  headDim: number,
): void {
  const own = blocks.map((block) => f.i32(block));
  const rows = streamed.map((first, s) => pointersTo(f, first, sums[s]?.length ?? 0, stride));
  f.for(0, i32(headDim), 1, () => {
    sums.forEach((row, s) => {
      const place = own[s];
      if (!place) return;
      const value = f.v128(f.load(place));
      row.forEach((sum, c) => {
        const pointer = rows[s]?.[c];
        if (!pointer) return;
        sum.set(sum.add(value.mul(f.loadSplat(pointer))));
        pointer.set(pointer.add(4));
      });
      place.set(place.add(16));
    });
  });
}

/** sum (d, lane) = sum · shrink + Σ_c weights[c] · streamed row c (d), in the order of c. */
function gather(
  f: Body,
  sum: I32,
  weights: readonly V128[],
  streamed: I32,
  stride: number,
  headDim: number,
  shrink?: V128,
): void {
  const place = f.i32(sum);
  const rows = pointersTo(f, streamed, weights.length, stride);
  f.for(0, i32(headDim), 1, () => {
    const before = f.load(place);
    const total = f.v128(shrink ? before.mul(shrink) : before);
    weights.forEach((weight, c) => {
      const pointer = rows[c];
      if (!pointer) return;
      total.set(total.add(weight.mul(f.loadSplat(pointer))));
      pointer.set(pointer.add(4));
    });
    f.store(place, total);
    place.set(place.add(16));
  });
}

function zero(f: Body, block: I32, headDim: number): void {
  for (let d = 0; d < headDim; d++) f.store(block, v128(0), 16 * d);
}

const forward = wasmFunction(
  'attention.forward',
  { q: 'i32', kv: 'i32', spans: 'i32', o: 'i32', lse: 'i32', rows: 'i32' },
  (f, args, constants) => {
    const { heads, headDim, group, queryBytes, kvBytes, valueBytes, scale } = shape(constants);
    // Scratch: 4 lanes, q and sums transposed, the padded last keys and values.
    const queries = f.i32(args.scratch.add(16));
    const sums = f.i32(queries.add(16 * headDim));
    const room = f.i32(sums.add(16 * headDim));
    f.for(args.begin, args.end, 1, (unit) => {
      const block = blockOf(f, unit, args.rows, heads);
      const { head, row, size } = block;
      const column = f.i32(head.mul(4 * headDim));
      const placeOf = (tensor: I32) =>
        row.map((r) => f.i32(tensor.add(r.mul(queryBytes)).add(column)));
      turnIn(f, placeOf(args.q), queries, headDim, (v) => v.mul(scale));
      zero(f, sums, headDim);
      const highest = f.v128(NOTHING_YET);
      const total = f.v128(0);
      const kvColumn = f.i32(args.kv.add(head.div(group).mul(4 * headDim)));
      eachSequence(f, args, block, (base, most, keys) => {
        const key = f.i32(kvColumn.add(base.mul(kvBytes)));
        const value = f.i32(key.add(valueBytes));
        inChunks(f, most, CHUNK, headDim, kvBytes, [key, value], room, (first, stride, done) => {
          const [k = key, v = value] = first;
          const score = count(CHUNK).map(() => f.v128(0));
          scores(f, [score], [queries], [k], stride, headDim);
          const higher = f.v128(highest);
          const left = f.v128(keys.sub(done.toFloat().splat()));
          score.forEach((s, c) => {
            const asks = left.gt(c);
            s.set(asks.choose(s, v128(MASKED)));
            higher.set(higher.max(s));
          });
          const shrink = f.v128(exp(f, highest.sub(higher)));
          highest.set(higher);
          total.set(total.mul(shrink));
          for (const s of score) {
            s.set(exp(f, s.sub(higher)));
            total.set(total.add(s));
          }
          gather(f, sums, score, v, stride, headDim, shrink);
        });
      });
      turnOut(f, sums, placeOf(args.o), size, headDim, (v) => v.div(total));
      const lse = f.v128(highest.add(log(f, total)));
      storeLanes(f, args.lse, lse, block, heads);
    });
  },
);

/** Stores one value per row and head to (rows, HEADS). */
function storeLanes(
  f: Body,
  tensor: I32,
  value: V128,
  { row, size, head }: ReturnType<typeof blockOf>,
  heads: number,
): void {
  row.forEach((r, lane) => {
    f.if(size.gt(lane), () => {
      const place = tensor.add(r.mul(heads).add(head).shl(2));
      f.store(place, value.lane(lane as 0 | 1 | 2 | 3));
    });
  });
}

/** `forward` with one key per lane, for rows that share no keys with others, as in decoding. */
const forwardAlone = wasmFunction(
  'attention.forward_alone',
  { q: 'i32', kv: 'i32', spans: 'i32', o: 'i32', lse: 'i32', rows: 'i32' },
  (f, args, constants) => {
    const { heads, headDim, group, queryBytes, kvBytes, valueBytes, scale } = shape(constants);
    // Scratch: q and sums of a row, the padded last keys and values.
    const query = f.i32(args.scratch);
    const sums = f.i32(query.add(4 * headDim));
    const room = f.i32(sums.add(4 * headDim));
    const vectors = count(headDim / 4);
    f.for(args.begin, args.end, 1, (unit) => {
      const row = f.i32(unit.div(heads));
      const head = f.i32(unit.rem(heads));
      const place = f.i32(row.mul(queryBytes).add(head.mul(4 * headDim)));
      for (const i of vectors) {
        f.store(query, f.load(args.q.add(place), 16 * i).mul(scale), 16 * i);
        f.store(sums, v128(0), 16 * i);
      }
      const span = f.i32(args.spans.add(row.shl(3)));
      const keys = f.i32(f.loadInt(span, 4));
      const key = f.i32(
        args.kv.add(f.loadInt(span).mul(kvBytes)).add(head.div(group).mul(4 * headDim)),
      );
      const value = f.i32(key.add(valueBytes));
      const highest = f.v128(NOTHING_YET);
      const total = f.v128(0);
      inChunks(f, keys, CHUNK, headDim, kvBytes, [key, value], room, (first, stride, done) => {
        const [k = key, v = value] = first;
        const score = count(CHUNK / LANES).map((quad) => {
          const sum = f.v128(0);
          for (const i of vectors) {
            const square = count(LANES).map((c) =>
              f.v128(f.load(k, (quad * LANES + c) * stride + 16 * i)),
            );
            const own = f.v128(f.load(query, 16 * i));
            turned(f, square).forEach((component, d) => {
              sum.set(sum.add(own.splatLane(d).mul(component)));
            });
          }
          const index = done
            .add(quad * LANES)
            .toFloat()
            .splat()
            .add(vector([0, 1, 2, 3]));
          const asks = keys.toFloat().splat().gt(index);
          return f.v128(asks.choose(sum, v128(MASKED)));
        });
        const [low = v128(MASKED), high = v128(MASKED)] = score;
        const higher = f.v128(highest.max(greatestLane(f, low.max(high)).splat()));
        const shrink = f.v128(exp(f, highest.sub(higher)));
        highest.set(higher);
        total.set(total.mul(shrink));
        const weight = score.flatMap((s) => {
          const four = f.v128(exp(f, s.sub(higher)));
          return count(LANES).map((lane) => f.v128(four.splatLane(lane)));
        });
        for (const w of weight) total.set(total.add(w));
        for (const i of vectors) {
          const sum = f.v128(f.load(sums, 16 * i).mul(shrink));
          weight.forEach((w, c) => {
            sum.set(sum.add(w.mul(f.load(v, c * stride + 16 * i))));
          });
          f.store(sums, sum, 16 * i);
        }
      });
      for (const i of vectors) {
        f.store(args.o.add(place), f.load(sums, 16 * i).div(total), 16 * i);
      }
      f.store(args.lse.add(unit.shl(2)), highest.add(log(f, total)).lane(0));
    });
  },
);

/** With p = exp(s − lse): ds = p · (do·v − delta), delta = do·o; dq = Σ ds · k / √HEAD_DIM. */
const backwardQuery = wasmFunction(
  'attention.backward_query',
  {
    q: 'i32',
    kv: 'i32',
    spans: 'i32',
    o: 'i32',
    lse: 'i32',
    dout: 'i32',
    dq: 'i32',
    delta: 'i32',
    rows: 'i32',
  },
  (f, args, constants) => {
    const { heads, headDim, group, queryBytes, kvBytes, valueBytes, scale } = shape(constants);
    // Scratch: 4 lanes, q, do and sums transposed, the padded last keys and values.
    const queries = f.i32(args.scratch.add(16));
    const douts = f.i32(queries.add(16 * headDim));
    const sums = f.i32(douts.add(16 * headDim));
    const room = f.i32(sums.add(16 * headDim));
    f.for(args.begin, args.end, 1, (unit) => {
      const block = blockOf(f, unit, args.rows, heads);
      const { head, row, size } = block;
      const column = f.i32(head.mul(4 * headDim));
      const placeOf = (tensor: I32) =>
        row.map((r) => f.i32(tensor.add(r.mul(queryBytes)).add(column)));
      // delta = do · o; until the sums are zeroed below, their space holds o.
      turnIn(f, placeOf(args.o), sums, headDim);
      turnIn(f, placeOf(args.dout), douts, headDim);
      turnIn(f, placeOf(args.q), queries, headDim, (v) => v.mul(scale));
      const delta = f.v128(0);
      for (let d = 0; d < headDim; d++) {
        delta.set(delta.add(f.load(douts, 16 * d).mul(f.load(sums, 16 * d))));
      }
      zero(f, sums, headDim);
      const lse = lanesOf(
        f,
        args.scratch,
        row.map((r) => f.loadInt(args.lse.add(r.mul(heads).add(head).shl(2)))),
      );
      const kvColumn = f.i32(args.kv.add(head.div(group).mul(4 * headDim)));
      eachSequence(f, args, block, (base, most, keys) => {
        const key = f.i32(kvColumn.add(base.mul(kvBytes)));
        const streams = [key, f.i32(key.add(valueBytes))];
        inChunks(
          f,
          most,
          BACKWARD_CHUNK,
          headDim,
          kvBytes,
          streams,
          room,
          (first, stride, done) => {
            const [k = key, v = key] = first;
            const score = count(BACKWARD_CHUNK).map(() => f.v128(0));
            const along = count(BACKWARD_CHUNK).map(() => f.v128(0));
            scores(f, [score, along], [queries, douts], [k, v], stride, headDim);
            const left = f.v128(keys.sub(done.toFloat().splat()));
            score.forEach((s, c) => {
              const asks = left.gt(c);
              const p = asks.and(exp(f, s.sub(lse)));
              s.set(p.mul((along[c] ?? delta).sub(delta)));
            });
            gather(f, sums, score, k, stride, headDim);
          },
        );
      });
      turnOut(f, sums, placeOf(args.dq), size, headDim, (v) => v.mul(scale));
      storeLanes(f, args.delta, delta, block, heads);
    });
  },
);

/** spans (rows, 2): query rows per key row. dv = Σ p · do; dk = Σ ds · q / √HEAD_DIM. */
const backwardKv = wasmFunction(
  'attention.backward_kv',
  {
    q: 'i32',
    kv: 'i32',
    spans: 'i32',
    lse: 'i32',
    dout: 'i32',
    delta: 'i32',
    dkv: 'i32',
    rows: 'i32',
  },
  (f, args, constants) => {
    const { heads, kvHeads, headDim, group, queryBytes, kvBytes, valueBytes, scale } =
      shape(constants);
    // Scratch: 4 lanes, k, v and their sums transposed, the padded last q and do.
    const ownKeys = f.i32(args.scratch.add(16));
    const ownValues = f.i32(ownKeys.add(16 * headDim));
    const keySums = f.i32(ownValues.add(16 * headDim));
    const valueSums = f.i32(keySums.add(16 * headDim));
    const room = f.i32(valueSums.add(16 * headDim));
    f.for(args.begin, args.end, 1, (unit) => {
      const block = blockOf(f, unit, args.rows, kvHeads);
      const { head: kvHead, row, size } = block;
      const column = f.i32(kvHead.mul(4 * headDim));
      const placeOf = (tensor: I32) =>
        row.map((r) => f.i32(tensor.add(r.mul(kvBytes)).add(column)));
      turnIn(f, placeOf(args.kv), ownKeys, headDim, (v) => v.mul(scale));
      turnIn(f, placeOf(f.i32(args.kv.add(valueBytes))), ownValues, headDim);
      zero(f, keySums, headDim);
      zero(f, valueSums, headDim);
      const spanLanes = (word: number) =>
        lanesOf(
          f,
          args.scratch,
          row.map((r) =>
            f
              .loadInt(args.spans.add(r.shl(3)), 4 * word)
              .toFloat()
              .asInt(),
          ),
        );
      const begins = spanLanes(0);
      const ends = spanLanes(1);
      // Begins and ends do not decrease from row to row.
      const [firstRow = i32(0)] = row;
      const lastRow = row[LANES - 1] ?? firstRow;
      const begin = f.i32(f.loadInt(args.spans.add(firstRow.shl(3))));
      const length = f.i32(f.loadInt(args.spans.add(lastRow.shl(3)), 4).sub(begin));
      f.for(kvHead.mul(group), kvHead.mul(group).add(group), 1, (head) => {
        const start = f.i32(begin.mul(queryBytes).add(head.mul(4 * headDim)));
        const streams = [args.q.add(start), args.dout.add(start)];
        inChunks(
          f,
          length,
          BACKWARD_CHUNK,
          headDim,
          queryBytes,
          streams,
          room,
          (first, stride, done) => {
            const [q = start, dout = start] = first;
            const score = count(BACKWARD_CHUNK).map(() => f.v128(0));
            const along = count(BACKWARD_CHUNK).map(() => f.v128(0));
            scores(f, [score, along], [ownKeys, ownValues], [q, dout], stride, headDim);
            const query = f.i32(begin.add(done));
            score.forEach((s, c) => {
              const index = f.v128(query.add(c).toFloat().splat());
              const asks = f.v128(index.ge(begins).and(ends.gt(index)));
              // Past the last query, read the last one again; it is masked.
              const cell = f.i32(query.add(c).min(begin.add(length).sub(1)));
              const at = f.i32(cell.mul(heads).add(head).shl(2));
              const p = f.v128(asks.and(exp(f, s.sub(f.loadSplat(args.lse.add(at))))));
              s.set(p);
              const sum = along[c];
              sum?.set(p.mul(sum.sub(f.loadSplat(args.delta.add(at)))));
            });
            gather(f, valueSums, score, dout, stride, headDim);
            gather(f, keySums, along, q, stride, headDim);
          },
        );
      });
      turnOut(f, keySums, placeOf(args.dkv), size, headDim, (v) => v.mul(scale));
      turnOut(f, valueSums, placeOf(f.i32(args.dkv.add(valueBytes))), size, headDim);
    });
  },
);

const constantsOf = ({ constants: { HEADS = 1, KV_HEADS = 1, HEAD_DIM = 4 } }: KernelCall) =>
  [HEADS, KV_HEADS, HEAD_DIM] as const;

/** Estimates the total number of keys of all rows from every 16th row. */
function keysOf(spans: Uint32Array, rows: number): number {
  let keys = 0;
  for (let row = 0; row < rows; row += 16) keys += 16 * (spans[2 * row + 1] ?? 0);
  return keys;
}

function attend(call: KernelCall, alone: boolean): void {
  const { rows = 0 } = call.params;
  const constants = constantsOf(call);
  const [heads, , headDim] = constants;
  call.share(
    alone ? forwardAlone : forward,
    {
      q: call.address('q'),
      kv: call.address('kv'),
      spans: call.address('spans'),
      o: call.address('o'),
      lse: call.address('lse_out'),
      rows,
    },
    (alone ? rows : Math.ceil(rows / LANES)) * heads,
    2 * keysOf(call.words('spans'), rows) * heads * headDim,
    constants,
  );
}

export const attentionKernels: ProcessorKernels = {
  'attention.forward': (call) => attend(call, false),
  'attention.forward_alone': (call) => attend(call, true),
  'attention.backward_query': (call) => {
    const { rows = 0 } = call.params;
    const constants = constantsOf(call);
    const [heads, , headDim] = constants;
    call.share(
      backwardQuery,
      {
        q: call.address('q'),
        kv: call.address('kv'),
        spans: call.address('spans'),
        o: call.address('o_in'),
        lse: call.address('lse'),
        dout: call.address('do_in'),
        dq: call.address('dq'),
        delta: call.address('delta_out'),
        rows,
      },
      Math.ceil(rows / LANES) * heads,
      3 * keysOf(call.words('spans'), rows) * heads * headDim,
      constants,
    );
  },
  'attention.backward_kv': (call) => {
    const { rows = 0 } = call.params;
    const constants = constantsOf(call);
    const [heads, kvHeads, headDim] = constants;
    const spans = call.words('spans');
    let queries = 0;
    for (let row = 0; row < rows; row += 16) {
      queries += 16 * ((spans[2 * row + 1] ?? 0) - (spans[2 * row] ?? 0));
    }
    call.share(
      backwardKv,
      {
        q: call.address('q_stream'),
        kv: call.address('kv'),
        spans: call.address('spans'),
        lse: call.address('lse'),
        dout: call.address('do_stream'),
        delta: call.address('delta'),
        dkv: call.address('dkv'),
        rows,
      },
      Math.ceil(rows / LANES) * kvHeads,
      4 * queries * heads * headDim,
      constants,
    );
  },
};
