import { type Operation, operation, unset } from './operation.ts';
import { gatherRows, scatterAddRows } from './reference/rows.ts';
import { at, dot, float64, plus } from './reference/values.ts';
import { moveRows } from './rows.ts';

const testSizes = {
  cases: [
    { count: 1, width: 4, store: 1 },
    { count: 5, width: 12, store: 9 },
    { count: 70, width: 20, store: 90 },
    { count: 0, width: 8, store: 3 },
  ],
  large: { count: 800, width: 64, store: 900 },
  refused: [{ width: 6 }, { count: -1 }],
};

/** Test cases for gathering and scattering rows. */
export const rowsOperations: readonly Operation[] = [
  operation({
    name: 'row gather',
    entries: ['rows.gather'],
    ...testSizes,
    tolerance: { relative: 0, absolute: 0 },
    indexed: ['x'],
    trial: ({ count, width, store }, random) => {
      // Indices may repeat.
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
    name: 'row scatter',
    entries: ['rows.scatter'],
    ...testSizes,
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
    name: 'row gather gradient',
    entries: ['rows.scatter_add'],
    ...testSizes,
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
];
