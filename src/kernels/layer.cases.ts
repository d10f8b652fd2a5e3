import type { AttentionHeads } from './attention.ts';
import { alignedLength, gateUp, linearGradients, queryKeyValue } from './layer.ts';
import { type Operation, operation, unset } from './operation.ts';
import { linearBackward, linearForward } from './reference/linear.ts';
import type { TestRandom } from './reference/random.ts';
import { rotateReference } from './reference/rope.ts';
import { swigluBackwardReference, swigluReference } from './reference/swiglu.ts';
import { dot, type Values } from './reference/values.ts';

/** Two matrices in the parameter layout: the second starts at a multiple of 64 elements. */
function adjacent(random: TestRandom, first: number, second: number) {
  const begin = alignedLength(first);
  const weights = new Float32Array(begin + second);
  weights.set(random.floats(first));
  weights.set(random.floats(second), begin);
  return { weights, first: weights.subarray(0, first), second: weights.subarray(begin) };
}

const headCases = [
  { rows: 1, inner: 4, heads: 1, kvHeads: 1, headDim: 8 },
  { rows: 37, inner: 20, heads: 4, kvHeads: 2, headDim: 8 },
  { rows: 70, inner: 36, heads: 3, kvHeads: 1, headDim: 16 },
  // Large enough for the larger tile.
  { rows: 4096, inner: 16, heads: 4, kvHeads: 4, headDim: 8 },
  { rows: 0, inner: 8, heads: 2, kvHeads: 1, headDim: 8 },
];

const behindSwiglu = (of: string) => of === 'one layer after SwiGLU';

const widthOf = ({ heads, headDim }: AttentionHeads) => heads * headDim;
const kvColumnsOf = ({ kvHeads, headDim }: AttentionHeads) => 2 * kvHeads * headDim;

/** Expected partial sums of a weight gradient: each split's share of xᵀ · dy, at its offset. */
function placedParts(
  { x, dy }: { readonly x: Values; readonly dy: Values },
  { rows, inner, columns }: Readonly<Record<'rows' | 'inner' | 'columns', number>>,
  { splits, stride, begin }: Readonly<Record<'splits' | 'stride' | 'begin', number>>,
  partial: Float64Array,
): void {
  const length = Math.ceil(rows / splits);
  for (let s = 0; s < splits; s++) {
    const from = Math.min(s * length, rows);
    const to = Math.min(from + length, rows);
    const { dw } = linearBackward(
      {
        x: Array.prototype.slice.call(x, from * inner, to * inner),
        w: new Float64Array(inner * columns),
        dy: Array.prototype.slice.call(dy, from * columns, to * columns),
      },
      { rows: to - from, inputs: inner, outputs: columns },
    );
    partial.set(dw, s * stride + begin);
  }
}

/** Test cases for the fused products. */
export const layerOperations: readonly Operation[] = [
  ...[false, true].map((cached) =>
    operation({
      name: cached ? 'query, key and value into a cache' : 'query, key and value',
      entries: ['layer.query_key_value'],
      gpuOnly: true,
      cases: headCases,
      tolerance: { relative: 1e-5, absolute: 5e-5 },
      refused: [{ inner: 6 }, { headDim: 4 }, { kvHeads: 0 }, { rows: -1 }],
      // Without a cache `destination` is not read; with one it determines the rows of kv.
      indexed: cached ? ['kv'] : ['destination'],
      trial: ({ rows, inner, ...heads }, random) => {
        const width = widthOf(heads);
        const kvColumns = kvColumnsOf(heads);
        const x = random.floats(rows * inner);
        const { weights, first, second } = adjacent(random, inner * width, inner * kvColumns);
        const positions = random.wholes(rows, 200);
        // Every second row of a cache that is twice as long, in descending order.
        const destination = Uint32Array.from({ length: rows }, (_, r) => 2 * (rows - 1 - r));
        const sizes = { rows, inputs: inner };
        const turned = (w: Values, outputs: number, turnedHeads: number) =>
          rotateReference(
            { x: linearForward({ x, w }, { ...sizes, outputs }), positions },
            { rows, heads: turnedHeads, headDim: heads.headDim, stride: outputs },
            1,
          );
        const q = turned(first, width, heads.heads);
        const kv = turned(second, kvColumns, heads.kvHeads);
        const written = new Float64Array(2 * kv.length).fill(Number.NaN);
        for (const [r, to] of destination.entries()) {
          written.set(kv.subarray(r * kvColumns, (r + 1) * kvColumns), to * kvColumns);
        }
        const expected = cached ? written : kv;
        return {
          tensors: {
            ...{ x, weights, positions, destination },
            q: unset(q.length),
            kv: unset(expected.length),
          },
          expected: { q, kv: expected },
        };
      },
      call: (dispatcher, { destination, ...tensors }, { rows, inner, ...heads }) =>
        queryKeyValue(
          dispatcher,
          { ...tensors, ...(cached ? { destination } : {}) },
          { rows, inner },
          heads,
        ),
    }),
  ),

  operation({
    name: 'gate and up with SwiGLU',
    entries: ['layer.gate_up'],
    gpuOnly: true,
    cases: [
      { rows: 1, inner: 4, ffnWidth: 4 },
      { rows: 37, inner: 20, ffnWidth: 36 },
      { rows: 2048, inner: 12, ffnWidth: 256 },
      { rows: 0, inner: 8, ffnWidth: 8 },
    ],
    refused: [{ inner: 6 }, { ffnWidth: 6 }, { rows: -1 }],
    trial: ({ rows, inner, ffnWidth }, random) => {
      const x = random.floats(rows * inner, 2);
      const weights = random.floats(2 * inner * ffnWidth);
      const outputs = 2 * ffnWidth;
      const both = linearForward({ x, w: weights }, { rows, inputs: inner, outputs });
      return {
        tensors: { x, weights, gateUp: unset(both.length), h: unset(rows * ffnWidth) },
        expected: { gateUp: both, h: swigluReference(both, { rows, ffnWidth }) },
      };
    },
    call: (dispatcher, tensors, sizes) => gateUp(dispatcher, tensors, sizes),
  }),

  // One layer, two layers that share the input x, and one layer after SwiGLU.
  ...(['one layer', 'two layers', 'one layer after SwiGLU'] as const).map((of) =>
    operation({
      name: `gradients of ${of}`,
      entries: ['layer.gradients'],
      gpuOnly: true,
      cases: [
        { rows: 1, inner: 4, columns: 4, splits: 1 },
        { rows: 37, inner: 20, columns: 36, splits: 3 },
        { rows: 70, inner: 36, columns: 72, splits: 16 },
        { rows: 2048, inner: 64, columns: 68, splits: 16 },
        { rows: 0, inner: 8, columns: 8, splits: 2 },
      ],
      refused: [{ inner: 6 }, { columns: 6 }, { rows: -1 }, { splits: 0 }],
      tolerance: { relative: 1e-5, absolute: 1e-4 },
      indexed: [
        ...(of === 'two layers' ? [] : (['dy2'] as const)),
        ...(behindSwiglu(of) ? [] : (['gateUp'] as const)),
      ],
      trial: ({ rows, inner, columns, splits }, random) => {
        const two = of === 'two layers';
        const behind = behindSwiglu(of);
        const columns2 = two ? columns + 4 : 0;
        const x = random.floats(rows * inner);
        const dy = random.floats(rows * columns);
        const dy2 = random.floats(rows * columns2);
        const begin = two ? alignedLength(inner * columns) : 0;
        const { weights, first, second } = adjacent(random, inner * columns, inner * columns2);
        const used = two ? weights : first.slice();
        const sizes = { rows, inputs: inner };
        const { dx } = linearBackward({ x, w: first, dy }, { ...sizes, outputs: columns });
        if (two) {
          const other = linearBackward({ x, w: second, dy: dy2 }, { ...sizes, outputs: columns2 });
          for (const [i, d] of other.dx.entries()) dx[i] = (dx[i] ?? 0) + d;
        }
        const gateUpValues = random.floats(2 * rows * inner, 4);
        const ofInput = behind
          ? swigluBackwardReference({ gateUp: gateUpValues, dh: dx }, { rows, ffnWidth: inner })
          : dx;
        const span = two ? begin + inner * columns2 : inner * columns;
        const stride = alignedLength(span) + 64;
        const partial = new Float64Array((splits - 1) * stride + span).fill(Number.NaN);
        placedParts({ x, dy }, { rows, inner, columns }, { splits, stride, begin: 0 }, partial);
        if (two) {
          const sizes2 = { rows, inner, columns: columns2 };
          placedParts({ x, dy: dy2 }, sizes2, { splits, stride, begin }, partial);
        }
        const loss = (values: Values) => {
          const input = behind ? swigluReference(values, { rows, ffnWidth: inner }) : values;
          const y = linearForward({ x: input, w: first }, { ...sizes, outputs: columns });
          const y2 = two
            ? linearForward({ x: input, w: second }, { ...sizes, outputs: columns2 })
            : [];
          return dot(dy, y) + dot(two ? dy2 : [], y2);
        };
        return {
          derived: { stride, columns2 },
          tensors: {
            ...{ x, weights: used, dy, dy2, gateUp: gateUpValues },
            dx: unset(ofInput.length),
            partial: unset(partial.length),
          },
          expected: { dx: ofInput, partial },
          gradients: [
            {
              of: 'x',
              values: behind ? gateUpValues : x,
              loss,
              analytic: ofInput,
              output: 'dx',
            },
          ],
        };
      },
      call: (
        dispatcher,
        { dy2, gateUp: gates, ...tensors },
        { rows, inner, columns, columns2, splits, stride },
      ) =>
        linearGradients(
          dispatcher,
          {
            ...tensors,
            ...(of === 'two layers' ? { dy2 } : {}),
            ...(behindSwiglu(of) ? { gateUp: gates } : {}),
          },
          { rows, inner, columns, columns2 },
          { splits, stride },
        ),
    }),
  ),
];
