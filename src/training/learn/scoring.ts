import type { TokenPolicy, Weights } from '../../policy/types.ts';
import type { WrittenEpisode } from './batch.ts';
import { microBatchLimits, packMicroBatches, unpackRows } from './batch.ts';

/** The policy's scores of an episode's tokens (T of them). */
interface EpisodeScores {
  /** (T) log-probability in nats. */
  readonly logps: readonly number[];
  /** (T) */
  readonly values: readonly number[];
}

/** Scores every token of some episodes without training. */
export async function scoreEpisodes(
  policy: TokenPolicy,
  episodes: readonly WrittenEpisode[],
  temperature: number,
  weights: Weights = 'present',
): Promise<EpisodeScores[]> {
  if (episodes.length === 0) return [];
  const unlearned = episodes.map((episode) => ({
    ...episode,
    advantages: new Array<number>(episode.targets.length).fill(0),
  }));
  const packed = packMicroBatches(
    unlearned,
    episodes.map(() => 0),
    microBatchLimits(policy),
  );
  const scores = await policy.score(packed.batches, temperature, weights);
  const column = (pick: (score: (typeof scores)[number]) => Float32Array) =>
    unpackRows(episodes, packed, scores.map(pick));
  const values = column((score) => score.values);
  return column((score) => score.logps).map((logps, i) => ({ logps, values: values[i] ?? [] }));
}
