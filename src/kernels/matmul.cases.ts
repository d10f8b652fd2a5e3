import type { DeviceKind, Dispatcher } from '../device/index.ts';
import {
  type MatmulSizes,
  matmul,
  matmulTransposed,
  matmulWeightGradient,
  panelSplits,
  weightGradientSplits,
} from './matmul.ts';
import { type Operation, operation, unset } from './operation.ts';
import { sumParts } from './reduce.ts';
import { linearBackward, linearForward } from './reference/linear.ts';
import type { TestRandom } from './reference/random.ts';
import { dot, plus } from './reference/values.ts';

const matmulCases = [
  { rows: 1, inner: 4, columns: 4 },
  { rows: 7, inner: 12, columns: 20 },
  { rows: 9, inner: 8, columns: 36 },
  { rows: 131, inner: 8, columns: 36 },
  { rows: 0, inner: 8, columns: 8 },
];
/** Sizes for the panel kernel: one panel, several, partly filled ones, several row blocks. */
const panelCases = [
  { rows: 1, inner: 4, columns: 4 },
  { rows: 37, inner: 68, columns: 36 },
  { rows: 40, inner: 132, columns: 64 },
  { rows: 64, inner: 64, columns: 32 },
  { rows: 300, inner: 16, columns: 20 },
  { rows: 0, inner: 8, columns: 8 },
];
/** Test sizes of products, in addition to the cases of each kernel. */
const matmulSizes = {
  large: { rows: 300, inner: 68, columns: 72 },
  refused: [{ inner: 6 }, { columns: 5 }, { rows: 1.5 }, { inner: 0 }],
};

/** Maps `quads`, an emulated GPU, to `gpu`, so that it runs the GPU kernels. */
const unlessQuads = (kind: DeviceKind): DeviceKind => (kind === 'quads' ? 'gpu' : kind);

/** Products with the kernels of every device, and with the panel kernel, which only `quads` uses. */
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
    of: ', panel kernel',
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

/** Random matrices and their product. */
function drawn({ rows, inner, columns }: MatmulSizes, random: TestRandom) {
  const a = random.floats(rows * inner);
  const b = random.floats(inner * columns);
  const c = linearForward({ x: a, w: b }, { rows, inputs: inner, outputs: columns });
  return { a, b, c };
}

/** Test cases for matrix products. */
export const matmulOperations: readonly Operation[] = [
  ...products.flatMap(({ of, on, split, entry, feature, cases, weightCases }) => [
    operation({
      name: `matmul${of}`,
      entries: [entry ?? 'matmul.nn'],
      cases,
      ...matmulSizes,
      ...feature,
      trial: (sizes, random) => {
        const { a, b, c } = drawn(sizes, random);
        return { tensors: { a, b, c: unset(c.length) }, expected: { c } };
      },
      call: (dispatcher, tensors, sizes) => matmul(on(dispatcher), tensors, sizes),
    }),

    operation({
      name: `matmul with residual${of}`,
      entries: [entry ?? 'matmul.nn'],
      cases,
      ...matmulSizes,
      ...feature,
      trial: (sizes, random) => {
        const { a, b, c } = drawn(sizes, random);
        const residual = random.floats(c.length);
        return {
          tensors: { a, b, residual, c: unset(c.length) },
          expected: { c: plus(c, residual) },
        };
      },
      call: (dispatcher, tensors, sizes) => matmul(on(dispatcher), tensors, sizes),
    }),

    ...[false, true].map((accumulate) =>
      operation({
        name: `input gradient of a product${accumulate ? ', accumulated' : ''}${of}`,
        entries: [entry ?? 'matmul.nt'],
        cases: [...cases, { rows: 70, inner: 4, columns: 72 }],
        ...matmulSizes,
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
        call: (dispatcher, tensors, sizes) =>
          matmulTransposed(on(dispatcher), tensors, sizes, accumulate),
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
        // y (inner, columns) = x (inner, rows) · w (rows, columns): dw = xᵀ · dy.
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
        // Space for splits that are not used stays unset.
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
        const sizes = { rows, inner, columns };
        const parts = matmulWeightGradient(on(dispatcher), { a, b, partial }, sizes);
        sumParts(dispatcher, { partial, y }, { length: rows * columns, parts }, true);
      },
    }),
  ]),
];
