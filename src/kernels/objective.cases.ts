/** The objective's part of the kernel registry: every entry point with every surrogate. */

import { bapoSearch as bapoSearchReference } from '../algorithms/bapo.ts';
import { batchwide } from '../algorithms/batchwide.ts';
import {
  type BapoSettings,
  bapoOrders,
  bapoReadings,
  defaultObjective,
  type LossRows,
  type ObjectiveSettings,
  surrogateRow,
} from '../algorithms/objective.ts';
import { type LooksAt, type Surrogate, surrogates, traitsOf } from '../algorithms/surrogates.ts';
import {
  bapoSearch,
  logitGradient,
  pickCovariance,
  preferenceCoefficients,
  sequenceRatios,
  sumStats,
  surrogate,
  tokenScores,
} from './objective.ts';
import { type Operation, operation, unset } from './operation.ts';
import {
  episodeLists,
  inputTable,
  type LogitInput,
  logitGradientReference,
  scoreTable,
  statRow,
  tokenScoresReference,
} from './reference/objective.ts';
import type { TestRandom } from './reference/random.ts';
import { add, at, dot, float64, type Values } from './reference/values.ts';
import { statColumns } from './tables.ts';

const f32 = Math.fround;

// most: loss rows that share a row of logits, at most; some rows of logits get none.
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

const byPair = (kind: Surrogate) => traitsOf(kind).looksAt === 'pair';

/** The first surrogate that looks at this. */
function looking(at: LooksAt): Surrogate {
  const found = surrogates.find((kind) => traitsOf(kind).looksAt === at);
  if (found === undefined) throw new RangeError(`no surrogate looks at ${at}`);
  return found;
}

/** An update's loss rows in as many episodes, an even number, as there are lists of about five. */
interface Drawn {
  readonly rows: LossRows;
  readonly episodeCount: number;
}

/**
 * Loss rows with ratios from e^−0.6 to e^0.6, so below, inside and above the bounds. DPO weighs all rows
 * of an episode alike.
 */
function drawRows(count: number, kind: Surrogate, random: TestRandom): Drawn {
  const around = (centre: number, width: number) => f32(centre + (2 * random.unit() - 1) * width);
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
      behaviourLogps: proximalLogps.map((logp) => around(logp, 0.3)),
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

const bapo: BapoSettings = {
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

const base: ObjectiveSettings = {
  ...defaultObjective,
  clipLow: 0.8,
  clipHigh: 1.25,
  entropyCoef: 0.3,
  bapo,
  covariance: { fraction: 0.25, low: -0.5, high: 0.5, klCoef: 0.7, seed: 0xfeedbeef },
  dpoBeta: 0.4,
};

/** What a surrogate is tried with, besides its defaults. */
const variants: readonly ObjectiveSettings[] = [
  base,
  {
    ...base,
    dualClip: 1.4,
    importanceCap: 1.1,
    kl: { estimator: 'k1', coef: 0.2 },
    value: { coef: 0.5, clip: 0.1 },
  },
  {
    ...base,
    kl: { estimator: 'k2', coef: 0.2 },
    value: { coef: 0.5, clip: Number.POSITIVE_INFINITY },
  },
  {
    ...base,
    sign: 1,
    kl: { estimator: 'k3', coef: 0.2 },
    value: { coef: 0.5, clip: 0.1 },
  },
  {
    ...base,
    sign: -1,
    kl: { estimator: 'k3', coef: 0.2 },
    value: { coef: 0.5, clip: 0.1 },
  },
];

/** The settings without the terms that a diagnosis by sign leaves out. */
function surrogateAlone(settings: ObjectiveSettings): ObjectiveSettings {
  return {
    ...settings,
    sign: 0,
    entropyCoef: 0,
    kl: { ...settings.kl, coef: 0 },
    value: { ...settings.value, coef: 0 },
    covariance: { ...settings.covariance, klCoef: 0 },
  };
}

/**
 * The loss of all rows as a function of log-probability, −entropy and value of the rows from `first`
 * on (·, 4), such that its gradient is what the surrogate pulls with: rows that a diagnosis leaves
 * out stay where they are, as do the weight of CISPO's ratio, the part of GSPO's that comes from the
 * other tokens of the episode, BAPO's bounds and the rows picked.
 */
function movableLoss(
  { rows }: Drawn,
  first: number,
  settings: ObjectiveSettings,
): (moved: Float64Array) => number {
  const counted = settings.sign === 0 ? settings : surrogateAlone(settings);
  const frozen = batchwide(rows, counted);
  return (table) => {
    const logps = Array.from(rows.logps, (logp, i) =>
      i < first || (settings.sign !== 0 && at(rows.advantages, i) * settings.sign <= 0)
        ? logp
        : at(table, 4 * (i - first)),
    );
    // CISPO's ratio and importance weight stay if all log-probabilities move together.
    const follow = (others: Values) =>
      settings.surrogate === 'cispo'
        ? Array.from(others, (logp, i) => logp + at(logps, i) - at(rows.logps, i))
        : others;
    const column = (before: Values, c: number, factor: number) =>
      Array.from(before, (value, i) =>
        i < first ? value : factor * at(table, 4 * (i - first) + c),
      );
    const moved: LossRows = {
      ...rows,
      logps,
      proximalLogps: follow(rows.proximalLogps),
      behaviourLogps: follow(rows.behaviourLogps),
      entropies: column(rows.entropies, 1, -1),
      values: column(rows.values, 2, 1),
    };
    // GSPO's token t has the ratio sg(s)·π/sg(π), so that its logarithm moves with log π alone.
    const ownRatio = ([logratio, rest]: readonly [number, number], i: number) =>
      [logratio + at(logps, i) - at(rows.logps, i), rest] as const;
    const found =
      settings.surrogate === 'dpo'
        ? batchwide(moved, counted)
        : settings.surrogate === 'gspo'
          ? { ...frozen, found: frozen.found.map(ownRatio) }
          : frozen;
    return dot(
      rows.weights,
      logps.map((_, i) => surrogateRow(moved, i, counted, found).loss),
    );
  };
}

const updateCases = [{ updateRows: 1 }, { updateRows: 7 }, { updateRows: 70 }, { updateRows: 600 }];

const episodesRefused = [{ updateRows: -1 }, { episodes: -2 }];
const pairsRefused = [{ updateRows: -1 }, { pairs: 0.25 }];

/** The objective's operations. */
export const objectiveOperations: readonly Operation[] = [
  operation({
    name: 'scores of tokens',
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
    name: 'gradient of logits',
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

  ...surrogates.map((kind) =>
    operation({
      name: `surrogate ${kind}`,
      entries: ['surrogate.surrogate'],
      cases: [
        // The smallest pair has two rows.
        { first: 0, lossRows: byPair(kind) ? 2 : 1, variant: 0 },
        ...variants.map((_, variant) => ({ first: 3, lossRows: 37, variant })),
        { first: 70, lossRows: 130, variant: 1 },
        { first: 0, lossRows: 0, variant: 0 },
      ],
      refused: [{ first: -1 }, { first: 0.5 }, { lossRows: -1 }],
      trial: ({ first, lossRows, variant }, random) => {
        const settings = { ...variantOf(variant), surrogate: kind };
        const drawn = drawRows(first + lossRows, kind, random);
        const { rows } = drawn;
        const found = batchwide(rows, settings);
        const scores = scoreTable(rows);
        const results = Array.from({ length: lossRows }, (_, i) =>
          surrogateRow(rows, first + i, settings, found),
        );
        const pulls = Float64Array.from(
          results.flatMap(({ pull, entropyWeight, dvalue }) => [pull, entropyWeight, dvalue, 0]),
        );
        const moved = float64(scores.subarray(4 * first));
        for (let i = 0; i < lossRows; i++) moved[4 * i + 1] = -at(moved, 4 * i + 1);
        const { looksAt } = traitsOf(kind);
        return {
          tensors: {
            inputs: inputTable(rows),
            scores,
            // What a surrogate does not use may be anything.
            found: ['episode', 'covariance', 'pair'].includes(looksAt)
              ? Float32Array.from(found.found.flat())
              : unset(2 * (first + lossRows)),
            bounds:
              looksAt === 'bounds'
                ? Float32Array.of(found.clipLow, found.clipHigh, found.rho, 0)
                : unset(4),
            stats: unset(lossRows * statColumns.length),
            pulls: unset(4 * lossRows),
          },
          expected: {
            stats: results.flatMap((row, i) => statRow(row, rows, first + i)),
            pulls,
          },
          gradients: [
            {
              of: 'log-probabilities, −entropies and values',
              values: moved,
              loss: movableLoss(drawn, first, settings),
              analytic: pulls,
              output: 'pulls',
            },
          ],
        };
      },
      call: (dispatcher, tensors, { first, lossRows, variant }) =>
        surrogate(
          dispatcher,
          tensors,
          { first, lossRows },
          { ...variantOf(variant), surrogate: kind },
        ),
    }),
  ),

  operation({
    name: 'sum of statistics',
    entries: ['statistics.sum'],
    cases: [
      { lossRows: 1 },
      { lossRows: 7 },
      { lossRows: 64 },
      { lossRows: 1000 },
      { lossRows: 0 },
    ],
    refused: [{ lossRows: -1 }, { lossRows: 1.5 }],
    trial: ({ lossRows }, random) => {
      const columns = statColumns.length;
      const nonFinite = statColumns.indexOf('nonFinite');
      const stats = random.floats(lossRows * columns);
      const totals = random.floats(columns);
      totals[nonFinite] = random.whole(3);
      for (let i = 0; i < lossRows; i++) stats[i * columns + nonFinite] = random.whole(4);
      const expected = float64(totals);
      stats.forEach((value, k) => {
        const column = k % columns;
        if (column !== nonFinite) add(expected, column, value);
        else expected[column] = Math.max(at(expected, column), value);
      });
      return { tensors: { stats, totals }, expected: { totals: expected } };
    },
    call: (dispatcher, tensors, { lossRows }) => sumStats(dispatcher, tensors, { lossRows }),
  }),

  ...bapoReadings.flatMap((reading) =>
    bapoOrders.map((order) =>
      operation({
        name: `bapo search by ${reading}, ${order}`,
        entries: ['bapo.search'],
        cases: [...updateCases, { updateRows: 0 }],
        refused: [{ updateRows: -1 }, { updateRows: 0.5 }],
        trial: ({ updateRows }, random) => {
          const { rows } = drawRows(updateRows, looking('bounds'), random);
          const result = bapoSearchReference(
            {
              ratios: rowRatios(rows),
              advantages: rows.advantages,
              behaviourLogps: rows.behaviourLogps,
            },
            bapoSettings({ reading, order }),
          );
          return {
            tensors: {
              inputs: inputTable(rows),
              scores: scoreTable(rows),
              bounds: unset(4),
            },
            expected: {
              bounds: [
                result.clipLow,
                result.clipHigh,
                Number.isNaN(result.rho) ? 0 : Math.min(result.rho, f32(3e38)),
                result.lowSteps + result.highSteps,
              ],
            },
          };
        },
        call: (dispatcher, tensors, { updateRows }) =>
          bapoSearch(dispatcher, tensors, { updateRows }, bapoSettings({ reading, order })),
      }),
    ),
  ),

  operation({
    name: 'ratios of sequences',
    entries: ['episodes.sequence_ratios'],
    cases: [...updateCases, { updateRows: 0 }],
    refused: episodesRefused,
    trial: ({ updateRows }, random) => {
      const { rows, episodeCount } = drawRows(updateRows, looking('episode'), random);
      const { found } = batchwide(rows, { ...base, surrogate: looking('episode') });
      return {
        derived: { episodes: episodeCount },
        tensors: {
          inputs: inputTable(rows),
          scores: scoreTable(rows),
          ...episodeLists(rows.episodes, episodeCount),
          found: unset(2 * updateRows),
        },
        expected: { found: found.flat() },
      };
    },
    call: (dispatcher, tensors, { episodes, updateRows }) =>
      sequenceRatios(dispatcher, tensors, { episodes, updateRows }),
  }),

  operation({
    name: 'coefficients of preferences',
    entries: ['episodes.preference'],
    cases: [{ updateRows: 2 }, ...updateCases.slice(1), { updateRows: 0 }],
    refused: pairsRefused,
    trial: ({ updateRows }, random) => {
      const { rows, episodeCount } = drawRows(updateRows, looking('pair'), random);
      const { found } = batchwide(rows, { ...base, surrogate: looking('pair') });
      return {
        derived: { pairs: episodeCount / 2 },
        tensors: {
          inputs: inputTable(rows),
          scores: scoreTable(rows),
          ...episodeLists(rows.episodes, episodeCount),
          found: unset(2 * updateRows),
        },
        expected: { found: found.flat() },
      };
    },
    call: (dispatcher, tensors, { pairs, updateRows }) =>
      preferenceCoefficients(dispatcher, tensors, { pairs, updateRows }, { beta: base.dpoBeta }),
  }),

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

function variantOf(variant: number): ObjectiveSettings {
  const settings = variants[variant];
  if (settings === undefined) throw new RangeError(`no variant ${variant}`);
  return settings;
}

/** The target lies where the search stops within its ranges at some sizes. */
function bapoSettings(search: Pick<BapoSettings, 'reading' | 'order'>): BapoSettings {
  return { ...bapo, ...search, target: search.reading === 'pn_ratio' ? 1.1 : bapo.target };
}

function rowRatios({ logps, proximalLogps }: LossRows): number[] {
  return Array.from(logps, (logp, i) => Math.exp(logp - at(proximalLogps, i)));
}
