import type { ObjectiveSettings } from '../algorithms/objective.ts';
import { type Surrogate, surrogates, traitsOf } from '../algorithms/surrogates.ts';
import type { Recorder } from '../device/index.ts';
import { matmul } from '../kernels/matmul.ts';
import {
  bapoSearch,
  pickCovariance,
  preferenceCoefficients,
  sequenceRatios,
  sumStats,
  surrogate,
  tokenScores,
} from '../kernels/objective.ts';
import { hiddenStates, logitChunks, logitsOf } from './forward.ts';
import { VALUE_COLUMNS } from './layout.ts';
import { type BatchSizes, type Network, type ParameterTensors, parameter } from './network.ts';
import type { Objective } from './types.ts';

/** Number of loss rows in an update, and number of episodes if the objective needs it. */
interface UpdateSizes {
  readonly rows: number;
  readonly episodes: { readonly count: number } | null;
}

/** Surrogates that need statistics of the whole update before any row's gradient is known. */
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
  hiddenStates(d, net, net.pass, sizes, false, weights);
  const chunks = logitChunks(net, sizes.r);
  // Chunks share one logits buffer, so each is scored before the next is computed.
  for (const chunk of chunks) {
    logitsOf(d, net, chunk, weights);
    if (chunk.from === 0) values(d, net, sizes, weights);
    const { rows, slice } = chunk;
    const { vocabulary } = net.shape;
    tokenScores(
      d,
      {
        logits: work.logits,
        values: slice(work.values, VALUE_COLUMNS),
        starts: slice(work.lossStarts, 1),
        targets: work.lossTargets,
        softmax: slice(work.softmax, 2),
        scores: work.scores,
      },
      { rows, lossRows: sizes.lossRows, vocabulary, stride: net.padded, first },
      { temperature },
    );
  }
}

/** Value estimates of all rows of logits; zeros without a value head. */
function values(d: Recorder, net: Network, sizes: BatchSizes, weights: ParameterTensors): void {
  const { work } = net;
  if (net.shape.valueHead) {
    matmul(
      d,
      { a: work.finalNorm, b: parameter(weights, 'value_head'), c: work.values },
      { rows: sizes.r, inner: net.shape.width, columns: VALUE_COLUMNS },
    );
  }
}

/** Computes what the surrogate needs from all loss rows of the update, if anything. */
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

/** A micro-batch's loss statistics, and the derivatives of the loss for each loss row (pulls). */
export function pulls(
  d: Recorder,
  net: Network,
  sizes: BatchSizes,
  first: number,
  objective: Objective,
): void {
  const { inputs, scores, found, bounds, stats, pulls } = net.work;
  const { lossRows } = sizes;
  surrogate(d, { inputs, scores, found, bounds, stats, pulls }, { first, lossRows }, objective);
  sumStats(d, { stats, totals: net.totals }, { lossRows });
}
