/** Random loss rows and settings for tests of the objective's kernels. */

import {
  type BapoSettings,
  defaultObjective,
  type LossRows,
  type ObjectiveSettings,
} from '../../algorithms/objective.ts';
import { type LooksAt, type Surrogate, surrogates, traitsOf } from '../../algorithms/surrogates.ts';
import type { TestRandom } from './random.ts';
import { at } from './values.ts';

const f32 = Math.fround;

export const byPair = (kind: Surrogate) => traitsOf(kind).looksAt === 'pair';

/** The first surrogate whose trait `looksAt` is `at`. */
export function looking(at: LooksAt): Surrogate {
  const found = surrogates.find((kind) => traitsOf(kind).looksAt === at);
  if (found === undefined) throw new RangeError(`no surrogate has the trait looksAt: ${at}`);
  return found;
}

/** Loss rows of an update, split into an even number of episodes with at most five rows each. */
export interface Drawn {
  readonly rows: LossRows;
  readonly episodeCount: number;
}

/**
 * Random loss rows with ratios from e^−0.6 to e^0.6: below, inside and above the bounds. For DPO
 * all rows of a pair have equal weight.
 */
export function drawRows(count: number, kind: Surrogate, random: TestRandom): Drawn {
  const around = (center: number, width: number) => f32(center + (2 * random.unit() - 1) * width);
  const episodeCount = 2 * Math.ceil(count / 10);
  const episodes = Array.from({ length: count }, (_, i) => i % Math.max(1, episodeCount));
  const drawnAdvantages = random.floats(count);
  const drawnWeights = random.floats(count).map(Math.abs);
  const logps = episodes.map(() => around(-2, 1.9));
  const proximalLogps = logps.map((logp) => around(logp, 0.6));
  const values = Array.from(random.floats(count));
  return {
    episodeCount,
    rows: {
      episodes,
      logps,
      proximalLogps,
      behaviorLogps: proximalLogps.map((logp) => around(logp, 0.3)),
      referenceLogps: logps.map((logp) => around(logp, 0.8)),
      entropies: logps.map(() => around(1, 1)),
      advantages: episodes.map((episode, i) => {
        if (byPair(kind)) return episode % 2 === 0 ? 1 : -1;
        return i % 7 === 5 ? 0 : at(drawnAdvantages, i);
      }),
      weights: episodes.map((episode, i) =>
        at(drawnWeights, byPair(kind) ? Math.floor(episode / 2) : i),
      ),
      values,
      oldValues: values.map((value) => around(value, 0.3)),
      returns: Array.from(random.floats(count)),
    },
  };
}

export const bapo: BapoSettings = {
  reading: 'value_share',
  order: 'high_first',
  target: 0.6,
  lowMin: 0.625,
  lowMax: 0.875,
  highMin: 1.25,
  highMax: 1.75,
  lowStep: 0.03125,
  highStep: 0.0625,
};

export const base: ObjectiveSettings = {
  ...defaultObjective,
  clipLow: 0.8,
  clipHigh: 1.25,
  entropyCoef: 0.3,
  bapo,
  covariance: { fraction: 0.25, low: -0.5, high: 0.5, klCoef: 0.7, seed: 0xfeedbeef },
  dpoBeta: 0.4,
};

/** Sizes of an update. */
export const updateCases = [
  { updateRows: 1 },
  { updateRows: 7 },
  { updateRows: 70 },
  { updateRows: 600 },
];
