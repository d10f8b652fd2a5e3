/** Explains the scatter plot of an update's tokens. */

import { traitsOf } from '../algorithms/surrogates.ts';
import type { Diagnosis, TokenSample } from '../runs/details.ts';
import { percent, significant } from '../runs/numbers.ts';
import { isHeld } from './bounds.ts';
import type { Facts } from './evidence.ts';

const mean = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** Mean log-probability, each token weighted by the size of its advantage. */
function weightedLogp(samples: readonly TokenSample[]): number {
  const weight = samples.reduce((sum, { advantage }) => sum + Math.abs(advantage), 0);
  return samples.reduce((sum, { logp, advantage }) => sum + Math.abs(advantage) * logp, 0) / weight;
}

/** Smaller differences of mean log-probability are ignored, in nats. */
const NOTICEABLE = 0.1;

/**
 * Which tokens lose their gradient to the clip in this update, and how that affects entropy. By the
 * entropy-clip rule, a token lowers entropy by (log π − mean log π)·A: good tokens that are less
 * probable than the mean, and bad tokens that are more probable, would have raised it.
 */
export function whyQuadrants(diagnosis: Diagnosis, facts: Facts): string {
  const { samples, clipLow, clipHigh } = diagnosis;
  const signed = samples.filter(({ advantage }) => advantage !== 0);
  if (signed.length === 0) {
    return 'Every advantage is zero: all episodes of each group have the same reward, so there is no gradient.';
  }
  const { algorithm = {} } = facts;
  const traits = algorithm.objective === undefined ? undefined : traitsOf(algorithm.objective);
  switch (traits?.bounds) {
    case 'nothing':
      return `${traits.label} clips nothing: ${traits.inPlaceOfBounds}.`;
    case 'weights':
      return `${traits.label} keeps the gradient of every token; beyond a bound it only stops growing with the ratio.`;
    case 'episodes':
      return whyEpisodes(signed, diagnosis, traits.label);
    case 'tokens':
    case undefined:
      break;
  }
  const widened = widenedText(signed, diagnosis, facts);
  const clipped = signed.filter((sample) => isHeld(sample, diagnosis, algorithm));
  if (clipped.length === 0) {
    return `${widened}No token is beyond its bound: each has its full gradient.`;
  }
  // The dual clip and the choice by covariance remove gradients on the other side of the bounds.
  const beyond = clipped.filter(({ advantage, ratio }) =>
    advantage > 0 ? ratio > clipHigh : ratio < clipLow,
  );
  const share = percent((clipped.length - beyond.length) / signed.length);
  const others =
    clipped.length === beyond.length
      ? ''
      : traits?.looksAt === 'covariance'
        ? `${share} of all tokens lose their gradient because of their covariance.`
        : `${share} of all tokens lose their gradient to the dual clip.`;
  if (beyond.length === 0) return `${widened}No token is beyond its bound. ${others}`;
  const good = beyond.filter(({ advantage }) => advantage > 0);
  const side = good.length >= beyond.length - good.length ? 'good' : 'bad';
  const mine = side === 'good' ? good : beyond.filter(({ advantage }) => advantage < 0);
  const all = signed.filter(({ advantage }) => advantage > 0 === (side === 'good'));
  const [what, where] =
    side === 'good'
      ? ['better than expected', `a ratio above ${significant(clipHigh)}`]
      : ['worse than expected', `a ratio below ${significant(clipLow)}`];
  const average = mean(samples.map(({ logp }) => logp));
  const theirs = weightedLogp(mine);
  const odds = `${percent(Math.exp(theirs))} and ${percent(Math.exp(average))}`;
  const improbable = theirs < average;
  const effect =
    Math.abs(theirs - average) < NOTICEABLE
      ? 'They are about as probable as the average token, so clipping them hardly changes entropy'
      : `They are ${improbable ? 'less' : 'more'} probable than the average token (${odds}). Without the clip they would ${
          improbable === (side === 'good')
            ? 'raise entropy, so clipping them lowers it'
            : 'lower entropy, so clipping them keeps it from falling'
        }`;
  return `${widened}Of the tokens that did ${what}, ${percent(mine.length / all.length)} have ${where} and lose their gradient. ${effect}. ${others}`.trim();
}

function whyEpisodes(
  signed: readonly TokenSample[],
  { clipLow, clipHigh }: Diagnosis,
  label: string,
): string {
  const rule = `${label} clips whole episodes by their ratio, the exponential of the mean log-ratio of their tokens: only episodes with a ratio between ${significant(clipLow)} and ${significant(clipHigh)} have a gradient.`;
  // Records of earlier releases contain the tokens' own ratios.
  if (signed.some(({ held }) => held === undefined))
    return `${rule} A single token may lie outside.`;
  const held = signed.filter((sample) => sample.held === true).length;
  return `${rule} Each dot is at the ratio of its episode; ${held === 0 ? 'none of them is clipped' : `${percent(held / signed.length)} of them belong to clipped episodes`}.`;
}

function widenedText(
  signed: readonly TokenSample[],
  { clipHigh }: Diagnosis,
  { algorithm, bapo }: Facts,
): string {
  const { high_min: from, high_step: step } = bapo ?? {};
  const objective = algorithm?.objective;
  if (objective === undefined || traitsOf(objective).looksAt !== 'bounds') return '';
  if (from === undefined || step === undefined) return '';
  if (clipHigh < from + step / 2) return '';
  const good = signed.filter(({ advantage }) => advantage > 0);
  const kept = good.filter(({ ratio }) => ratio > from && ratio <= clipHigh).length;
  if (kept === 0) return '';
  return `Widening the upper bound from ${significant(from)} to ${significant(clipHigh)} kept the gradient of ${percent(kept / good.length)} of the tokens that did better than expected. `;
}
