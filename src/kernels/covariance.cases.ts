import { batchwide } from '../algorithms/batchwide.ts';
import { surrogates, traitsOf } from '../algorithms/surrogates.ts';
import { pickCovariance } from './covariance.ts';
import { type Operation, operation, unset } from './operation.ts';
import { inputTable, scoreTable } from './reference/objective.ts';
import { base, drawRows, updateCases } from './reference/objective-rows.ts';

/** Test cases for picking rows by covariance. */
export const covarianceOperations: readonly Operation[] = [
  ...surrogates
    .filter((kind) => traitsOf(kind).picks !== null)
    .map((kind) =>
      operation({
        name: `rows picked by ${kind}`,
        entries: ['covariance.pick'],
        cases: [...updateCases, { updateRows: 0 }],
        refused: [{ updateRows: -1 }, { updateRows: 0.5 }],
        tolerance: { relative: 0, absolute: 0 },
        trial: ({ updateRows }, random) => {
          const { rows } = drawRows(updateRows, kind, random);
          const { found } = batchwide(rows, { ...base, surrogate: kind });
          return {
            tensors: {
              inputs: inputTable(rows),
              scores: scoreTable(rows),
              found: unset(2 * updateRows),
            },
            expected: { found: found.flat() },
          };
        },
        call: (dispatcher, tensors, { updateRows }) =>
          pickCovariance(
            dispatcher,
            tensors,
            { updateRows },
            { ...base, draw: traitsOf(kind).picks === 'drawn' },
          ),
      }),
    ),
];
