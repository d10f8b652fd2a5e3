/** Why the pictures of single updates look as they do, from the numbers of this run. */

import type { Config } from '../config/schema.ts';
import type { Diagnosis, IterationDetails, TokenSample, UpdateDetail } from '../runs/details.ts';
import { percent, significant, thousands } from './format.ts';
import { boundsOn, isHeld } from './quadrants.ts';
import type { IterationRow } from './store.ts';
import { type Evidence, recentMean, trend, WAITING } from './why.ts';

/** The updates of the newest iterations, those that were skipped left out. */
function recentUpdates(rows: readonly IterationRow[]): readonly UpdateDetail[] {
  return rows.slice(-5).flatMap(({ updates }) => updates.filter(({ skipped }) => !skipped));
}

const mean = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** The target that BAPO's search compares the positive share with; undefined where there is none. */
export function shareTarget({ algorithm, bapo }: Config): number | undefined {
  if (algorithm.objective !== 'bapo' || bapo.reading === 'pn_ratio') return undefined;
  return bapo.target;
}

export function whyBounds({ rows, config }: Evidence): string {
  const updates = recentUpdates(rows);
  if (updates.length === 0) return WAITING;
  const low = mean(updates.map(({ clipLow }) => clipLow));
  const high = mean(updates.map(({ clipHigh }) => clipHigh));
  if (config.algorithm.objective !== 'bapo') {
    return boundsOn(config.algorithm.objective) === 'nothing'
      ? 'KL-Cov clips nothing: it charges the tokens that would cost the most entropy instead.'
      : `Fixed: every update has the same bounds, ${significant(low)} and ${significant(high)}. BAPO would move them.`;
  }
  const { low_min, low_max, high_min, high_max, low_step, high_step } = config.bapo;
  const still = updates.filter(
    ({ clipLow, clipHigh }) =>
      clipLow < low_min + low_step / 2 && clipHigh < high_min + high_step / 2,
  ).length;
  const spent = updates.filter(
    ({ clipLow, clipHigh }) => clipLow > low_max - low_step && clipHigh > high_max - high_step,
  ).length;
  const from = `Every update starts again at ${significant(low_min)} and ${significant(high_min)}`;
  if (still === updates.length) {
    return `${from}, and lately none had to move them: good tokens already weigh enough.`;
  }
  if (spent > updates.length / 2) {
    return `${from} and widens until good tokens weigh enough. In ${percent(spent / updates.length)} of the last updates both ranges were used up: they still weighed too little.`;
  }
  return `${from} and widens until good tokens weigh enough; lately it ended at ${significant(low)} and ${significant(high)} on average${still === 0 ? '' : `, and in ${percent(still / updates.length)} of the updates it did not have to`}.`;
}

export function whyShare({ rows, config }: Evidence): string {
  const share = recentMean(rows, 'policy/positive_share');
  if (share === undefined) {
    return rows.length === 0
      ? WAITING
      : 'No token had an advantage, so neither side weighs anything.';
  }
  const target = shareTarget(config);
  if (target !== undefined) {
    const shares = recentUpdates(rows)
      .map(({ positiveShare }) => positiveShare)
      .filter(Number.isFinite);
    const short = shares.filter((value) => value < target - 1e-6).length / shares.length;
    const where = share < target ? 'Below' : 'At or above';
    return short > 0
      ? `${where} the target of ${percent(target)} on average. In ${percent(short)} of the last updates even the widest bounds did not reach it.`
      : `${where} the target of ${percent(target)}: where a batch fell short, the search widened the bounds until it did not.`;
  }
  const moved = trend(rows, 'policy/positive_share');
  if (moved?.clear && moved.change < -0.02) {
    return 'It falls: what failed weighs more and more against what worked, so updates mostly take words away.';
  }
  if (share < 0.45) {
    return `Failures weigh more: ${percent(1 - share)} of the surrogate pushes words down. Too much of that makes training unstable.`;
  }
  if (share > 0.55) {
    return `Successes weigh more: ${percent(share)} of the surrogate pulls words up, which makes the policy certain.`;
  }
  return 'What worked and what failed weigh about the same.';
}

/** The entropy-clip rule fitted to a run. */
export interface RuleFit {
  /** η in ΔH ≈ η · rule, by least squares through the origin; NaN where the rule says 0 throughout. */
  readonly step: number;
  /** Pearson's correlation of measured and foretold changes; NaN where one of them never varies. */
  readonly correlation: number;
  readonly updates: number;
  /** Diagnosed updates in which the rule foretold the direction. */
  readonly sameSign: number;
}

/** Fits the step size of BAPO's entropy-clip rule (arXiv:2510.18927, Eq. 6) to all diagnoses so far. */
export function fitEntropyRule(rows: readonly IterationRow[]): RuleFit {
  const pairs = rows.flatMap(({ metrics }) => {
    const measured = metrics['diagnostics/entropy_change'];
    const rule = metrics['diagnostics/entropy_rule'];
    return measured !== undefined &&
      rule !== undefined &&
      Number.isFinite(measured) &&
      Number.isFinite(rule)
      ? [{ measured, rule }]
      : [];
  });
  const sum = (of: (pair: { measured: number; rule: number }) => number) =>
    pairs.reduce((total, pair) => total + of(pair), 0);
  const measuredMean = sum(({ measured }) => measured) / pairs.length;
  const ruleMean = sum(({ rule }) => rule) / pairs.length;
  const covariance = sum(({ measured, rule }) => (measured - measuredMean) * (rule - ruleMean));
  const spread =
    sum(({ measured }) => (measured - measuredMean) ** 2) *
    sum(({ rule }) => (rule - ruleMean) ** 2);
  return {
    step: sum(({ measured, rule }) => measured * rule) / sum(({ rule }) => rule ** 2),
    correlation: spread === 0 ? Number.NaN : covariance / Math.sqrt(spread),
    updates: pairs.length,
    sameSign: pairs.filter(({ measured, rule }) => measured * rule > 0).length,
  };
}

/** When the first diagnosis comes, or why none does. */
export function waitingForDiagnosis({ diagnostics }: Config): string {
  return diagnostics.interval === 0
    ? 'Diagnoses are off. Set “Diagnose every” in the settings to have updates looked at.'
    : `Appears after iteration ${diagnostics.interval}: every ${ordinal(diagnostics.interval)} iteration one update is looked at closely.`;
}

function ordinal(n: number): string {
  const last = n % 10;
  const teen = n % 100 >= 11 && n % 100 <= 13;
  return `${n}${teen || last === 0 || last > 3 ? 'th' : last === 1 ? 'st' : last === 2 ? 'nd' : 'rd'}`;
}

export function whyEntropyChange({ config }: Evidence, fit: RuleFit): string {
  const { updates, correlation, step, sameSign } = fit;
  if (updates === 0) return waitingForDiagnosis(config);
  if (updates < 3 || Number.isNaN(correlation)) {
    return `The rule’s step size is fitted to all diagnoses; after ${updates} it means little yet.`;
  }
  const agreement =
    correlation > 0.8
      ? 'The rule foretells the change well'
      : correlation > 0.4
        ? 'The rule foretells the change roughly'
        : 'The rule hardly foretells the change, which the entropy bonus, the optimiser’s momentum or shared weights can outweigh';
  return `${agreement}: correlation ${correlation.toFixed(2).replace('-', '−')} over ${updates} updates, the same direction in ${sameSign}. Fitted step size η = ${significant(step)}.${whatCounts(config)}`;
}

/** How the rule counts a token under an objective that does more than clip tokens. */
function whatCounts({ algorithm }: Config): string {
  switch (algorithm.objective) {
    case 'ppo_clip':
    case 'bapo':
      return '';
    case 'gspo':
      return ' A token counts by the ratio of its episode, and not where that is clipped.';
    case 'cispo':
      return ' Every token counts, by its clipped weight.';
    case 'clip_cov':
      return ' Tokens that Clip-Cov picked do not count.';
    case 'kl_cov':
      return ' Tokens that KL-Cov picked count with their penalty.';
    default:
      return algorithm.objective satisfies never;
  }
}

export function whyGradientSides({ rows, config }: Evidence): string {
  const positive = recentMean(rows, 'diagnostics/grad_norm_positive');
  const negative = recentMean(rows, 'diagnostics/grad_norm_negative');
  if (positive === undefined || negative === undefined) return waitingForDiagnosis(config);
  if (positive === 0 && negative === 0) return 'Neither side pulls: every advantage is zero.';
  const times = (ratio: number) => `${significant(ratio)} times`;
  if (negative > 1.25 * positive) {
    return `${positive === 0 ? 'Only tokens that did worse than expected pull' : `Tokens that did worse than expected pull ${times(negative / positive)} as hard as those that did better`}: the update mostly unlearns.`;
  }
  if (positive > 1.25 * negative) {
    return `${negative === 0 ? 'Only tokens that did better than expected pull' : `Tokens that did better than expected pull ${times(positive / negative)} as hard as those that did worse`}: the update mostly reinforces.`;
  }
  return 'Both sides pull about equally hard; where they disagree, they cancel.';
}

/** One bar of the staleness histogram. */
export interface AgeBin {
  /** `0`, `1`, `2`, `3–4`, `5–8` … */
  readonly name: string;
  readonly tokens: number;
}

/** Ages in bins that double: 0, 1, 2, 3–4, 5–8 and so on, up to the oldest token. */
export function ageBins(staleness: IterationDetails['staleness']): readonly AgeBin[] {
  const bins: { from: number; to: number; tokens: number }[] = [];
  const oldest = staleness.reduce((most, [versions]) => Math.max(most, versions), -1);
  for (let from = 0, to = 0; from <= oldest; ) {
    bins.push({ from, to, tokens: 0 });
    from = to + 1;
    to = to < 2 ? to + 1 : 2 * to;
  }
  for (const [versions, tokens] of staleness) {
    const bin = bins.find(({ from, to }) => versions >= from && versions <= to);
    if (bin !== undefined) bin.tokens += tokens;
  }
  return bins.map(({ from, to, tokens }) => ({
    name: from === to ? String(from) : `${from}–${to}`,
    tokens,
  }));
}

export function whyStaleness(
  { config }: Pick<Evidence, 'config'>,
  staleness: IterationDetails['staleness'],
): string {
  const oldest = staleness.at(-1)?.[0];
  if (oldest === undefined) return WAITING;
  const updates = config.algorithm.epochs * config.algorithm.mini_batches;
  const { replay, rollout } = config;
  if (oldest === 0)
    return 'Every token is learned from by the policy that wrote it: fully on-policy.';
  const sources = [
    ...(updates > 1 ? [`the ${updates} updates of an iteration`] : []),
    ...(replay.share > 0 ? ['replayed episodes'] : []),
    ...(rollout.partial_turns > 0 || rollout.partial_tokens > 0
      ? ['episodes that were paused']
      : []),
  ];
  const total = staleness.reduce((sum, [, tokens]) => sum + tokens, 0);
  const sum = staleness.reduce((all, [versions, tokens]) => all + versions * tokens, 0);
  const cause = sources.length === 0 ? '' : `, from ${sources.join(' and ')}`;
  return `On average ${significant(sum / total)} versions old, the oldest ${thousands(oldest)}${cause}. Older tokens have ratios farther from 1, where the bounds decide.`;
}

export function whyValue({ rows }: Evidence): string {
  const explained = recentMean(rows, 'value/explained_variance');
  if (explained === undefined) return WAITING;
  if (explained < 0)
    return 'Below zero: the value head is worse than a constant, and its advantages mislead.';
  if (explained < 0.3)
    return 'Low: the value head knows little yet, so advantages are mostly the returns themselves.';
  if (explained > 0.8)
    return 'High: the value head foresees most returns, so advantages are what came as a surprise.';
  return `The value head foresees ${percent(explained)} of what sets returns apart.`;
}

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
export function whyQuadrants(diagnosis: Diagnosis, config: Config): string {
  const { samples, clipLow, clipHigh } = diagnosis;
  const signed = samples.filter(({ advantage }) => advantage !== 0);
  if (signed.length === 0) {
    return 'Every advantage is zero: all episodes of a group ended alike, and nothing pulls.';
  }
  const { objective } = config.algorithm;
  switch (boundsOn(objective)) {
    case 'nothing':
      return 'KL-Cov clips nothing: it charges the few tokens whose log-probability and advantage vary together the most.';
    case 'weights':
      return 'CISPO takes the gradient from no token: beyond a bound it only stops growing with the ratio.';
    case 'episodes':
      return whyEpisodes(signed, diagnosis);
    case 'tokens':
      break;
  }
  const widened = widenedText(signed, diagnosis, config);
  const clipped = signed.filter((sample) => isHeld(sample, diagnosis, config.algorithm));
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

function whyEpisodes(signed: readonly TokenSample[], { clipLow, clipHigh }: Diagnosis): string {
  const rule = `GSPO clips whole episodes by the mean of their log ratios: between ${significant(clipLow)} and ${significant(clipHigh)} an episode pulls.`;
  // Records of earlier releases hold the tokens' own ratios.
  if (signed.some(({ held }) => held === undefined))
    return `${rule} A single token may lie outside.`;
  const held = signed.filter((sample) => sample.held === true).length;
  return `${rule} Each dot stands at the ratio of its episode; ${held === 0 ? 'none of them is held back' : `${percent(held / signed.length)} of them are of episodes that are held back`}.`;
}

function widenedText(
  signed: readonly TokenSample[],
  { clipHigh }: Diagnosis,
  { algorithm, bapo }: Config,
): string {
  if (algorithm.objective !== 'bapo' || clipHigh < bapo.high_min + bapo.high_step / 2) return '';
  const good = signed.filter(({ advantage }) => advantage > 0);
  const kept = good.filter(({ ratio }) => ratio > bapo.high_min && ratio <= clipHigh).length;
  if (kept === 0) return '';
  return `Widening the upper bound from ${significant(bapo.high_min)} to ${significant(clipHigh)} kept the gradient of ${percent(kept / good.length)} of the good tokens. `;
}
