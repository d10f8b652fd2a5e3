import { embeddingBackward, embeddingForward, embeddingPieces } from './embedding.ts';
import { type Operation, operation, unset } from './operation.ts';
import { gatherRows, scatterAddRows } from './reference/rows.ts';
import { add, at, dot, plus } from './reference/values.ts';

/** Test cases for the embedding. */
export const embeddingOperations: readonly Operation[] = [
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
      // The rows of one token span several pieces of 128 rows.
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
];
