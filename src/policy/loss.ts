import type { ObjectiveSettings } from '../algorithms/objective.ts';
import { type Surrogate, surrogates, traitsOf } from '../algorithms/surrogates.ts';
import type { Recorder } from '../device/index.ts';
import { matmul } from '../kernels/matmul.ts';
import {
  bapoSearch,
  logitGradient,
  pickCovariance,
  preferenceCoefficients,
  sequenceRatios,
  sumStats,
  surrogate,
  tokenScores,
} from '../kernels/objective.ts';
import { forward } from './forward.ts';
import { VALUE_COLUMNS } from './layout.ts';
import { type BatchSizes, type Network, type ParameterTensors, parameter } from './network.ts';
import type { Objective } from './types.ts';

/** Loss rows of an update, and how many episodes they are of where that matters. */
interface UpdateSizes {
  readonly rows: number;
  readonly episodes: { readonly count: number } | null;
}

/** Surrogates that look at all loss rows of an update before any of them can pull. */
export const lookAtWholeUpdate: ReadonlySet<Surrogate> = new Set(
  surrogates.filter((surrogate) => traitsOf(surrogate).looksAt !== 'row'),
);

/** A micro-batch's logits, log-probabilities, entropies and values. */
export function scores(
  d: Recorder,
  net: Network,
  sizes: BatchSizes,
  first: number,
  { temperature }: Pick<Objective, 'temperature'>,
  weights: ParameterTensors = net.parameters,
): void {
  const work = net.work;
  forward(d, net, net.pass, sizes, false, weights);
  if (net.shape.valueHead) {
    matmul(
      d,
      { a: work.finalNorm, b: parameter(weights, 'value_head'), c: work.values },
      { rows: sizes.r, inner: net.shape.width, columns: VALUE_COLUMNS },
    );
  }
  const { logits, values, lossStarts: starts, lossTargets: targets, softmax, scores } = work;
  tokenScores(
    d,
    { logits, values, starts, targets, softmax, scores },
    { ...logitSizes(net, sizes), first },
    { temperature },
  );
}

/** What the surrogate needs to know of all loss rows of the update. */
export function wholeUpdate(
  d: Recorder,
  net: Network,
  { rows: updateRows, episodes }: UpdateSizes,
  objective: ObjectiveSettings,
): void {
  const { inputs, scores, found, bounds, episodeStarts, episodeRows } = net.work;
  const ofEpisodes = { inputs, scores, episodeStarts, episodeRows, found };
  const count = episodes?.count ?? 0;
  const { looksAt, picks } = traitsOf(objective.surrogate);
  switch (looksAt) {
    case 'bounds':
      bapoSearch(d, { inputs, scores, bounds }, { updateRows }, objective.bapo);
      break;
    case 'episode':
      sequenceRatios(d, ofEpisodes, { episodes: count, updateRows });
      break;
    case 'covariance': {
      const { clipLow, clipHigh, covariance } = objective;
      const settings = { draw: picks === 'drawn', clipLow, clipHigh, covariance };
      pickCovariance(d, { inputs, scores, found }, { updateRows }, settings);
      break;
    }
    case 'pair':
      preferenceCoefficients(
        d,
        ofEpisodes,
        { pairs: count / 2, updateRows },
        { beta: objective.dpoBeta },
      );
      break;
    case 'row':
      break;
    default:
      looksAt satisfies never;
  }
}

/** A micro-batch's loss, statistics, and ∂loss/∂logits and ∂loss/∂values. */
export function pulls(
  d: Recorder,
  net: Network,
  sizes: BatchSizes,
  first: number,
  objective: Objective,
): void {
  const { inputs, scores, found, bounds, stats, pulls, ...work } = net.work;
  const { lossRows } = sizes;
  surrogate(d, { inputs, scores, found, bounds, stats, pulls }, { first, lossRows }, objective);
  sumStats(d, { stats, totals: net.totals }, { lossRows });
  const { logits, softmax, lossStarts: starts, lossTargets: targets, dlogits, dvalues } = work;
  logitGradient(
    d,
    { logits, softmax, starts, targets, pulls, dlogits, dvalues },
    logitSizes(net, sizes),
    objective,
  );
}

function logitSizes(net: Network, { r, lossRows }: BatchSizes) {
  const { vocabulary } = net.shape;
  return { rows: r, lossRows, vocabulary, stride: net.padded };
}
