import { logitGradient, tokenScores } from './objective.ts';
import { type Operation, operation, unset } from './operation.ts';
import {
  type LogitInput,
  logitGradientReference,
  scoreTable,
  tokenScoresReference,
} from './reference/objective.ts';
import type { TestRandom } from './reference/random.ts';
import { at } from './reference/values.ts';

// most: maximum loss rows per row of logits; some rows of logits get none.
const logitCases = [
  { rows: 1, most: 1, first: 0, vocabulary: 1, stride: 4, temperature: 1 },
  { rows: 1, most: 3, first: 2, vocabulary: 5, stride: 8, temperature: 1 },
  { rows: 9, most: 4, first: 70, vocabulary: 11, stride: 12, temperature: 0.75 },
  { rows: 70, most: 3, first: 0, vocabulary: 34, stride: 36, temperature: 1.5 },
  { rows: 3, most: 0, first: 1, vocabulary: 6, stride: 8, temperature: 1 },
  { rows: 0, most: 0, first: 0, vocabulary: 6, stride: 8, temperature: 1 },
];
const logitLarge = {
  rows: 300,
  most: 3,
  first: 5,
  vocabulary: 131,
  stride: 132,
  temperature: 1,
};
const logitRefused = [{ vocabulary: 0 }, { stride: 0 }, { rows: -1 }, { lossRows: 0.5 }];

function drawLogits(
  { rows, most, vocabulary, stride }: (typeof logitCases)[number],
  random: TestRandom,
) {
  const starts = new Uint32Array(rows + 1);
  for (let l = 0; l < rows; l++) {
    starts[l + 1] = at(starts, l) + (rows === 1 ? most : random.whole(most + 1));
  }
  const lossRows = at(starts, rows);
  return {
    logits: random.floats(rows * stride, 3),
    starts,
    targets: random.wholes(lossRows, vocabulary),
    lossRows,
  };
}

/** Test cases for token scores and logit gradients. */
export const objectiveOperations: readonly Operation[] = [
  operation({
    name: 'token scores',
    entries: ['objective.token_scores'],
    cases: logitCases,
    large: logitLarge,
    refused: [...logitRefused, { first: -1 }],
    trial: (sizes, random) => {
      const { rows, first } = sizes;
      const { lossRows, ...input } = drawLogits(sizes, random);
      const values = random.floats(4 * rows);
      const before = random.floats(4 * first);
      const { softmax, logps, entropies } = tokenScoresReference(input, sizes);
      const rowValues = new Float64Array(lossRows);
      for (let l = 0; l < rows; l++) {
        rowValues.fill(at(values, 4 * l), at(input.starts, l), at(input.starts, l + 1));
      }
      return {
        derived: { lossRows },
        tensors: {
          ...input,
          values,
          softmax: unset(2 * rows),
          scores: Float32Array.of(...before, ...unset(4 * lossRows)),
        },
        expected: {
          softmax,
          scores: [...before, ...scoreTable({ logps, entropies, values: rowValues })],
        },
      };
    },
    call: (dispatcher, tensors, { temperature, ...sizes }) =>
      tokenScores(dispatcher, tensors, sizes, { temperature }),
  }),

  operation({
    name: 'logit gradient',
    entries: ['objective.logit_gradient'],
    cases: logitCases,
    large: logitLarge,
    refused: logitRefused,
    trial: (sizes, random) => {
      const { rows } = sizes;
      const { lossRows, ...input } = drawLogits(sizes, random);
      const pulls = random.floats(4 * lossRows);
      const { dlogits, dvalues } = logitGradientReference({ ...input, pulls }, sizes);
      const loss = (moved: LogitInput) => {
        const { logps, entropies } = tokenScoresReference(moved, sizes);
        return logps.reduce(
          (sum, logp, i) => sum + at(pulls, 4 * i) * logp - at(pulls, 4 * i + 1) * at(entropies, i),
          0,
        );
      };
      return {
        derived: { lossRows },
        tensors: {
          ...input,
          pulls,
          softmax: Float32Array.from(tokenScoresReference(input, sizes).softmax),
          dlogits: unset(dlogits.length),
          dvalues: unset(4 * rows),
        },
        expected: { dlogits, dvalues },
        gradients: [
          {
            of: 'logits',
            values: input.logits,
            loss: (logits) => loss({ ...input, logits }),
            analytic: dlogits,
            output: 'dlogits',
          },
        ],
      };
    },
    call: (dispatcher, tensors, { temperature, ...sizes }) =>
      logitGradient(dispatcher, tensors, sizes, { temperature }),
  }),
];
