import { philox4x32 } from './philox.ts';
import { at, type Values } from './values.ts';

export interface SampleDraw {
  /** 0 selects the most probable token; ties go to the lowest id. */
  readonly temperature: number;
  readonly seed: number;
  readonly iteration: number;
  readonly episode: number;
  /** Number of tokens that the agent generated earlier in this episode. */
  readonly position: number;
}

export interface SampleResult {
  readonly token: number;
  /** log π(token), nats; at temperature 1 when greedy. */
  readonly logp: number;
  /** Entropy of π, nats. */
  readonly entropy: number;
  /**
   * Distance of the random threshold from the nearest boundary between two tokens' intervals, as a
   * probability (greedy: Infinity). If it is below the error of a float32 sum, a GPU may validly
   * choose the neighboring token.
   */
  readonly margin: number;
}

/**
 * Samples a token from logits (vocabulary) by inversion: the first token whose cumulative
 * probability exceeds a threshold of 24 random bits, drawn by Philox at (position, episode,
 * iteration) with the seed as key.
 */
export function sampleReference(logits: Values, draw: SampleDraw): SampleResult {
  const greedy = draw.temperature === 0;
  const scaled = Array.from(logits, (z) => z / (greedy ? 1 : draw.temperature));
  const highest = Math.max(...scaled);
  const logTotal = Math.log(scaled.reduce((sum, z) => sum + Math.exp(z - highest), 0));
  const logProbs = scaled.map((z) => z - highest - logTotal);
  const entropy = -logProbs.reduce((sum, l) => sum + Math.exp(l) * l, 0);

  let token = scaled.indexOf(highest);
  let margin = Number.POSITIVE_INFINITY;
  if (!greedy) {
    const { position, episode, iteration, seed } = draw;
    const [word] = philox4x32([position, episode, iteration, 0], [seed, 0]);
    const threshold = Math.floor(word / 256) / 2 ** 24;
    let below = 0;
    let chosen: number | undefined;
    logProbs.forEach((logProb, v) => {
      below += Math.exp(logProb);
      // The last edge is 1; every threshold is below 1.
      if (v < logProbs.length - 1) margin = Math.min(margin, Math.abs(below - threshold));
      if (chosen === undefined && below > threshold) chosen = v;
    });
    token = chosen ?? token;
  }
  return { token, logp: at(logProbs, token), entropy, margin };
}
