import { batchwide } from '../algorithms/batchwide.ts';
import { type LossRows, type ObjectiveSettings, surrogateRow } from '../algorithms/objective.ts';
import { surrogates, traitsOf } from '../algorithms/surrogates.ts';
import { type Operation, operation, unset } from './operation.ts';
import { inputTable, scoreTable, statRow } from './reference/objective.ts';
import { base, byPair, type Drawn, drawRows } from './reference/objective-rows.ts';
import { at, dot, float64, type Values } from './reference/values.ts';
import { surrogate } from './surrogate.ts';
import { statColumns } from './tables.ts';

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

/** The settings without the terms that the per-sign diagnosis omits. */
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
 * The loss of all rows as a function of log-probability, −entropy and value of the rows from
 * `first` on (·, 4). Its gradient equals the surrogate's pulls, because it keeps the same
 * quantities constant: rows that the diagnosis omits, CISPO's ratio weight, the part of GSPO's
 * ratio due to the episode's other tokens, BAPO's bounds and the picked rows.
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
    // Moving all log-probabilities together keeps CISPO's ratio and importance weight constant.
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
      behaviorLogps: follow(rows.behaviorLogps),
      entropies: column(rows.entropies, 1, -1),
      values: column(rows.values, 2, 1),
    };
    // GSPO's token ratio is sg(s)·π/sg(π), so its logarithm changes only with the token's log π.
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

/** Test cases for every surrogate. */
export const surrogateOperations: readonly Operation[] = [
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
            // Tensors that the surrogate does not use stay unset.
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
];

function variantOf(variant: number): ObjectiveSettings {
  const settings = variants[variant];
  if (settings === undefined) throw new RangeError(`no variant ${variant}`);
  return settings;
}
