/**
 * The kernel registry: every compute entry point of `shaders/`, under the operation that dispatches
 * it, with sizes to try, random inputs, a float64 reference and what to differentiate. The tests in
 * `kernels.test.ts` are generated from it, and one of them fails when an entry point is missing here.
 */

import type { DeviceKind, Dispatcher } from '../device/index.ts';
import { adamw, adamwScratch } from './adamw.ts';
import { attentionBackward, attentionForward } from './attention.ts';
import { embeddingBackward, embeddingForward, embeddingPieces } from './embedding.ts';
import {
  matmul,
  matmulTransposed,
  matmulWeightGradient,
  panelSplits,
  weightGradientSplits,
} from './matmul.ts';
import { objectiveOperations } from './objective-operations.ts';
import { type Operation, operation, unset } from './operation.ts';
import { sumParts } from './reduce.ts';
import { type AdamwState, adamwReference } from './reference/adamw.ts';
import { attentionBackwardReference, attentionReference } from './reference/attention.ts';
import { linearBackward, linearForward, sumPartsReference } from './reference/linear.ts';
import type { TestRandom } from './reference/random.ts';
import { rmsnormBackwardReference, rmsnormReference } from './reference/rmsnorm.ts';
import { rotateReference } from './reference/rope.ts';
import { gatherRows, scatterAddRows } from './reference/rows.ts';
import { sampleReference } from './reference/sample.ts';
import { swigluBackwardReference, swigluReference } from './reference/swiglu.ts';
import { add, at, dot, float64, plus } from './reference/values.ts';
import { rmsnormBackward, rmsnormForward, rmsnormScratch } from './rmsnorm.ts';
import { rotate } from './rope.ts';
import { moveRows } from './rows.ts';
import { ENDED, sample } from './sample.ts';
import { swigluBackward, swigluForward } from './swiglu.ts';
import { optimizerColumns, placesOf } from './tables.ts';

/**
 * Packed sequences of the given lengths, of which every `every`-th token asks (1: all of them):
 * spans (queries, 2) = first key row, keys; keySpans (tokens, 2) = begin, end of the queries that
 * attend to each key row.
 */
function packed(
  lengths: readonly number[],
  every = 1,
): { spans: Uint32Array; keySpans: Uint32Array } {
  const spans: number[] = [];
  const keySpans: number[] = [];
  let start = 0;
  for (const length of lengths) {
    const begins: number[] = [];
    for (let t = start; t < start + length; t++) {
      begins.push(spans.length / 2);
      if (t % every === every - 1) spans.push(start, t - start + 1);
    }
    for (const begin of begins) keySpans.push(begin, spans.length / 2);
    start += length;
  }
  return { spans: Uint32Array.from(spans), keySpans: Uint32Array.from(keySpans) };
}

/** `total` rows cut into sequences of uneven lengths, the first of them 1 long. */
function unevenLengths(total: number, random: TestRandom): number[] {
  const lengths: number[] = [];
  for (let left = total; left > 0; ) {
    const length = lengths.length === 0 ? 1 : Math.min(left, 1 + random.whole(total));
    lengths.push(length);
    left -= length;
  }
  return lengths;
}

const matmulCases = [
  { rows: 1, inner: 4, columns: 4 },
  { rows: 7, inner: 12, columns: 20 },
  { rows: 9, inner: 8, columns: 36 },
  { rows: 131, inner: 8, columns: 36 },
  { rows: 0, inner: 8, columns: 8 },
];
/** Sizes for which a processor's panels are used: one panel, several, none full, more than a block of rows. */
const panelCases = [
  { rows: 1, inner: 4, columns: 4 },
  { rows: 37, inner: 68, columns: 36 },
  { rows: 40, inner: 132, columns: 64 },
  { rows: 64, inner: 64, columns: 32 },
  { rows: 300, inner: 16, columns: 20 },
  { rows: 0, inner: 8, columns: 8 },
];
const matmulLarge = { rows: 300, inner: 68, columns: 72 };
const matmulRefused = [{ inner: 6 }, { columns: 5 }, { rows: 1.5 }, { inner: 0 }];

/** A processor that imitates a GPU computes as a GPU does. */
const unlessQuads = (kind: DeviceKind): DeviceKind => (kind === 'quads' ? 'gpu' : kind);

/** The products as every device computes them, and as only a processor that imitates a GPU does. */
const products = [
  {
    of: '',
    on: ({ kind, dispatch }: Dispatcher): Dispatcher => ({ kind: unlessQuads(kind), dispatch }),
    split: (tokens: number, kind: DeviceKind) => weightGradientSplits(tokens, unlessQuads(kind)),
    cases: matmulCases,
    weightCases: [
      { rows: 4, inner: 1, columns: 4 },
      { rows: 12, inner: 9, columns: 20 },
      { rows: 36, inner: 64, columns: 8 },
      { rows: 8, inner: 150, columns: 36 },
      { rows: 8, inner: 0, columns: 8 },
    ],
  },
  {
    of: ', by panels',
    on: ({ dispatch }: Dispatcher): Dispatcher => ({ kind: 'quads', dispatch }),
    split: panelSplits,
    entry: 'panel.product',
    feature: { feature: 'subgroups' as const },
    cases: panelCases,
    weightCases: [
      { rows: 4, inner: 1, columns: 4 },
      { rows: 32, inner: 64, columns: 4 },
      { rows: 36, inner: 70, columns: 20 },
      { rows: 32, inner: 330, columns: 36 },
    ],
  },
];

const attentionCases = [
  { tokens: 1, heads: 1, kvHeads: 1, headDim: 4 },
  { tokens: 13, heads: 4, kvHeads: 2, headDim: 8 },
  { tokens: 70, heads: 3, kvHeads: 1, headDim: 12 },
  { tokens: 40, heads: 2, kvHeads: 2, headDim: 16 },
  { tokens: 0, heads: 2, kvHeads: 1, headDim: 4 },
];
const attentionLarge = { tokens: 200, heads: 4, kvHeads: 2, headDim: 16 };
const attentionRefused = [{ kvHeads: 2 }, { headDim: 6 }, { heads: 0 }, { tokens: -1 }];

const rowCases = [
  { count: 1, width: 4, store: 1 },
  { count: 5, width: 12, store: 9 },
  { count: 70, width: 20, store: 90 },
  { count: 0, width: 8, store: 3 },
];

/** AdamW's settings as the GPU reads them; near 1 a β differs visibly from its float32. */
function adamwSettings(clip: number) {
  return {
    learningRate: 1e-3,
    beta1: Math.fround(0.9),
    beta2: Math.fround(0.999),
    epsilon: 1e-8,
    weightDecay: 0.1,
    maxGradNorm: clip === 1 ? 0.01 : 1e3,
  };
}

/** Which draws the sampler makes in all trials. */
const drawn = { seed: 0xfeedbeef };

/** All operations. */
export const kernelRegistry: readonly Operation[] = [
  ...products.flatMap(({ of, on, split, entry, feature, cases, weightCases }) => [
    operation({
      name: `matmul${of}`,
      entries: [entry ?? 'matmul.nn'],
      cases,
      large: matmulLarge,
      refused: matmulRefused,
      ...feature,
      trial: ({ rows, inner, columns }, random) => {
        const a = random.floats(rows * inner);
        const b = random.floats(inner * columns);
        const sizes = { rows, inputs: inner, outputs: columns };
        return {
          tensors: { a, b, c: unset(rows * columns) },
          expected: { c: linearForward({ x: a, w: b }, sizes) },
        };
      },
      call: (dispatcher, tensors, { rows, inner, columns }) =>
        matmul(on(dispatcher), tensors, { rows, inner, columns }),
    }),

    operation({
      name: `matmul with residual${of}`,
      entries: [entry ?? 'matmul.nn'],
      cases,
      large: matmulLarge,
      refused: matmulRefused,
      ...feature,
      trial: ({ rows, inner, columns }, random) => {
        const a = random.floats(rows * inner);
        const b = random.floats(inner * columns);
        const residual = random.floats(rows * columns);
        const sizes = { rows, inputs: inner, outputs: columns };
        return {
          tensors: { a, b, residual, c: unset(rows * columns) },
          expected: { c: plus(linearForward({ x: a, w: b }, sizes), residual) },
        };
      },
      call: (dispatcher, tensors, { rows, inner, columns }) =>
        matmul(on(dispatcher), tensors, { rows, inner, columns }),
    }),

    ...[false, true].map((accumulate) =>
      operation({
        name: `input gradient of a product${accumulate ? ', added' : ''}${of}`,
        entries: [entry ?? 'matmul.nt'],
        cases: [...cases, { rows: 70, inner: 4, columns: 72 }],
        large: matmulLarge,
        refused: matmulRefused,
        ...feature,
        trial: ({ rows, inner, columns }, random) => {
          // y (rows, inner) = x (rows, columns) · w (columns, inner): dx = dy · wᵀ.
          const dy = random.floats(rows * inner);
          const w = random.floats(columns * inner);
          const x = random.floats(rows * columns);
          const before = accumulate ? random.floats(rows * columns) : unset(rows * columns);
          const sizes = { rows, inputs: columns, outputs: inner };
          const { dx } = linearBackward({ x, w, dy }, sizes);
          return {
            tensors: { a: dy, b: w, c: before },
            expected: { c: accumulate ? plus(dx, before) : dx },
            gradients: [
              {
                of: 'x',
                values: x,
                loss: (values) => dot(dy, linearForward({ x: values, w }, sizes)),
                analytic: dx,
                output: 'c',
              },
            ],
          };
        },
        call: (dispatcher, tensors, { rows, inner, columns }) =>
          matmulTransposed(on(dispatcher), tensors, { rows, inner, columns }, accumulate),
      }),
    ),

    operation({
      name: `weight gradient of a product${of}`,
      entries: [entry ?? 'matmul.tn', 'reduce.sum_parts'],
      cases: weightCases,
      large: { rows: 64, inner: 300, columns: 68 },
      refused: [{ rows: 6 }, { columns: 2 }, { inner: -1 }],
      ...feature,
      tolerance: { relative: 1e-5, absolute: 3e-5 },
      trial: ({ rows, inner, columns }, random, kind) => {
        // y (inner, columns) = x (inner, rows) · w (rows, columns): dw = xᵀ · dy, split over tokens.
        const x = random.floats(inner * rows);
        const dy = random.floats(inner * columns);
        const w = random.floats(rows * columns);
        const before = random.floats(rows * columns);
        const room = unset(weightGradientSplits(inner).splits * rows * columns);
        const { splits, length } = split(inner, kind);
        const gradient = (from: number, to: number) =>
          linearBackward(
            { x: x.slice(from * rows, to * rows), w, dy: dy.slice(from * columns, to * columns) },
            { rows: to - from, inputs: rows, outputs: columns },
          ).dw;
        // Room that the splits do not need stays unset.
        const partial = Float64Array.from(room);
        for (let s = 0; s < splits; s++) {
          const part = gradient(s * length, Math.min((s + 1) * length, inner));
          partial.set(part, s * rows * columns);
        }
        const dw = gradient(0, inner);
        const sizes = { rows: inner, inputs: rows, outputs: columns };
        return {
          tensors: { a: x, b: dy, partial: room, y: before },
          expected: { partial, y: plus(before, dw) },
          gradients: [
            {
              of: 'w',
              values: w,
              loss: (values) => dot(dy, linearForward({ x, w: values }, sizes)),
              analytic: dw,
              output: 'y',
            },
          ],
        };
      },
      call: (dispatcher, { a, b, partial, y }, { rows, inner, columns }) => {
        const made = matmulWeightGradient(
          on(dispatcher),
          { a, b, partial },
          { rows, inner, columns },
        );
        sumParts(dispatcher, { partial, y }, { length: rows * columns, parts: made }, true);
      },
    }),
  ]),

  ...[false, true].map((accumulate) =>
    operation({
      name: accumulate ? 'sum of parts, added' : 'sum of parts',
      entries: ['reduce.sum_parts'],
      cases: [
        { length: 1, parts: 1 },
        { length: 63, parts: 3 },
        { length: 200, parts: 70 },
        { length: 5, parts: 0 },
        { length: 0, parts: 2 },
      ],
      large: { length: 20_000, parts: 3 },
      refused: [{ length: -1 }, { parts: 0.5 }],
      tolerance: { relative: 1e-5, absolute: 3e-5 },
      trial: ({ length, parts }, random) => {
        const partial = random.floats(parts * length);
        const before = accumulate ? random.floats(length) : unset(length);
        const sum = sumPartsReference(partial, { length, parts });
        return {
          tensors: { partial, y: before },
          expected: { y: accumulate ? plus(sum, before) : sum },
        };
      },
      call: (dispatcher, tensors, { length, parts }) =>
        sumParts(dispatcher, tensors, { length, parts }, accumulate),
    }),
  ),

  operation({
    name: 'embedding',
    entries: ['embedding.forward'],
    cases: [
      { rows: 1, width: 4, vocabulary: 1 },
      { rows: 7, width: 12, vocabulary: 5 },
      { rows: 130, width: 20, vocabulary: 33 },
      { rows: 0, width: 8, vocabulary: 3 },
    ],
    large: { rows: 1500, width: 64, vocabulary: 50 },
    refused: [{ width: 6 }, { rows: -1 }],
    tolerance: { relative: 0, absolute: 0 },
    indexed: ['table'],
    trial: ({ rows, width, vocabulary }, random) => {
      const tokens = random.wholes(rows, vocabulary);
      const table = random.floats(vocabulary * width);
      return {
        tensors: { tokens, table, x: unset(rows * width) },
        expected: { x: gatherRows({ x: table, index: tokens }, { count: rows, width }) },
      };
    },
    call: (dispatcher, tensors, { rows, width }) =>
      embeddingForward(dispatcher, tensors, { rows, width }),
  }),

  operation({
    name: 'embedding gradient',
    entries: ['embedding.backward_pieces', 'embedding.backward_table'],
    cases: [
      { rows: 1, width: 4, vocabulary: 1 },
      { rows: 9, width: 12, vocabulary: 5 },
      // One token fills several pieces of 128 rows.
      { rows: 300, width: 4, vocabulary: 2 },
      { rows: 140, width: 20, vocabulary: 70 },
      { rows: 0, width: 8, vocabulary: 3 },
    ],
    large: { rows: 1500, width: 64, vocabulary: 50 },
    refused: [{ width: 6 }],
    tolerance: { relative: 1e-5, absolute: 3e-5 },
    indexed: ['sortedRows', 'dx', 'dtable'],
    trial: ({ rows, width, vocabulary }, random) => {
      const tokens = random.wholes(rows, vocabulary);
      const table = random.floats(vocabulary * width);
      const dx = random.floats(rows * width);
      const before = random.floats(vocabulary * width);
      const { sortedRows, pieces } = embeddingPieces(tokens, vocabulary);
      const count = pieces.length / 3;
      const gradient = new Float64Array(vocabulary * width);
      scatterAddRows({ x: dx, index: tokens, y: gradient }, { count: rows, width });
      const partial = new Float64Array(count * width);
      for (let p = 0; p < count; p++) {
        for (let i = at(pieces, 3 * p + 1); i < at(pieces, 3 * p + 2); i++) {
          for (let j = 0; j < width; j++) {
            add(partial, p * width + j, at(dx, at(sortedRows, i) * width + j));
          }
        }
      }
      return {
        derived: { pieces: count },
        tensors: { sortedRows, pieces, dx, partial: unset(count * width), dtable: before },
        expected: { partial, dtable: plus(gradient, before) },
        gradients: [
          {
            of: 'table',
            values: table,
            loss: (values) =>
              dot(dx, gatherRows({ x: values, index: tokens }, { count: rows, width })),
            analytic: gradient,
            output: 'dtable',
          },
        ],
      };
    },
    call: (dispatcher, tensors, { pieces, width }) =>
      embeddingBackward(dispatcher, tensors, { pieces, width }),
  }),

  operation({
    name: 'rmsnorm',
    entries: ['rmsnorm.forward'],
    cases: [
      { rows: 1, width: 4 },
      { rows: 7, width: 12 },
      { rows: 70, width: 20 },
      { rows: 0, width: 8 },
    ],
    large: { rows: 800, width: 64 },
    refused: [{ width: 6 }, { width: 0 }, { rows: -1 }],
    trial: ({ rows, width }, random) => {
      const x = random.floats(rows * width);
      const gain = random.floats(width, 2);
      return {
        tensors: { x, gain, y: unset(rows * width), rstd: unset(rows) },
        expected: rmsnormReference({ x, gain }, { rows, width }),
      };
    },
    call: (dispatcher, tensors, { rows, width }) =>
      rmsnormForward(dispatcher, tensors, { rows, width }),
  }),

  ...[false, true].map((accumulate) =>
    operation({
      name: accumulate ? 'rmsnorm gradient, added' : 'rmsnorm gradient',
      entries: ['rmsnorm.backward', 'rmsnorm.backward_gain', 'reduce.sum_parts'],
      cases: [
        { rows: 1, width: 4 },
        { rows: 7, width: 12 },
        { rows: 270, width: 20 },
        { rows: 0, width: 8 },
      ],
      large: { rows: 800, width: 64 },
      refused: [{ width: 6 }, { rows: -1 }],
      tolerance: { relative: 1e-5, absolute: 5e-5 },
      trial: ({ rows, width }, random) => {
        const x = random.floats(rows * width);
        const gain = random.floats(width, 2);
        const dy = random.floats(rows * width);
        const sizes = { rows, width };
        const rstd = Float32Array.from(rmsnormReference({ x, gain }, sizes).rstd);
        const dxBefore = accumulate ? random.floats(rows * width) : unset(rows * width);
        const dgainBefore = random.floats(width);
        const { dx, dgain } = rmsnormBackwardReference({ x, gain, dy }, sizes);
        // The scratch holds the gain's gradient over 128 rows at a time.
        const scratch = Array.from({ length: Math.ceil(rows / 128) }, (_, p) => {
          const part = { from: p * 128 * width, to: Math.min(rows, (p + 1) * 128) * width };
          return Array.from(
            rmsnormBackwardReference(
              { x: x.slice(part.from, part.to), gain, dy: dy.slice(part.from, part.to) },
              { rows: (part.to - part.from) / width, width },
            ).dgain,
          );
        }).flat();
        return {
          tensors: {
            x,
            gain,
            rstd,
            dy,
            dx: dxBefore,
            dgain: dgainBefore,
            scratch: unset(rows === 0 ? 0 : rmsnormScratch(sizes)),
          },
          expected: {
            dx: accumulate ? plus(dx, dxBefore) : dx,
            dgain: plus(dgain, dgainBefore),
            scratch,
          },
          gradients: [
            {
              of: 'x',
              values: x,
              loss: (values) => dot(dy, rmsnormReference({ x: values, gain }, sizes).y),
              analytic: dx,
              output: 'dx',
            },
            {
              of: 'gain',
              values: gain,
              loss: (values) => dot(dy, rmsnormReference({ x, gain: values }, sizes).y),
              analytic: dgain,
              output: 'dgain',
            },
          ],
        };
      },
      call: (dispatcher, tensors, { rows, width }) =>
        rmsnormBackward(dispatcher, tensors, { rows, width }, accumulate),
    }),
  ),

  ...([1, -1] as const).map((direction) =>
    operation({
      name: direction === 1 ? 'rotary positions' : 'rotary positions, gradient',
      entries: ['rope.rotate'],
      cases: [
        { rows: 1, heads: 1, headDim: 4, stride: 4, farthest: 0 },
        { rows: 7, heads: 3, headDim: 12, stride: 36, farthest: 30 },
        // Keys of 2 heads turn, the values behind them do not.
        { rows: 70, heads: 2, headDim: 8, stride: 32, farthest: 500 },
        { rows: 0, heads: 2, headDim: 4, stride: 8, farthest: 1 },
      ],
      large: { rows: 800, heads: 4, headDim: 16, stride: 64, farthest: 500 },
      refused: [{ headDim: 3 }, { stride: 2 }, { heads: 0 }],
      // The angle itself is float32: 500 radians are known to 500 · 6e-8.
      tolerance: { relative: 0, absolute: 5e-5 },
      trial: ({ rows, heads, headDim, stride, farthest }, random) => {
        const sizes = { rows, heads, headDim, stride };
        const positions = random.wholes(rows, farthest + 1);
        const x = random.floats(rows * stride);
        const turned = rotateReference({ x, positions }, sizes, direction);
        // Differentiated: Σ dy · turn(input), with dy the tensor that the backward turn is given.
        const input = random.floats(rows * stride);
        const gradient = {
          of: 'x',
          values: input,
          loss: (values: Float64Array) =>
            dot(x, rotateReference({ x: values, positions }, sizes, 1)),
          analytic: turned,
          output: 'x',
        };
        return {
          tensors: { positions, x },
          expected: { x: turned },
          gradients: direction === -1 ? [gradient] : [],
        };
      },
      call: (dispatcher, tensors, { rows, heads, headDim, stride }) =>
        rotate(dispatcher, tensors, { rows, heads, headDim, stride }, direction),
    }),
  ),

  ...[false, true].map((alone) =>
    operation({
      name: alone ? 'attention, row by row' : 'attention',
      entries: [alone ? 'attention.forward_alone' : 'attention.forward'],
      cases: attentionCases,
      large: attentionLarge,
      refused: attentionRefused,
      indexed: ['kv'],
      trial: ({ tokens, heads, kvHeads, headDim }, random) => {
        const { spans } = packed(unevenLengths(tokens, random));
        const sizes = { rows: tokens, heads, kvHeads, headDim };
        const q = random.floats(tokens * heads * headDim, 3);
        const kv = random.floats(tokens * 2 * kvHeads * headDim, 3);
        const { o, lse } = attentionReference({ q, kv, spans }, sizes);
        return {
          tensors: { q, kv, spans, o: unset(o.length), lse: unset(lse.length) },
          expected: { o, lse },
        };
      },
      call: (dispatcher, tensors, { tokens, heads, kvHeads, headDim }) =>
        attentionForward(dispatcher, tensors, { rows: tokens, alone }, { heads, kvHeads, headDim }),
    }),
  ),

  ...[false, true].map((alone) =>
    operation({
      name: alone ? 'attention over a cache, row by row' : 'attention over a cache',
      entries: [alone ? 'attention.forward_alone' : 'attention.forward'],
      cases: [
        { tokens: 1, heads: 2, kvHeads: 1, headDim: 4 },
        { tokens: 70, heads: 2, kvHeads: 1, headDim: 8 },
      ],
      large: { tokens: 300, heads: 4, kvHeads: 2, headDim: 16 },
      indexed: ['kv'],
      trial: ({ tokens, heads, kvHeads, headDim }, random) => {
        // Each query reads its own slot of the cache, of which only a part is filled.
        const context = 6;
        const spans = Uint32Array.from({ length: 2 * tokens }, (_, i) =>
          i % 2 === 0 ? (i / 2) * context : 1 + random.whole(context),
        );
        const sizes = { rows: tokens, heads, kvHeads, headDim };
        const q = random.floats(tokens * heads * headDim, 3);
        const kv = random.floats(tokens * context * 2 * kvHeads * headDim, 3);
        const { o, lse } = attentionReference({ q, kv, spans }, sizes);
        return {
          tensors: { q, kv, spans, o: unset(o.length), lse: unset(lse.length) },
          expected: { o, lse },
        };
      },
      call: (dispatcher, tensors, { tokens, heads, kvHeads, headDim }) =>
        attentionForward(dispatcher, tensors, { rows: tokens, alone }, { heads, kvHeads, headDim }),
    }),
  ),

  // In the last block only the rows whose logits are wanted ask.
  ...[1, 3].map((every) =>
    operation({
      name: every === 1 ? 'attention gradient' : 'attention gradient, few queries',
      entries: ['attention.backward_query', 'attention.backward_kv'],
      cases: attentionCases,
      large: attentionLarge,
      refused: attentionRefused,
      tolerance: { relative: 1e-5, absolute: 1e-4 },
      trial: ({ tokens, heads, kvHeads, headDim }, random) => {
        const { spans, keySpans } = packed(unevenLengths(tokens, random), every);
        const rows = spans.length / 2;
        const sizes = { rows, heads, kvHeads, headDim };
        const q = random.floats(rows * heads * headDim, 2);
        const kv = random.floats(tokens * 2 * kvHeads * headDim, 2);
        const dout = random.floats(q.length);
        const { o, lse } = attentionReference({ q, kv, spans }, sizes);
        const { dq, dkv } = attentionBackwardReference({ q, kv, spans, dout }, sizes);
        const delta = Float64Array.from({ length: lse.length }, (_, lane) =>
          dot(
            dout.subarray(lane * headDim, (lane + 1) * headDim),
            o.subarray(lane * headDim, (lane + 1) * headDim),
          ),
        );
        return {
          derived: { rows },
          tensors: {
            q,
            kv,
            spans,
            keySpans,
            o: Float32Array.from(o),
            lse: Float32Array.from(lse),
            dout,
            dq: unset(dq.length),
            dkv: unset(dkv.length),
            delta: unset(delta.length),
          },
          expected: { dq, dkv, delta },
          gradients: [
            {
              of: 'q',
              values: q,
              loss: (values) => dot(dout, attentionReference({ q: values, kv, spans }, sizes).o),
              analytic: dq,
              output: 'dq',
            },
            {
              of: 'keys and values',
              values: kv,
              loss: (values) => dot(dout, attentionReference({ q, kv: values, spans }, sizes).o),
              analytic: dkv,
              output: 'dkv',
            },
          ],
        };
      },
      call: (dispatcher, tensors, { rows, tokens, heads, kvHeads, headDim }) =>
        attentionBackward(
          dispatcher,
          tensors,
          { rows, keyRows: tokens },
          { heads, kvHeads, headDim },
        ),
    }),
  ),

  operation({
    name: 'swiglu',
    entries: ['swiglu.forward'],
    cases: [
      { rows: 1, ffnWidth: 4 },
      { rows: 7, ffnWidth: 12 },
      { rows: 70, ffnWidth: 20 },
      { rows: 0, ffnWidth: 8 },
    ],
    large: { rows: 300, ffnWidth: 128 },
    refused: [{ ffnWidth: 6 }, { rows: -1 }],
    trial: ({ rows, ffnWidth }, random) => {
      const gateUp = random.floats(2 * rows * ffnWidth, 6);
      return {
        tensors: { gateUp, h: unset(rows * ffnWidth) },
        expected: { h: swigluReference(gateUp, { rows, ffnWidth }) },
      };
    },
    call: (dispatcher, tensors, { rows, ffnWidth }) =>
      swigluForward(dispatcher, tensors, { rows, ffnWidth }),
  }),

  operation({
    name: 'swiglu gradient',
    entries: ['swiglu.backward'],
    cases: [
      { rows: 1, ffnWidth: 4 },
      { rows: 7, ffnWidth: 12 },
      { rows: 70, ffnWidth: 20 },
      { rows: 0, ffnWidth: 8 },
    ],
    large: { rows: 300, ffnWidth: 128 },
    refused: [{ ffnWidth: 6 }, { rows: -1 }],
    trial: ({ rows, ffnWidth }, random) => {
      const sizes = { rows, ffnWidth };
      const gateUp = random.floats(2 * rows * ffnWidth, 6);
      const dh = random.floats(rows * ffnWidth);
      const dgateUp = swigluBackwardReference({ gateUp, dh }, sizes);
      return {
        tensors: { gateUp, dh, dgateUp: unset(dgateUp.length) },
        expected: { dgateUp },
        gradients: [
          {
            of: 'gate and up',
            values: gateUp,
            loss: (values) => dot(dh, swigluReference(values, sizes)),
            analytic: dgateUp,
            output: 'dgateUp',
          },
        ],
      };
    },
    call: (dispatcher, tensors, { rows, ffnWidth }) =>
      swigluBackward(dispatcher, tensors, { rows, ffnWidth }),
  }),

  operation({
    name: 'rows gathered',
    entries: ['rows.gather'],
    cases: rowCases,
    large: { count: 800, width: 64, store: 900 },
    refused: [{ width: 6 }, { count: -1 }],
    tolerance: { relative: 0, absolute: 0 },
    indexed: ['x'],
    trial: ({ count, width, store }, random) => {
      // An index may come several times.
      const index = random.wholes(count, store);
      const x = random.floats(store * width);
      return {
        tensors: { index, x, y: unset(count * width) },
        expected: { y: gatherRows({ x, index }, { count, width }) },
      };
    },
    call: (dispatcher, tensors, { count, width }) =>
      moveRows(dispatcher, 'gather', tensors, { count, width }),
  }),

  operation({
    name: 'rows scattered',
    entries: ['rows.scatter'],
    cases: rowCases,
    large: { count: 800, width: 64, store: 900 },
    refused: [{ width: 6 }, { count: -1 }],
    tolerance: { relative: 0, absolute: 0 },
    indexed: ['y'],
    trial: ({ count, width, store }, random) => {
      const index = random.distinct(count, store);
      const x = random.floats(count * width);
      const before = random.floats(store * width);
      const after = float64(before);
      index.forEach((target, row) => {
        for (let i = 0; i < width; i++) after[target * width + i] = at(x, row * width + i);
      });
      return {
        tensors: { index, x, y: before },
        expected: { y: after },
      };
    },
    call: (dispatcher, tensors, { count, width }) =>
      moveRows(dispatcher, 'scatter', tensors, { count, width }),
  }),

  operation({
    name: 'gradient of rows gathered',
    entries: ['rows.scatter_add'],
    cases: rowCases,
    large: { count: 800, width: 64, store: 900 },
    refused: [{ width: 6 }, { count: -1 }],
    tolerance: { relative: 1e-6, absolute: 1e-6 },
    indexed: ['y'],
    trial: ({ count, width, store }, random) => {
      const index = random.distinct(count, store);
      const dy = random.floats(count * width);
      const x = random.floats(store * width);
      const before = random.floats(store * width);
      const dx = new Float64Array(store * width);
      scatterAddRows({ x: dy, index, y: dx }, { count, width });
      return {
        tensors: { index, x: dy, y: before },
        expected: { y: plus(dx, before) },
        gradients: [
          {
            of: 'x',
            values: x,
            loss: (values) => dot(dy, gatherRows({ x: values, index }, { count, width })),
            analytic: dx,
            output: 'y',
          },
        ],
      };
    },
    call: (dispatcher, tensors, { count, width }) =>
      moveRows(dispatcher, 'scatter_add', tensors, { count, width }),
  }),

  ...objectiveOperations,

  operation({
    name: 'sample',
    entries: ['sample.sample'],
    cases: [
      { rows: 1, vocabulary: 1, stride: 4, width: 1, step: 0, temperature: 1 },
      { rows: 9, vocabulary: 11, stride: 12, width: 3, step: 0, temperature: 0.7 },
      { rows: 70, vocabulary: 34, stride: 36, width: 4, step: 2, temperature: 1.5 },
      { rows: 70, vocabulary: 34, stride: 36, width: 4, step: 3, temperature: 0 },
      { rows: 0, vocabulary: 6, stride: 8, width: 2, step: 1, temperature: 1 },
    ],
    large: { rows: 200, vocabulary: 301, stride: 304, width: 2, step: 1, temperature: 0.9 },
    refused: [{ vocabulary: 0 }, { stride: 0 }, { width: 0 }, { step: 1 }],
    indexed: ['logits'],
    trial: ({ rows, vocabulary, stride, width, step, temperature }, random) => {
      const endToken = vocabulary - 1;
      // Several episodes may share a row of logits.
      const logitRows = Math.ceil(rows / 2);
      const logits = random.floats(logitRows * stride, 3);
      const tokens = random.wholes(rows * width, vocabulary);
      const logps = random.floats(rows * width);
      const entropies = random.floats(rows * width);
      const nextTokens = new Uint32Array(rows).fill(0xdead);
      const draws = new Uint32Array(4 * rows);
      const expected = {
        tokens: tokens.slice(),
        logps: float64(logps),
        entropies: float64(entropies),
        nextTokens: nextTokens.slice(),
      };
      for (let r = 0; r < rows; r++) {
        const out = r * width + step;
        // Every third episode has ended before, some of them just now.
        const ended = step > 0 && r % 3 === 0;
        if (ended) {
          const mark = r % 2 === 0 ? ENDED : endToken;
          tokens[out - 1] = mark;
          expected.tokens[out - 1] = mark;
        } else if (step > 0 && tokens[out - 1] === endToken) {
          tokens[out - 1] = 0;
          expected.tokens[out - 1] = 0;
        }
        const logitRow = random.whole(logitRows);
        const row = logits.subarray(logitRow * stride, logitRow * stride + vocabulary);
        const before = random.whole(100);
        const iteration = random.whole(1000);
        const draw = (episode: number) =>
          sampleReference(row, {
            ...drawn,
            temperature,
            episode,
            iteration,
            position: before + step,
          });
        // Take episodes whose draw does not hang on the last bits, so that tokens agree exactly.
        let episode = random.whole(2 ** 31);
        while (draw(episode).margin < 1e-5) episode = random.whole(2 ** 31);
        draws.set([episode, before, logitRow, iteration], 4 * r);
        const { token, logp, entropy } = draw(episode);
        expected.tokens[out] = ended ? ENDED : token;
        expected.logps[out] = ended ? 0 : logp;
        expected.entropies[out] = ended ? 0 : entropy;
        expected.nextTokens[r] = ended ? endToken : token;
      }
      return {
        tensors: { logits, draws, tokens, logps, entropies, nextTokens },
        expected,
      };
    },
    call: (dispatcher, tensors, { rows, vocabulary, stride, width, step, temperature }) =>
      sample(
        dispatcher,
        tensors,
        { rows, vocabulary, stride, width },
        { ...drawn, step, endToken: vocabulary - 1, temperature },
      ),
  }),

  operation({
    name: 'adamw',
    entries: ['adamw.norm_partial', 'adamw.norm', 'adamw.update'],
    // steps: made before; clip: 1 when the gradient is past its largest norm.
    cases: [
      { length: 1, decayEnd: 1, steps: 0, clip: 0 },
      { length: 63, decayEnd: 0, steps: 3, clip: 1 },
      { length: 64 * 64 + 5, decayEnd: 4000, steps: 1, clip: 1 },
      { length: 130, decayEnd: 130, steps: 1000, clip: 0 },
    ],
    large: { length: 30_005, decayEnd: 20_002, steps: 2, clip: 1 },
    refused: [{ length: 0 }, { decayEnd: -1 }],
    trial: ({ length, decayEnd, steps, clip }, random) => {
      const parameters = random.floats(length);
      const grads = random.floats(length, 0.1);
      const m = random.floats(length, steps === 0 ? 0 : 0.05);
      const v = random.floats(length, steps === 0 ? 0 : 0.01).map(Math.abs);
      const settings = adamwSettings(clip);
      const place = placesOf(optimizerColumns);
      const state = new Float32Array(optimizerColumns.length);
      state[place.steps] = steps;
      state[place.weight1] = 1 - settings.beta1 ** steps;
      state[place.weight2] = 1 - settings.beta2 ** steps;
      const reference: AdamwState = {
        parameters: float64(parameters),
        m: float64(m),
        v: float64(v),
        steps,
      };
      const { gradNorm, scale } = adamwReference(reference, grads, settings, decayEnd);
      const scratch = new Float64Array(adamwScratch(length));
      grads.forEach((g, i) => {
        add(scratch, Math.floor(i / 64), g * g);
      });
      return {
        tensors: { parameters, grads, m, v, state, scratch: unset(scratch.length) },
        expected: {
          parameters: reference.parameters,
          m: reference.m,
          v: reference.v,
          scratch,
          state: [
            steps + 1,
            gradNorm,
            scale,
            1,
            1 / (1 - settings.beta1 ** (steps + 1)),
            1 / (1 - settings.beta2 ** (steps + 1)),
            1 - settings.beta1 ** (steps + 1),
            1 - settings.beta2 ** (steps + 1),
          ],
        },
      };
    },
    call: (dispatcher, tensors, { length, decayEnd, clip }) =>
      adamw(dispatcher, tensors, { length, decayEnd }, adamwSettings(clip)),
  }),
];
