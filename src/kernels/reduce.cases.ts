import { type Operation, operation, unset } from './operation.ts';
import { sumParts } from './reduce.ts';
import { sumPartsReference } from './reference/linear.ts';
import { plus } from './reference/values.ts';

/** Test cases for summing parts. */
export const reduceOperations: readonly Operation[] = [
  ...[false, true].map((accumulate) =>
    operation({
      name: accumulate ? 'sum of parts, accumulated' : 'sum of parts',
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
];
