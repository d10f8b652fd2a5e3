/**
 * Why a curve does what it does now, in one or two sentences computed from the data. Each rule states
 * only what the numbers of this run show; where they show nothing, the text says what to look for.
 */

import { estimators } from '../algorithms/advantages.ts';
import { type ObjectiveName, surrogateTraits } from '../algorithms/surrogates.ts';
import { titleOf } from '../envs/registry.ts';
import { listed, percent, significant } from '../runs/numbers.ts';
import { diagnosedFirst } from './diagnose.ts';
import { type Evidence, type Rule, updatesOf } from './evidence.ts';
import {
  alwaysFailing,
  horizonChange,
  type ReadRow,
  recentMean,
  sample,
  trend,
  trendOf,
  WINDOW,
} from './trend.ts';

/**
 * Share of the groups whose episodes all got the same reward, lately, where that leaves nothing to
 * learn from; 0 for estimators that do not compare the episodes of a group.
 */
function silentGroups({ rows, facts }: Evidence): number {
  const advantage = facts.algorithm?.advantage;
  if (advantage === undefined || estimators[advantage].against !== 'group') return 0;
  return recentMean(rows, 'rollout/group_zero_std') ?? 0;
}

export const whySuccess: Rule = diagnosedFirst('rollout/success_rate', (evidence) => {
  const { rows, evaluations, facts } = evidence;
  const moved = trend(rows, 'rollout/success_rate');
  const last = rows.at(-1);
  if (last === undefined) return null;
  const idle = silentGroups(evidence);
  const grown = horizonChange(rows, 6);
  if (grown !== undefined && grown.to > grown.from) {
    return `The horizon just grew from ${grown.from} to ${grown.to} turns: tasks that took too long can now be finished, and pay.`;
  }
  const greedy = evaluations.at(-1)?.metrics['eval/success_rate'];
  const now = last.metrics['rollout/success_rate'] ?? 0;
  if (moved === undefined) {
    return (facts.imitation?.epochs ?? 0) > 0
      ? 'The first successes are what was copied from the expert.'
      : 'With random weights only luck solves a task.';
  }
  if (now > 0.97) {
    return idle > 0
      ? `Nearly every episode succeeds, so in ${percent(idle)} of the groups no episode is better than another and nothing is left to learn from.`
      : (facts.algorithm?.gamma ?? 1) < 1
        ? 'Nearly every episode succeeds; what is left to learn is the shorter way.'
        : 'Nearly every episode succeeds: little is left to learn.';
  }
  if (moved.clear && moved.change > 0.02) {
    return 'It rises because words written in successful episodes became more probable than those of failed ones.';
  }
  if (moved.clear && moved.change < -0.04) {
    return 'It has fallen, by less than a setback: KL says how far the updates before went, entropy what they did.';
  }
  if (idle > 0.6) {
    return `No clear movement: in ${percent(idle)} of the groups all episodes got the same reward, so their advantage is zero.`;
  }
  if (greedy !== undefined && greedy > now + 0.1) {
    return 'Greedy play does better than sampled play: the best word is often right, but others still get drawn.';
  }
  const failing = alwaysFailing(
    facts.rollout?.tasks_per_iteration,
    recentMean(rows, 'rollout/group_zero_std'),
    recentMean(rows, 'rollout/success_rate'),
  );
  if (failing > 0) {
    return `${failing} of the ${facts.rollout?.tasks_per_iteration} tasks of an iteration fail in every try, and the others succeed: chance no longer tries what they would need.`;
  }
  return 'Little movement now: successes and failures write much the same words.';
});

/** How the environments of a mixture do beside one another. */
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
    return 'The episodes of the next iterations show how each environment goes.';
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
    return `${standing} While ${listed(rising)} rose, ${listed(falling)} fell: the same weights serve them all.`;
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
  if (moved === undefined) return 'A policy that learns grows more certain, and this falls.';
  if (last < 0.05 && (recentMean(rows, 'rollout/success_rate') ?? 0) < 0.5) {
    return 'Almost no chance left while many episodes fail: the agent has stopped exploring.';
  }
  if (moved.clear && moved.change < -0.02 * moved.before) {
    const clipped = recentMean(rows, 'policy/clip_fraction_high') ?? 0;
    return clipped > 0.02
      ? 'It falls because words that earned a positive advantage gain probability, as fast as the clip allows.'
      : 'It falls because words that earned a positive advantage gain probability at the cost of all others.';
  }
  if (moved.clear && moved.change > 0.02 * moved.before) {
    return (facts.algorithm?.entropy_coef ?? 0) > 0
      ? 'It rises: failures push probable words down, and the entropy bonus spreads what they lose.'
      : 'It rises: failures push probable words down, and others take up what they lose.';
  }
  return 'Steady: what the advantages sharpen and what failures spread out are in balance.';
});

export const whyHorizon: Rule = diagnosedFirst('rollout/turns', ({ rows, facts }) => {
  const last = rows.at(-1);
  const turns = recentMean(rows, 'rollout/turns');
  const horizon = last?.metrics['rollout/horizon'];
  if (last === undefined || turns === undefined || horizon === undefined) return null;
  const grown = horizonChange(rows, 6);
  if (grown !== undefined && grown.to > grown.from) {
    return `At iteration ${grown.iteration} the schedule raised the limit from ${grown.from} to ${grown.to} turns: more room to explore, and longer failures.`;
  }
  const truncated = recentMean(rows, 'rollout/truncated') ?? 0;
  if (truncated > 0.5) {
    return `${percent(truncated)} of the episodes go on until the limit cuts them off.`;
  }
  const moved = trend(rows, 'rollout/turns');
  if (moved?.clear && moved.change < -0.5) {
    return 'Episodes get shorter: they come to their own end sooner.';
  }
  if (facts.horizon?.schedule === 'scaling_inter' && turns < 0.5 * horizon) {
    return 'Most episodes end long before the limit: the agent no longer needs the room.';
  }
  return `Episodes use ${percent(turns / horizon)} of the turns they are allowed.`;
});

/** Whether an objective has no bounds that take the gradient from a token. */
function leavesGradients(objective: ObjectiveName): boolean {
  const { bounds } = surrogateTraits[objective];
  return bounds === 'weights' || bounds === 'nothing';
}

export const whyClip: Rule = diagnosedFirst('policy/clip_fraction', ({ rows, facts }) => {
  const low = recentMean(rows, 'policy/clip_fraction_low');
  const high = recentMean(rows, 'policy/clip_fraction_high');
  if (low === undefined || high === undefined) return null;
  const objective = facts.algorithm?.objective;
  if (objective !== undefined && leavesGradients(objective)) {
    return 'This objective takes the gradient from no token, so nothing counts as clipped.';
  }
  if (updatesOf(facts) === 1 && (recentMean(rows, 'policy/staleness') ?? 0) === 0) {
    return 'One update per iteration never leaves the policy that wrote the words, so nothing is clipped.';
  }
  if (low + high < 0.002) {
    return 'The updates of an iteration stay so small that hardly any token meets a bound.';
  }
  if (high > 2 * low) {
    return 'Mostly the upper bound: good words want to grow faster than one iteration allows.';
  }
  if (low > 2 * high) {
    return 'Mostly the lower bound: bad words are pushed down faster than one iteration allows.';
  }
  return 'Both bounds hold back about as many tokens: the steps are near the size the clip allows.';
});

export const whyKl: Rule = diagnosedFirst('policy/approx_kl', (evidence) => {
  const { rows, facts } = evidence;
  const kl = recentMean(rows, 'policy/approx_kl');
  if (kl === undefined) return null;
  const moved = trend(rows, 'policy/approx_kl');
  if (kl > 0.1) {
    return 'Large: the last updates of an iteration learn from words that the policy would hardly write any more. A lower learning rate or fewer epochs calm it.';
  }
  const updates = updatesOf(facts);
  const idle = silentGroups(evidence);
  if (moved?.clear && moved.change < -0.2 * moved.before && idle > 0.5) {
    return 'It shrinks because most groups agree on their reward, and equal rewards push nowhere.';
  }
  if (moved?.clear && moved.change > 0.25 * moved.before) {
    return 'It grows: the gradients agree with each other, so the updates add up in one direction.';
  }
  return `The distance that ${updates === undefined ? 'the' : `the ${updates}`} updates of an iteration cover together.`;
});

export const whyGradient: Rule = diagnosedFirst('policy/grad_norm', (evidence) => {
  const { rows, facts } = evidence;
  const norm = recentMean(rows, 'policy/grad_norm');
  if (norm === undefined) return null;
  const limit = facts.optimizer?.max_grad_norm;
  if (limit !== undefined && norm > limit) {
    return `Above ${significant(limit)}, so each gradient is scaled down to that norm: the direction counts, not the size.`;
  }
  const idle = silentGroups(evidence);
  if (idle > 0.7) {
    return `Small because ${percent(idle)} of the groups have equal rewards and contribute exactly zero.`;
  }
  const moved = trend(rows, 'policy/grad_norm');
  if (moved?.clear && moved.change > 0.2 * moved.before) {
    return 'It grows: as the policy becomes certain, each surprise pulls harder on the weights.';
  }
  return limit === undefined
    ? 'Little movement: each update pulls about as hard as the ones before.'
    : `Below the limit of ${significant(limit)}: gradients reach the optimiser as they are.`;
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
    return 'It drops as episodes finish early: the last ones still playing leave much of the device idle.';
  }
  if (moved.clear && moved.change > 0.1 * moved.before && turns !== undefined && turns.change > 0) {
    return 'It rises with longer episodes: more of them play at the same time.';
  }
  return 'All episodes of an iteration play side by side; every turn is one submission to the device.';
};
