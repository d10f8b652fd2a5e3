/** Why the picture of an update's tokens looks as it does. */

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

/** Differences of mean log-probability below this say nothing, in nats. */
const NOTICEABLE = 0.1;

/**
 * Which tokens the clip takes the gradient from in this update, and what that does to entropy. By the
 * entropy-clip rule a token pushes entropy down by (log π − mean log π)·A: good tokens that are less
 * probable than the mean, and bad ones that are more probable, would have raised it.
 */
export function whyQuadrants(diagnosis: Diagnosis, facts: Facts): string {
  const { samples, clipLow, clipHigh } = diagnosis;
  const signed = samples.filter(({ advantage }) => advantage !== 0);
  if (signed.length === 0) {
    return 'Every advantage is zero: all episodes of a group ended alike, and nothing pulls.';
  }
  const { algorithm = {} } = facts;
  const traits = algorithm.objective === undefined ? undefined : traitsOf(algorithm.objective);
  switch (traits?.bounds) {
    case 'nothing':
      return `${traits.label} clips nothing: ${traits.inPlaceOfBounds}.`;
    case 'weights':
      return `${traits.label} takes the gradient from no token: beyond a bound it only stops growing with the ratio.`;
    case 'episodes':
      return whyEpisodes(signed, diagnosis, traits.label);
    case 'tokens':
    case undefined:
      break;
  }
  const widened = widenedText(signed, diagnosis, facts);
  const clipped = signed.filter((sample) => isHeld(sample, diagnosis, algorithm));
  if (clipped.length === 0) {
    return `${widened}No token is beyond its bound: each pulls with its full gradient.`;
  }
  const good = clipped.filter(({ advantage }) => advantage > 0);
  const side = good.length >= clipped.length - good.length ? 'good' : 'bad';
  const mine = side === 'good' ? good : clipped.filter(({ advantage }) => advantage < 0);
  const all = signed.filter(({ advantage }) => advantage > 0 === (side === 'good'));
  const [what, where] =
    side === 'good'
      ? ['better than expected', `risen past ${significant(clipHigh)}`]
      : ['worse than expected', `fallen below ${significant(clipLow)}`];
  const average = mean(samples.map(({ logp }) => logp));
  const theirs = weightedLogp(mine);
  const odds = `${percent(Math.exp(theirs))} against ${percent(Math.exp(average))}`;
  const improbable = theirs < average;
  const effect =
    Math.abs(theirs - average) < NOTICEABLE
      ? 'They are about as probable as any, so entropy hardly notices'
      : `They are ${improbable ? 'less' : 'more'} probable than the average token (${odds}). Left alone they would have ${
          improbable === (side === 'good')
            ? 'spread the policy out, so clipping them lowers entropy'
            : 'sharpened the policy, so clipping them keeps entropy up'
        }`;
  return `${widened}Of the tokens that did ${what}, ${percent(mine.length / all.length)} have ${where} and lose their gradient. ${effect}.`;
}

function whyEpisodes(
  signed: readonly TokenSample[],
  { clipLow, clipHigh }: Diagnosis,
  label: string,
): string {
  const rule = `${label} clips whole episodes by the mean of their log ratios: between ${significant(clipLow)} and ${significant(clipHigh)} an episode pulls.`;
  // Records of earlier releases hold the tokens' own ratios.
  if (signed.some(({ held }) => held === undefined))
    return `${rule} A single token may lie outside.`;
  const held = signed.filter((sample) => sample.held === true).length;
  return `${rule} Each dot stands at the ratio of its episode; ${held === 0 ? 'none of them is held back' : `${percent(held / signed.length)} of them are of episodes that are held back`}.`;
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
  return `Widening the upper bound from ${significant(from)} to ${significant(clipHigh)} kept the gradient of ${percent(kept / good.length)} of the good tokens. `;
}
