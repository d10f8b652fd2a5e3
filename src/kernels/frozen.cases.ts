import type { Dispatcher, Tensor } from '../device/index.ts';
import { frozenBackward, frozenForward, frozenRows } from './frozen.ts';
import { type BasePrecision, packMatrix, unpackMatrix } from './frozen-pack.ts';
import { type Operation, operation, unset } from './operation.ts';
import { linearBackward, linearForward } from './reference/linear.ts';
import type { TestRandom } from './reference/random.ts';
import { gatherRows } from './reference/rows.ts';
import { at, dot, plus } from './reference/values.ts';

type Sizes = { readonly rows: number; readonly inputs: number; readonly outputs: number };

/** A packed random matrix (outputs, inputs), its unpacked values, and their transpose. */
function drawn(random: TestRandom, precision: BasePrecision, { inputs, outputs }: Sizes) {
  const packed = packMatrix(precision, random.floats(outputs * inputs));
  const w = Float64Array.from(unpackMatrix(precision, packed));
  const transposed = Float64Array.from(w, (_, i) =>
    at(w, (i % outputs) * inputs + Math.floor(i / outputs)),
  );
  // Only int4 has scales; the other formats bind the words instead.
  const tensors: Record<'words', Uint32Array> =
    precision === 'int4' ? packed : { words: packed.words };
  return { packed: tensors, w, transposed };
}

const matrixOf = (
  precision: BasePrecision,
  { words, scales }: { readonly words: Tensor; readonly scales?: Tensor | undefined },
) => ({ precision, words, scales: scales ?? words });

/** Sizes that are multiples of the precision's group size. */
function cases(group: number): Sizes[] {
  return [
    { rows: 1, inputs: group, outputs: 4 },
    { rows: 7, inputs: 3 * group, outputs: 12 },
    { rows: 70, inputs: 64 + 2 * group, outputs: 36 },
    // More than one block of inner indices.
    { rows: 3, inputs: 288, outputs: 300 },
    { rows: 0, inputs: group, outputs: 8 },
  ];
}

function ofPrecision(precision: BasePrecision, group: number): Operation[] {
  const testSizes = {
    cases: cases(group),
    large: { rows: 100, inputs: 128, outputs: 96 },
    refused: [{ inputs: group + 2 }, { outputs: 6 }, { rows: -1 }],
  };
  const tolerance = { relative: 1e-5, absolute: 1e-4 };
  return [
    ...[false, true].flatMap((accumulate) => [
      operation({
        name: `frozen ${precision} product${accumulate ? ', accumulated' : ''}`,
        entries: ['frozen.forward'],
        ...testSizes,
        tolerance,
        trial: (sizes, random) => {
          const { rows, inputs, outputs } = sizes;
          const { packed, transposed } = drawn(random, precision, sizes);
          const a = random.floats(rows * inputs);
          const before = accumulate ? random.floats(rows * outputs) : unset(rows * outputs);
          const c = linearForward({ x: a, w: transposed }, { rows, inputs, outputs });
          return {
            tensors: { a, c: before, ...packed },
            expected: { c: accumulate ? plus(c, before) : c },
          };
        },
        call: (dispatcher, { a, c, ...packed }, sizes) =>
          frozenForward(dispatcher, { a, w: matrixOf(precision, packed), c }, sizes, accumulate),
      }),
      operation({
        name: `frozen ${precision} product's gradient${accumulate ? ', accumulated' : ''}`,
        entries: ['frozen.backward'],
        ...testSizes,
        tolerance,
        trial: (sizes, random) => {
          const { rows, inputs, outputs } = sizes;
          const { packed, transposed } = drawn(random, precision, sizes);
          const x = random.floats(rows * inputs);
          const a = random.floats(rows * outputs);
          const before = accumulate ? random.floats(rows * inputs) : unset(rows * inputs);
          const { dx } = linearBackward({ x, w: transposed, dy: a }, { rows, inputs, outputs });
          return {
            tensors: { a, c: before, ...packed },
            expected: { c: accumulate ? plus(dx, before) : dx },
            gradients: [
              {
                of: 'x',
                values: x,
                loss: (values: Float64Array) =>
                  dot(a, linearForward({ x: values, w: transposed }, { rows, inputs, outputs })),
                analytic: dx,
                output: 'c',
              },
            ],
          };
        },
        call: (dispatcher, { a, c, ...packed }, sizes) =>
          frozenBackward(dispatcher, { a, w: matrixOf(precision, packed), c }, sizes, accumulate),
      }),
    ]),
    operation({
      name: `frozen ${precision} rows`,
      entries: ['frozen.gather'],
      ...testSizes,
      trial: (sizes, random) => {
        const { rows, inputs, outputs } = sizes;
        const { packed, w } = drawn(random, precision, sizes);
        const tokens = random.wholes(rows, outputs);
        const x = gatherRows({ x: w, index: tokens }, { count: rows, width: inputs });
        return { tensors: { tokens, ...packed, x: unset(rows * inputs) }, expected: { x } };
      },
      call: (dispatcher: Dispatcher, { tokens, x, ...packed }, sizes) =>
        frozenRows(dispatcher, { tokens, w: matrixOf(precision, packed), x }, sizes),
    }),
  ];
}

/** Test cases for products with frozen matrices. */
export const frozenOperations: readonly Operation[] = [
  ...ofPrecision('f32', 4),
  ...ofPrecision('f16', 8),
  ...ofPrecision('int4', 32),
];
