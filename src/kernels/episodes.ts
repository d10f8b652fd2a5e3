import shader from '../../shaders/episodes.wgsl';
import type { Dispatcher, Tensor } from '../device/index.ts';
import { expectLength, expectSize, groups } from './guards.ts';
import { inputColumns, numbered, scoreColumns } from './tables.ts';

const code = /* @__PURE__ */ numbered(shader, { INPUT: inputColumns, SCORE: scoreColumns });

/** Rows of episode e: episodeRows[episodeStarts[e]] .. episodeRows[episodeStarts[e+1] − 1]. */
interface EpisodeTensors {
  readonly inputs: Tensor;
  readonly scores: Tensor;
  readonly episodeStarts: Tensor;
  readonly episodeRows: Tensor;
  readonly found: Tensor;
}

function dispatchEpisodes(
  dispatcher: Dispatcher,
  entry: 'sequence_ratios' | 'preference',
  { inputs, scores, episodeStarts, episodeRows, found }: EpisodeTensors,
  { episodes, updateRows }: { readonly episodes: number; readonly updateRows: number },
  { count, beta }: { readonly count: number; readonly beta: number },
): void {
  const name = `episodes.${entry}`;
  expectSize(name, 'updateRows', updateRows);
  expectLength(name, 'inputs', inputs, [updateRows, inputColumns.length]);
  expectLength(name, 'scores', scores, [updateRows, scoreColumns.length]);
  expectLength(name, 'episodeStarts', episodeStarts, [episodes + 1]);
  expectLength(name, 'episodeRows', episodeRows, [updateRows]);
  expectLength(name, 'found', found, [updateRows, 2]);
  dispatcher.dispatch(
    { kernel: 'episodes', code, entry },
    { inputs, scores, episode_starts: episodeStarts, episode_rows: episodeRows, found },
    { count, beta },
    [groups(count, 64)],
  );
}

/**
 * GSPO's sequence ratios (arXiv:2507.18071). Writes found (updateRows, 2) = mean over the row's
 * episode of (log-probability − proximal log-probability), 0. Shapes: episodeStarts (episodes+1),
 * episodeRows (updateRows).
 */
export function sequenceRatios(
  dispatcher: Dispatcher,
  tensors: EpisodeTensors,
  { episodes, updateRows }: { readonly episodes: number; readonly updateRows: number },
): void {
  expectSize('episodes.sequence_ratios', 'episodes', episodes);
  const sizes = { episodes, updateRows };
  dispatchEpisodes(dispatcher, 'sequence_ratios', tensors, sizes, { count: episodes, beta: 0 });
}

/**
 * DPO's coefficients (arXiv:2305.18290). Writes found (updateRows, 2) = ±β·σ(−margin), the pair's
 * loss divided by its number of rows. Pair p is the chosen episode 2p and the rejected 2p+1.
 */
export function preferenceCoefficients(
  dispatcher: Dispatcher,
  tensors: EpisodeTensors,
  { pairs, updateRows }: { readonly pairs: number; readonly updateRows: number },
  { beta }: { readonly beta: number },
): void {
  expectSize('episodes.preference', 'pairs', pairs);
  const sizes = { episodes: 2 * pairs, updateRows };
  dispatchEpisodes(dispatcher, 'preference', tensors, sizes, { count: pairs, beta });
}
