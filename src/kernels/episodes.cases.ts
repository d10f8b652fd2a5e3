import { batchwide } from '../algorithms/batchwide.ts';
import { preferenceCoefficients, sequenceRatios } from './episodes.ts';
import { type Operation, operation, unset } from './operation.ts';
import { episodeLists, inputTable, scoreTable } from './reference/objective.ts';
import { base, drawRows, looking, updateCases } from './reference/objective-rows.ts';
import type { TestRandom } from './reference/random.ts';

const episodesRefused = [{ updateRows: -1 }, { episodes: -2 }];
const pairsRefused = [{ updateRows: -1 }, { pairs: 0.25 }];

/** Random loss rows, and the two numbers expected for each row. */
function trialOf(unit: 'episode' | 'pair', updateRows: number, random: TestRandom) {
  const { rows, episodeCount } = drawRows(updateRows, looking(unit), random);
  const { found } = batchwide(rows, { ...base, surrogate: looking(unit) });
  return {
    derived: { episodes: episodeCount, pairs: episodeCount / 2 },
    tensors: {
      inputs: inputTable(rows),
      scores: scoreTable(rows),
      ...episodeLists(rows.episodes, episodeCount),
      found: unset(2 * updateRows),
    },
    expected: { found: found.flat() },
  };
}

/** Test cases for the kernels that reduce over whole episodes. */
export const episodesOperations: readonly Operation[] = [
  operation({
    name: 'sequence ratios',
    entries: ['episodes.sequence_ratios'],
    cases: [...updateCases, { updateRows: 0 }],
    refused: episodesRefused,
    trial: ({ updateRows }, random) => trialOf('episode', updateRows, random),
    call: (dispatcher, tensors, { episodes, updateRows }) =>
      sequenceRatios(dispatcher, tensors, { episodes, updateRows }),
  }),

  operation({
    name: 'preference coefficients',
    entries: ['episodes.preference'],
    cases: [{ updateRows: 2 }, ...updateCases.slice(1), { updateRows: 0 }],
    refused: pairsRefused,
    trial: ({ updateRows }, random) => trialOf('pair', updateRows, random),
    call: (dispatcher, tensors, { pairs, updateRows }) =>
      preferenceCoefficients(dispatcher, tensors, { pairs, updateRows }, { beta: base.dpoBeta }),
  }),
];
