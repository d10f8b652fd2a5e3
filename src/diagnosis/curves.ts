/**
 * Explains the current behavior of a curve in one or two sentences computed from the data. Each
 * rule states only what this run's numbers show; otherwise the text says what to look for.
 */

import { type ObjectiveName, surrogateTraits } from '../algorithms/surrogates.ts';
import { titleOf } from '../envs/registry.ts';
import { listed, percent, several, significant } from '../runs/numbers.ts';
import { diagnosedFirst } from './diagnose.ts';
import { type Evidence, type Rule, updatesOf } from './evidence.ts';
import { progressOf, SOLVED } from './progress.ts';
import { silence, silentGroups } from './silence.ts';
import {
  horizonChange,
  type ReadRow,
  recentMean,
  sample,
  trend,
  trendOf,
  WINDOW,
  whyMoves,
} from './trend.ts';

export const whySuccess: Rule = diagnosedFirst('rollout/success_rate', (evidence) => {
  const { rows, facts } = evidence;
  if (rows.length === 0) return null;
  const grown = horizonChange(rows, 6);
  if (grown !== undefined && grown.to > grown.from) {
    return `The horizon grew from ${grown.from} to ${grown.to} turns, so tasks that need more than ${several(grown.from, 'turn')} can now succeed.`;
  }
  const progress = progressOf(evidence);
  if (progress === null) {
    const success = recentMean(rows, 'rollout/success_rate');
    return success === undefined
      ? 'These rows have no success rate.'
      : `${percent(success)} of recent episodes succeed${(facts.imitation?.epochs ?? 0) > 0 ? ', as a result of imitation learning' : ''}.`;
  }
  const { state, since, now, before, best, greedy, randomness } = progress;
  switch (state) {
    case 'solved': {
      const idle = silentGroups(evidence);
      if (now < SOLVED) {
        return `Greedy play solves ${percent(greedy)} of the evaluation tasks. In training, where tokens are sampled, ${percent(now)} of the episodes succeed.`;
      }
      return idle > 0.5
        ? `Nearly every episode succeeds, so ${percent(idle)} of the groups have no differences left to learn from.`
        : 'Nearly every episode succeeds, so little is left to learn.';
    }
    case 'random':
      return now > 0
        ? `${percent(now)} of the episodes succeed by chance${randomness === undefined ? '' : `: word choice is still ${percent(randomness)} random`}.`
        : `No ${best > 0 ? 'recent episode has succeeded' : 'episode has succeeded yet'}.`;
    case 'improving':
      return percent(before) === percent(now) || before > now
        ? `It rises, to ${percent(now)} now: tokens from successful episodes become more probable.`
        : `It rises, from ${percent(before)} in iteration ${since} to ${percent(now)}: tokens from successful episodes become more probable.`;
    case 'falling':
      return `It fell from ${percent(best)} in iteration ${since} to ${percent(now)}. KL shows how far the updates moved the policy.`;
    case 'flat':
      return `Success has leveled off at ${percent(now)}. ${silence(evidence) ?? ''}`.trim();
  }
});

/** Describes the course of mean reward. */
export const whyReward: Rule = whyMoves('rollout/score');

/** Compares the environments of a mixture. */
export const whyEnvironments: Rule = ({ rows }) => {
  if (rows.length === 0) return null;
  const newest = rows.slice(-WINDOW);
  const ids = new Set(
    newest.flatMap(({ details }) => (details?.environments ?? []).map((result) => result.id)),
  );
  const standings = [...ids].flatMap((id) => {
    const read: ReadRow = ({ details }) =>
      details?.environments?.find((result) => result.id === id)?.successRate;
    const now = sample(newest, read)?.mean;
    return now === undefined ? [] : [{ name: titleOf(id), now, moved: trendOf(rows, read) }];
  });
  const ranked = standings.sort((a, b) => b.now - a.now);
  const [best, worst] = [ranked[0], ranked.at(-1)];
  if (best === undefined || worst === undefined) {
    return 'The next iterations show the success rate of each environment.';
  }
  const standing =
    best.now - worst.now < 0.05
      ? `All of them are solved about equally often, ${percent((best.now + worst.now) / 2)}.`
      : `${best.name} is solved most often, ${percent(best.now)}, and ${worst.name} least, ${percent(worst.now)}.`;
  const clearly = (sign: 1 | -1) =>
    ranked
      .filter(({ moved }) => moved?.clear && sign * moved.change > 0.03)
      .map(({ name }) => name);
  const [rising, falling] = [clearly(1), clearly(-1)];
  if (rising.length > 0 && falling.length > 0) {
    return `${standing} ${listed(rising)} rose while ${listed(falling)} fell: all environments share the same weights.`;
  }
  if (rising.length > 0) return `${standing} Rising now: ${listed(rising)}.`;
  return falling.length > 0 ? `${standing} Falling now: ${listed(falling)}.` : standing;
};

export const whyEntropy: Rule = diagnosedFirst('policy/entropy', ({ rows, vocabulary, facts }) => {
  const moved = trend(rows, 'policy/entropy');
  const last = rows.at(-1)?.metrics['policy/entropy'];
  if (last === undefined) return null;
  const chance = vocabulary === undefined ? undefined : Math.log(vocabulary);
  if (chance !== undefined && last > 0.9 * chance) {
    return `Close to ln ${vocabulary} = ${significant(chance)} nats: every word of the vocabulary is about equally likely.`;
  }
  // Noise is unknown before there are two windows of two rows.
  if (moved === undefined || rows.length < 4) {
    return 'Entropy falls as the policy becomes more certain.';
  }
  if (last < 0.05 && (recentMean(rows, 'rollout/success_rate') ?? 0) < 0.5) {
    return 'Close to zero while many episodes fail: the agent has stopped exploring.';
  }
  if (moved.clear && moved.change < -0.02 * moved.before) {
    const clipped = recentMean(rows, 'policy/clip_fraction_high') ?? 0;
    return clipped > 0.02
      ? 'It falls because tokens with a positive advantage gain probability as fast as the clip allows.'
      : 'It falls because tokens with a positive advantage gain probability at the expense of all others.';
  }
  if (moved.clear && moved.change > 0.02 * moved.before) {
    return (facts.algorithm?.entropy_coef ?? 0) > 0
      ? 'It rises: failures make probable tokens less likely, and the entropy bonus spreads their probability over others.'
      : 'It rises: failures make probable tokens less likely, so other tokens gain probability.';
  }
  return 'Steady: successes lower it about as much as failures raise it.';
});

export const whyHorizon: Rule = diagnosedFirst('rollout/turns', ({ rows, facts }) => {
  const last = rows.at(-1);
  const turns = recentMean(rows, 'rollout/turns');
  const horizon = last?.metrics['rollout/horizon'];
  if (last === undefined || turns === undefined || horizon === undefined) return null;
  const grown = horizonChange(rows, 6);
  if (grown !== undefined && grown.to > grown.from) {
    return `At iteration ${grown.iteration} the schedule raised the limit from ${grown.from} to ${grown.to} turns: episodes can explore further, and failures take longer.`;
  }
  const truncated = recentMean(rows, 'rollout/truncated') ?? 0;
  if (truncated > 0.5) {
    return `${percent(truncated)} of the episodes are truncated at the limit.`;
  }
  const moved = trend(rows, 'rollout/turns');
  if (moved?.clear && moved.change < -0.5) {
    return 'Episodes get shorter: they end before the limit more often.';
  }
  if (facts.horizon?.schedule === 'scaling_inter' && turns < 0.5 * horizon) {
    return 'Most episodes end long before the limit: the agent no longer needs so many turns.';
  }
  return `Episodes use ${percent(turns / horizon)} of the turns they are allowed.`;
});

/** Whether the objective has no bounds that remove a token's gradient. */
function leavesGradients(objective: ObjectiveName): boolean {
  const { bounds } = surrogateTraits[objective];
  return bounds === 'weights' || bounds === 'nothing';
}

/** Whether tokens of an iteration are trained on once, by the policy that generated them. */
const isOnPolicy = ({ rows, facts }: Evidence) =>
  updatesOf(facts) === 1 && (recentMean(rows, 'policy/staleness') ?? 0) === 0;

export const whyClip: Rule = diagnosedFirst('policy/clip_fraction', (evidence) => {
  const { rows, facts } = evidence;
  const low = recentMean(rows, 'policy/clip_fraction_low');
  const high = recentMean(rows, 'policy/clip_fraction_high');
  if (low === undefined || high === undefined) return null;
  const objective = facts.algorithm?.objective;
  if (objective !== undefined && leavesGradients(objective)) {
    return 'This objective keeps the gradient of every token, so nothing counts as clipped.';
  }
  if (isOnPolicy(evidence)) {
    return 'With one update per iteration all ratios are 1, so nothing is clipped.';
  }
  if (low + high < 0.002) {
    return 'The updates of an iteration are so small that hardly any token reaches a bound.';
  }
  if (high > 2 * low) {
    return 'Mostly at the upper bound: tokens with a positive advantage gain probability faster than one iteration allows.';
  }
  if (low > 2 * high) {
    return 'Mostly at the lower bound: tokens with a negative advantage lose probability faster than one iteration allows.';
  }
  return 'Both bounds clip a similar number of tokens: the updates are close to the size that the clip allows.';
});

export const whyKl: Rule = diagnosedFirst('policy/approx_kl', (evidence) => {
  const { rows } = evidence;
  const kl = recentMean(rows, 'policy/approx_kl');
  if (kl === undefined) return null;
  const moved = trend(rows, 'policy/approx_kl');
  if (kl > 0.1) {
    return 'Large: the last updates of an iteration train on tokens that the policy is by then unlikely to generate. A lower learning rate or fewer epochs reduce it.';
  }
  if (isOnPolicy(evidence)) {
    return 'Measured before each update, so it is 0 with one update per iteration.';
  }
  const idle = silentGroups(evidence);
  if (moved?.clear && moved.change < -0.2 * moved.before && idle > 0.5) {
    return 'It falls because most groups have equal rewards, which give no gradient.';
  }
  if (moved?.clear && moved.change > 0.25 * moved.before) {
    return 'It rises: the gradients agree, so the updates add up in one direction.';
  }
  return 'Mean distance during an iteration’s updates from the policy that generated the tokens.';
});

export const whyGradient: Rule = diagnosedFirst('policy/grad_norm', (evidence) => {
  const { rows, facts } = evidence;
  const norm = recentMean(rows, 'policy/grad_norm');
  if (norm === undefined) return null;
  const limit = facts.optimizer?.max_grad_norm;
  if (limit !== undefined && norm > limit) {
    return `Above ${significant(limit)}, so each gradient is clipped to that norm: only its direction matters.`;
  }
  const idle = silentGroups(evidence);
  if (idle > 0.7) {
    return `Small because ${percent(idle)} of the groups have equal rewards and contribute exactly zero.`;
  }
  const moved = trend(rows, 'policy/grad_norm');
  if (moved?.clear && moved.change > 0.2 * moved.before) {
    return 'It rises: the more certain the policy is, the larger the gradient of an improbable word.';
  }
  return limit === undefined
    ? 'Steady: the gradients are about as large as before.'
    : `Below the limit of ${significant(limit)}, so gradients are not clipped.`;
});

export const whyThroughput: Rule = ({ rows }) => {
  const moved = trend(rows, 'time/turns_per_second');
  if (moved === undefined) return null;
  const turns = trend(rows, 'rollout/turns');
  if (
    moved.clear &&
    moved.change < -0.1 * moved.before &&
    turns !== undefined &&
    turns.change < 0
  ) {
    return 'It falls because episodes end early: the few that are left do not use the whole device.';
  }
  if (moved.clear && moved.change > 0.1 * moved.before && turns !== undefined && turns.change > 0) {
    return 'It rises with longer episodes: more of them run at the same time.';
  }
  return 'All episodes of an iteration run in parallel; every turn is one submission to the device.';
};
