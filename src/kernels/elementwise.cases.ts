import { addBias, biasGradient, biasScratch, keepBlocks, scale } from './elementwise.ts';
import { type Operation, operation, unset } from './operation.ts';
import { biasGradientReference } from './reference/headnorm.ts';
import { at, dot, plus } from './reference/values.ts';

const testSizes = {
  cases: [
    { rows: 1, columns: 4 },
    { rows: 7, columns: 12 },
    { rows: 270, columns: 20 },
    { rows: 0, columns: 8 },
  ],
  large: { rows: 800, columns: 64 },
  refused: [{ columns: 6 }, { rows: -1 }],
};

/** Test cases for the elementwise kernels of pretrained networks. */
export const elementwiseOperations: readonly Operation[] = [
  operation({
    name: 'bias',
    entries: ['elementwise.add_bias'],
    ...testSizes,
    trial: ({ rows, columns }, random) => {
      const x = random.floats(rows * columns);
      const bias = random.floats(columns);
      const y = Float64Array.from(x, (value, i) => value + at(bias, i % columns));
      return { tensors: { x, bias }, expected: { x: y } };
    },
    call: (dispatcher, tensors, sizes) => addBias(dispatcher, tensors, sizes),
  }),

  operation({
    name: 'bias gradient',
    entries: ['elementwise.bias_gradient', 'reduce.sum_parts'],
    ...testSizes,
    tolerance: { relative: 1e-5, absolute: 5e-5 },
    trial: ({ rows, columns }, random) => {
      const dy = random.floats(rows * columns);
      const bias = random.floats(columns);
      const before = random.floats(columns);
      const dbias = biasGradientReference(dy, columns);
      const scratch = Array.from({ length: Math.ceil(rows / 128) }, (_, p) =>
        Array.from(
          biasGradientReference(dy.slice(p * 128 * columns, (p + 1) * 128 * columns), columns),
        ),
      ).flat();
      return {
        tensors: {
          dy,
          dbias: before,
          scratch: unset(rows === 0 ? 0 : biasScratch({ rows, columns })),
        },
        expected: { dbias: plus(dbias, before), scratch },
        gradients: [
          {
            of: 'bias',
            values: bias,
            loss: (values) =>
              dot(
                dy,
                Float64Array.from(dy, (_, i) => at(values, i % columns)),
              ),
            analytic: dbias,
            output: 'dbias',
          },
        ],
      };
    },
    call: (dispatcher, tensors, sizes) => biasGradient(dispatcher, tensors, sizes),
  }),

  operation({
    name: 'scale',
    entries: ['elementwise.scale'],
    ...testSizes,
    trial: ({ rows, columns }, random) => {
      const x = random.floats(rows * columns);
      return { tensors: { x }, expected: { x: Float64Array.from(x, (value) => 0.3 * value) } };
    },
    call: (dispatcher, tensors, sizes) => scale(dispatcher, tensors, sizes, 0.3),
  }),

  operation({
    name: 'block mask',
    entries: ['elementwise.keep_blocks'],
    cases: [
      { rows: 4, columns: 4, first: 4 },
      { rows: 8, columns: 24, first: 12 },
      { rows: 70, columns: 20, first: 8 },
    ],
    large: { rows: 800, columns: 64, first: 20 },
    refused: [{ columns: 6 }, { first: 5 }],
    trial: ({ rows, columns, first }, random) => {
      const x = random.floats(rows * columns);
      const y = Float64Array.from(x, (value, i) => {
        const upper = Math.floor(i / columns) < rows / 2;
        return i % columns < first === upper ? value : 0;
      });
      return { tensors: { x }, expected: { x: y } };
    },
    call: (dispatcher, tensors, { rows, columns, first }) =>
      keepBlocks(dispatcher, tensors, { rows, columns, blockRows: rows / 2 }, [
        { begin: 0, end: first },
        { begin: first, end: columns },
      ]),
  }),
];
