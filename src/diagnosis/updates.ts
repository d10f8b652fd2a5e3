/** Explains the numbers of single updates. */

import { traitsOf } from '../algorithms/surrogates.ts';
import type { IterationDetails, UpdateDetail } from '../runs/details.ts';
import { percent, significant, thousands } from '../runs/numbers.ts';
import { fitEntropyRule } from '../runs/rule-fit.ts';
import { shareTarget } from './bounds.ts';
import { diagnosedFirst } from './diagnose.ts';
import { type EvidenceRow, type Facts, type Rule, updatesOf } from './evidence.ts';
import { recentMean, trend } from './trend.ts';

/** The updates of the newest iterations, without skipped ones. */
function recentUpdates(rows: readonly EvidenceRow[]): readonly UpdateDetail[] {
  return rows
    .slice(-5)
    .flatMap(({ details }) => (details?.updates ?? []).filter(({ skipped }) => !skipped));
}

const mean = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

export const whyBounds: Rule = ({ rows, facts }) => {
  const updates = recentUpdates(rows);
  if (updates.length === 0) return null;
  const low = mean(updates.map(({ clipLow }) => clipLow));
  const high = mean(updates.map(({ clipHigh }) => clipHigh));
  const objective = facts.algorithm?.objective;
  if (objective === undefined) {
    return `The bounds average ${significant(low)} and ${significant(high)} in the last updates.`;
  }
  const { label, bounds, looksAt, inPlaceOfBounds } = traitsOf(objective);
  if (looksAt !== 'bounds') {
    // The settings may have changed within the last iterations.
    const newest = updates.at(-1);
    return bounds === 'nothing'
      ? `${label} clips nothing: ${inPlaceOfBounds}.`
      : `Fixed: every update has the same bounds, ${significant(newest?.clipLow)} and ${significant(newest?.clipHigh)}. BAPO would move them.`;
  }
  const { low_min, low_max, high_min, high_max, low_step, high_step } = facts.bapo ?? {};
  if (
    low_min === undefined ||
    low_max === undefined ||
    low_step === undefined ||
    high_min === undefined ||
    high_max === undefined ||
    high_step === undefined
  ) {
    return `Every update moves them until the positive side has its target share; the last updates ended at ${significant(low)} and ${significant(high)} on average.`;
  }
  const still = updates.filter(
    ({ clipLow, clipHigh }) =>
      clipLow < low_min + low_step / 2 && clipHigh < high_min + high_step / 2,
  ).length;
  const spent = updates.filter(
    ({ clipLow, clipHigh }) => clipLow > low_max - low_step && clipHigh > high_max - high_step,
  ).length;
  const from = `Every update starts with the bounds ${significant(low_min)} and ${significant(high_min)}`;
  if (still === updates.length) {
    return `${from}. The last updates did not have to move them: the positive side already has its target share.`;
  }
  if (spent > updates.length / 2) {
    return `${from} and moves them until the positive side has its target share. In ${percent(spent / updates.length)} of the last updates both bounds reached their limits and the share was still too small.`;
  }
  return `${from} and moves them until the positive side has its target share. The last updates ended at ${significant(low)} and ${significant(high)} on average${still === 0 ? '' : `; ${percent(still / updates.length)} of them did not have to move the bounds`}.`;
};

export const whyShare: Rule = diagnosedFirst('policy/positive_share', ({ rows, facts }) => {
  const share = recentMean(rows, 'policy/positive_share');
  if (share === undefined) {
    return rows.length === 0 ? null : 'Every advantage is zero, so the share cannot be computed.';
  }
  const target = shareTarget(facts);
  if (target !== undefined) {
    const shares = recentUpdates(rows)
      .map(({ positiveShare }) => positiveShare)
      .filter(Number.isFinite);
    const short = shares.filter((value) => value < target - 1e-6).length / shares.length;
    const where = share < target ? 'Below' : 'At or above';
    return short > 0
      ? `${where} the target of ${percent(target)} on average. In ${percent(short)} of the last updates even bounds at their limits did not reach it.`
      : `${where} the target of ${percent(target)}: where a batch fell short, the search moved the bounds until it reached the target.`;
  }
  const moved = trend(rows, 'policy/positive_share');
  if (moved?.clear && moved.change < -0.02) {
    return 'It falls: failures outweigh successes more and more, so updates mostly make tokens less likely.';
  }
  if (share < 0.45) {
    return `Failures weigh more: ${percent(1 - share)} of the surrogate makes tokens less likely. Too much of that makes training unstable.`;
  }
  if (share > 0.55) {
    return `Successes weigh more: ${percent(share)} of the surrogate makes tokens more likely, which makes the policy more certain.`;
  }
  return 'Successes and failures weigh about the same.';
});

export const whyEntropyChange: Rule = ({ rows, facts }) => {
  const { updates, correlation, step, sameSign } = fitEntropyRule(rows);
  if (updates === 0) return null;
  if (updates < 3 || Number.isNaN(correlation)) {
    return 'The rule’s step size cannot be fitted yet: it needs more diagnosed updates.';
  }
  const objective = facts.algorithm?.objective;
  const counts = objective === undefined ? '' : traitsOf(objective).counts;
  const agreement =
    correlation > 0.8
      ? 'The rule predicts the change well'
      : correlation > 0.4
        ? 'The rule predicts the change roughly'
        : 'The rule hardly predicts the change, since the entropy bonus, the optimizer’s momentum or shared weights can dominate it';
  return `${agreement}: correlation ${correlation.toFixed(2).replace('-', '−')} over ${updates} updates, the same direction in ${sameSign}. Fitted step size η = ${significant(step)}.${counts === '' ? '' : ` ${counts}`}`;
};

export const whyGradientSides: Rule = ({ rows }) => {
  const positive = recentMean(rows, 'diagnostics/grad_norm_positive');
  const negative = recentMean(rows, 'diagnostics/grad_norm_negative');
  if (positive === undefined || negative === undefined) return null;
  if (positive === 0 && negative === 0)
    return 'Neither side has a gradient: every advantage is zero.';
  const times = (ratio: number) => `${significant(ratio)} times`;
  if (negative > 1.25 * positive) {
    return `${positive === 0 ? 'Only tokens that did worse than expected have a gradient' : `The gradient of tokens that did worse than expected is ${times(negative / positive)} as large as that of tokens that did better`}: the update mostly makes tokens less likely.`;
  }
  if (positive > 1.25 * negative) {
    return `${negative === 0 ? 'Only tokens that did better than expected have a gradient' : `The gradient of tokens that did better than expected is ${times(positive / negative)} as large as that of tokens that did worse`}: the update mostly makes tokens more likely.`;
  }
  return 'Both gradients are about equally large; where they point in opposite directions, they cancel.';
};

/** Explains the age of an iteration's tokens; null if there are none. */
export function whyStaleness(
  staleness: IterationDetails['staleness'],
  facts: Facts,
): string | null {
  const oldest = staleness.at(-1)?.[0];
  if (oldest === undefined) return null;
  const updates = updatesOf(facts) ?? 1;
  const { replay, rollout } = facts;
  if (oldest === 0)
    return 'No update lies between sampling a token and training on it: fully on-policy.';
  const sources = [
    ...(updates > 1 ? [`the ${updates} updates of an iteration`] : []),
    ...((replay?.share ?? 0) > 0 ? ['replayed episodes'] : []),
    ...((rollout?.partial_turns ?? 0) > 0 || (rollout?.partial_tokens ?? 0) > 0
      ? ['episodes that were paused']
      : []),
  ];
  const total = staleness.reduce((sum, [, tokens]) => sum + tokens, 0);
  const sum = staleness.reduce((all, [versions, tokens]) => all + versions * tokens, 0);
  const cause = sources.length === 0 ? '' : `, because of ${sources.join(' and ')}`;
  return `Tokens are ${significant(sum / total)} versions old on average and at most ${thousands(oldest)}${cause}. The ratios of older tokens are farther from 1, so more of them reach a bound.`;
}

export const whyValue: Rule = diagnosedFirst('value/explained_variance', ({ rows }) => {
  const explained = recentMean(rows, 'value/explained_variance');
  if (explained === undefined) return null;
  if (explained < 0)
    return 'Below zero: the value head predicts worse than a constant, so its advantages are misleading.';
  if (explained < 0.3)
    return 'Low: the value head does not predict much yet, so advantages are about as noisy as the returns.';
  if (explained > 0.8)
    return 'High: the value head explains most of the variance of the returns; advantages measure the rest.';
  return `The value head explains ${percent(explained)} of the variance of the returns.`;
});
