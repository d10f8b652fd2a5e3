/**
 * Causes that a log of any tool can show, as data: the quantities they need and how they appear in
 * the changes. They require a failed outcome. A change that began after the fall, or ended before
 * it, is not a cause.
 */

import type { ModeName } from '../../runs/mode-names.ts';
import { significant } from '../../runs/numbers.ts';
import { finitePoints, type Measured } from '../changes.ts';
import { isSolved, type OutcomeState, outcomeOf } from '../outcome.ts';
import { type Quantity, quantities } from '../quantities.ts';
import {
  capital,
  endsTraining,
  type ListedChange,
  levelText,
  lookback,
  moveText,
  spikeSize,
  stepText,
  type WhatChanged,
} from '../what-changed.ts';
import { stages } from './mode.ts';

/** A log, and the unit of its steps. */
export interface LogCase {
  readonly changed: WhatChanged;
  readonly unit: string;
  /** Whether the policy writes text, so that entropy is per token; otherwise it chooses actions. */
  readonly text?: boolean;
}

/** Evidence for a mode in one log. */
export interface LogEvidence {
  readonly title: string;
  readonly text: string;
  /** Onset with its interval, and the step at which it can be known. */
  readonly at: number;
  readonly from: number;
  readonly to: number;
  readonly known: number;
  /** Step at which it is complete, for a gradual change. */
  readonly until?: number;
  /**
   * Share of the change that is complete at a step. A change that is mostly complete when another cause
   * begins is not its consequence.
   */
  readonly done?: (step: number) => number;
  /**
   * Weight among the causes that fit, from 0 to 1; the confidence is this weight divided by the
   * sum.
   */
  readonly weight: number;
  readonly shows: readonly Quantity[];
}

export interface LogMode {
  readonly name: ModeName;
  readonly stage: (typeof stages)[number];
  /** Required quantities; one of each group is enough. */
  readonly reads: readonly (readonly Quantity[])[];
  /** Whether it applies only to policies that write text. */
  readonly ofText?: true;
  readonly find: (log: LogCase) => LogEvidence | null;
  readonly remedies: readonly string[];
  /** Modes that follow from this one if they mostly appeared after it. */
  readonly explains: readonly ModeName[];
}

const failing: ReadonlySet<OutcomeState> = new Set([
  'dead',
  'slow_collapse',
  'sudden_collapse',
  'not_finite',
]);

export const hasFailed = ({ outcome }: WhatChanged) =>
  outcome !== null && failing.has(outcome.state);

const meanOf = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** Mean of a series over some steps; NaN if it has no values there. */
function meanIn(series: Measured | undefined, from: number, to: number): number {
  if (series === undefined) return Number.NaN;
  const { x, y } = finitePoints(series, Number.POSITIVE_INFINITY);
  return meanOf(y.filter((_, i) => (x[i] ?? 0) >= from && (x[i] ?? 0) <= to));
}

const mean = ({ changed }: LogCase, quantity: Quantity) =>
  meanIn(changed.quantities.get(quantity), Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY);

/** A change that begins before this share of a fall is over counts as preceding the fall. */
const LATE = 0.35;
/** Uncertainty of the start of a sudden fall, as a share of the run and in rows. */
const SLACK = 0.03;
const SLACK_ROWS = 3;
/** A change that begins before this share of a fall is over weighs almost as much as one before it. */
const EARLY = 0.15;

/** Number of steps between two rows of a series. */
const rowOf = (series: Measured | undefined, span: number) =>
  span / Math.max(1, (series?.y.length ?? 1) - 1);

interface Wanted {
  readonly quantity: Quantity;
  readonly direction: 'up' | 'down';
  readonly enough: (before: number, after: number) => boolean;
}

/**
 * The first change of a quantity that can have caused the fall: it began before the first third of
 * the fall was over but not long before the best outcome, and its new level lasts through the fall.
 * In a run that never learns, a change within the first third of the run.
 */
function precursor(log: LogCase, { quantity, direction, enough }: Wanted): ListedChange | null {
  const { outcome, changes, quantities: found } = log.changed;
  if (outcome === null || !hasFailed(log.changed)) return null;
  const series = found.get(quantity);
  const { steps, fall } = outcome;
  const span = steps.to - steps.from;
  const [begin, late, end] =
    fall === null
      ? [steps.from, steps.from + span / 3, steps.to]
      : [
          lookback(outcome),
          fall.from +
            Math.max(LATE * (fall.to - fall.from), SLACK * span, SLACK_ROWS * rowOf(series, span)),
          fall.to,
        ];
  return (
    changes.find((change) => {
      if (change.quantity !== quantity || change.direction !== direction) return false;
      if (change.from > late || (change.at < begin && change.until < begin)) return false;
      if (!enough(change.before, change.after)) return false;
      // For a slow change, compare the level at its end.
      const during = meanIn(
        series,
        Math.max(change.at, Math.min(late, end)),
        Math.max(end, change.until),
      );
      const half = (change.before + change.after) / 2;
      return direction === 'up' ? during >= half : during <= half;
    }) ?? null
  );
}

/** Stronger and earlier changes that correlate with the outcome weigh more. */
function weightOf({ changed }: LogCase, change: ListedChange, most: number): number {
  const fall = changed.outcome?.fall ?? null;
  const begin = fall === null ? change.at : fall.from;
  const series = change.quantity === null ? undefined : changed.quantities.get(change.quantity);
  const span = (changed.outcome?.steps.to ?? 0) - (changed.outcome?.steps.from ?? 0);
  const early =
    change.at <= begin + rowOf(series, span)
      ? 1
      : change.at <= begin + EARLY * ((fall?.to ?? begin) - begin)
        ? 0.8
        : 0.5;
  const along = Number.isFinite(change.correlation)
    ? 0.7 + 0.3 * Math.abs(change.correlation)
    : 0.8;
  return most * early * along * Math.min(1, 0.5 + change.strength / 8);
}

/** Share of a change that is complete at a step; large ratios on a logarithmic scale. */
function doneBy({ changed }: LogCase, { quantity, before, after }: ListedChange) {
  const series = quantity === null ? undefined : changed.quantities.get(quantity);
  const ratio = before > 0 && after > 0 && Math.max(before / after, after / before) > 4;
  const scale = ratio ? Math.log : (value: number) => value;
  return (step: number): number => {
    if (series === undefined) return 0;
    const { x, y } = finitePoints(series, Number.POSITIVE_INFINITY);
    const value = y[x.findLastIndex((at) => at <= step)];
    if (value === undefined || (ratio && value <= 0)) return value === undefined ? 0 : 1;
    return (scale(value) - scale(before)) / (scale(after) - scale(before));
  };
}

function found(
  log: LogCase,
  change: ListedChange,
  title: string,
  most: number,
  more = '',
): LogEvidence {
  const { at, from, to, until, quantity } = change;
  const text = moveText(change, log.unit);
  return {
    ...{ title, at, from, to, until, known: Math.max(to, at), done: doneBy(log, change) },
    text: `${capital(text)}.${more}`,
    weight: weightOf(log, change, most),
    shows: quantity === null ? [] : [quantity],
  };
}

/** A mode that consists of one quantity moving in one direction before the fall. */
function moves(wanted: Wanted, title: string, weight: number, more = '') {
  return (log: LogCase): LogEvidence | null => {
    const change = precursor(log, wanted);
    return change === null ? null : found(log, change, title, weight, more);
  };
}

const notFinite: LogMode = {
  name: 'not_finite',
  stage: 'update',
  reads: [['grad_norm', 'policy_loss']],
  find: ({ changed, unit }) => {
    const broken = changed.notFinite.filter(
      (one) =>
        endsTraining(one) || (one.quantity === 'score' && changed.outcome?.state === 'not_finite'),
    );
    const [first] = broken;
    if (first === undefined) return null;
    const names = broken.map(
      ({ quantity, key, from }) =>
        `${quantity === null ? key : quantities[quantity].title} from ${unit} ${stepText(from)}`,
    );
    return {
      title: 'Numbers are not finite.',
      text: `NaN or infinity: ${names.join(', ')}. ${first.count} of ${first.of} rows of ${first.key} are affected. An update with a non-finite gradient makes all weights NaN.`,
      ...{ at: first.from, from: first.from, to: first.from, known: first.from, weight: 30 },
      shows: broken.flatMap(({ quantity }) => quantity ?? []),
    };
  },
  remedies: [
    'Stop at the first update whose gradient norm is not finite, and restart from the checkpoint before it.',
    'Inspect the batch of that step for empty responses, a loss mask without tokens, or log-ratios that overflow exp.',
    'Lower the learning rate and clip the gradient norm.',
  ],
  explains: [
    'groups_agree',
    'entropy_collapse',
    'entropy_explosion',
    'gradient_spike',
    'empty_answers',
    'format_collapse',
    'kl_drift',
    'length_runaway',
    'length_cap',
    'sampler_mismatch',
    'learning_rate_too_high',
  ],
};

/** Share of groups with equal rewards above which nothing is learned. */
const AGREE = 0.85;

const deadGroups: LogMode = {
  name: 'groups_agree',
  ofText: true,
  stage: 'data',
  reads: [['equal_groups', 'all_wrong_groups', 'grad_norm']],
  find: (log) => {
    const { outcome, quantities: known } = log.changed;
    if (outcome === null || outcome.state !== 'dead') return null;
    const quantity = (['equal_groups', 'all_wrong_groups'] as const).find(
      (one) => mean(log, one) >= AGREE,
    );
    const norms = known.get('grad_norm');
    const still =
      norms === undefined
        ? Number.NaN
        : finitePoints(norms).y.filter((value) => value === 0).length / norms.y.length;
    if (quantity === undefined && !(still > 0.8)) return null;
    const groups =
      quantity === undefined
        ? ''
        : `${quantities[quantity].title} averages ${levelText(quantity, mean(log, quantity))}`;
    const gradient =
      still > 0.5
        ? `the gradient norm is exactly 0 in ${levelText('equal_groups', still)} of the rows`
        : '';
    const text = [groups, gradient].filter((part) => part !== '').join(', and ');
    const { from } = outcome.steps;
    return {
      title: 'Almost no group has a learning signal.',
      text: `${capital(text)}. Equal rewards in a group give advantages of 0.`,
      ...{ at: from, from, to: from, known: from, weight: quantity === undefined ? 0.6 : 2 },
      shows: [
        ...(quantity === undefined ? [] : [quantity]),
        ...(norms === undefined ? [] : ['grad_norm' as const]),
      ],
    };
  },
  remedies: [
    'Start from a policy that solves some tasks: supervised fine-tuning on demonstrations, or easier tasks first.',
    'Use larger groups, and resample groups whose rewards are all equal.',
    'Check the grader: a reward that is never granted looks the same.',
  ],
  explains: [],
};

/** Entropy in nats below which a policy practically always takes the same action. */
const DETERMINISTIC = 0.05;

/** A policy over actions that never explored: its entropy is near 0 from the first rows on. */
function neverExplored({ changed, unit, text = true }: LogCase): LogEvidence | null {
  const { outcome, quantities: known } = changed;
  const series = known.get('entropy');
  if (text || outcome?.state !== 'dead' || series === undefined) return null;
  const { x, y } = finitePoints(series, Number.POSITIVE_INFINITY);
  const [first] = y;
  const settled = x[y.findIndex((_, i) => y.slice(i).every((value) => value < DETERMINISTIC))];
  // The entropy of a continuous distribution can be negative, and its value has no absolute
  // meaning.
  if (first === undefined || y.some((value) => value < -1e-6)) return null;
  if (first > 2 * DETERMINISTIC || settled === undefined) return null;
  const { from } = outcome.steps;
  return {
    title: 'The policy never explored.',
    text: `Entropy is ${significant(first)} nats at ${unit} ${stepText(from)} and below ${DETERMINISTIC} from ${unit} ${stepText(settled)} on: the policy repeats one action from the start.`,
    ...{ at: from, from, to: settled, known: settled, weight: 2, shows: ['entropy'] },
  };
}

const entropyFell = moves(
  {
    quantity: 'entropy',
    direction: 'down',
    enough: (before, after) => before > 0 && after < 0.3 * before,
  },
  'Entropy collapsed.',
  0.9,
  ' The policy repeats one behavior and no longer explores.',
);

const entropyCollapse: LogMode = {
  name: 'entropy_collapse',
  stage: 'policy',
  reads: [['entropy']],
  find: (log) => neverExplored(log) ?? entropyFell(log),
  remedies: [
    'Lower the learning rate or the number of epochs over a batch.',
    'Raise the upper clip bound (clip-higher) or add an entropy bonus.',
    'Restart from the checkpoint before the entropy fell, or from fresh weights if it was low from the start.',
  ],
  explains: ['groups_agree'],
};

const entropyExplosion: LogMode = {
  name: 'entropy_explosion',
  stage: 'policy',
  reads: [['entropy']],
  find: moves(
    {
      quantity: 'entropy',
      direction: 'up',
      enough: (before, after) => after > 1.8 * before && after - before > 0.05,
    },
    'Entropy exploded.',
    0.8,
    ' The policy generates nearly random tokens.',
  ),
  remedies: [
    'Lower the entropy bonus and the learning rate.',
    'Mask the loss of truncated responses.',
    'Check the mismatch between sampler and trainer.',
  ],
  explains: ['format_collapse'],
};

const lengthGrew: Wanted = {
  quantity: 'length',
  direction: 'up',
  enough: (before, after) => after > 1.4 * before,
};
const capped: Wanted = {
  quantity: 'length_cap',
  direction: 'up',
  enough: (before, after) => after - before > 0.15 && after > 0.25,
};

const lengthCap: LogMode = {
  name: 'length_cap',
  ofText: true,
  stage: 'data',
  reads: [['length_cap']],
  find: (log) => {
    const change = precursor(log, capped);
    if (change !== null) {
      const growth = precursor(log, lengthGrew);
      const own = found(log, change, 'Responses reach the length limit.', 1.2);
      if (growth === null || growth.at > change.at) return own;
      const grew = moveText(growth, log.unit);
      return {
        ...own,
        ...{ at: growth.at, from: growth.from, to: Math.max(growth.to, growth.at) },
        weight: Math.max(own.weight, weightOf(log, growth, 1.2)),
        text: `${capital(grew)}. ${own.text}`,
        shows: ['length_cap', 'length'],
      };
    }
    const { outcome } = log.changed;
    const share = mean(log, 'length_cap');
    if (outcome?.state !== 'dead' || !(share > 0.6)) return null;
    const { from } = outcome.steps;
    return {
      title: 'Responses reach the length limit from the start.',
      text: `${levelText('length_cap', share)} of the responses are truncated at the length limit, averaged over the run.`,
      ...{ at: from, from, to: from, known: from, weight: 0.7, shows: ['length_cap'] },
    };
  },
  remedies: [
    'Mask the loss of truncated responses, or penalize length softly before the limit.',
    'Raise the limit on response length.',
    'Normalize the loss by a constant instead of response length.',
  ],
  explains: ['length_runaway', 'entropy_explosion', 'groups_agree', 'format_collapse'],
};

const lengthRunaway: LogMode = {
  name: 'length_runaway',
  ofText: true,
  stage: 'policy',
  reads: [['length']],
  find: moves(lengthGrew, 'Responses grow longer while the score falls.', 0.8),
  remedies: [
    'Read long responses of that step and look for repetition, or plans that are never executed.',
    'Normalize the loss by a constant instead of response length, and penalize length softly.',
    'Log the share of responses that end at the limit.',
  ],
  explains: [],
};

const emptyAnswers: LogMode = {
  name: 'empty_answers',
  ofText: true,
  stage: 'policy',
  reads: [['length']],
  find: moves(
    { quantity: 'length', direction: 'down', enough: (before, after) => after < 0.3 * before },
    'Responses became short or empty.',
    0.75,
  ),
  remedies: [
    'Read responses of that step, and check whether ending at once earns the same reward as a failed attempt.',
    'Restart from the last good checkpoint with a smaller learning rate.',
    'Check that the end-of-sequence token is counted only once in the loss.',
  ],
  explains: ['entropy_explosion', 'entropy_collapse', 'sampler_mismatch'],
};

const formatCollapse: LogMode = {
  name: 'format_collapse',
  ofText: true,
  stage: 'policy',
  reads: [['invalid', 'format']],
  find: (log) =>
    moves(
      {
        quantity: 'invalid',
        direction: 'up',
        enough: (before, after) => after - before > 0.15,
      },
      'The share of invalid actions rises.',
      0.85,
    )(log) ??
    moves(
      {
        quantity: 'format',
        direction: 'down',
        enough: (before, after) => after < 0.7 * before,
      },
      'Answers no longer have the required format.',
      0.85,
    )(log),
  remedies: [
    'Read some of the invalid actions of that step.',
    'Add a small separate reward for the format, or a penalty for invalid actions.',
    'Keep the policy near a working one: add a KL penalty, or start again from supervised fine-tuning.',
  ],
  explains: ['groups_agree'],
};

/** A spike that exceeds the largest previous gradient norm by this factor has full weight. */
const FAR_ABOVE = 10;

const gradientSpike: LogMode = {
  name: 'gradient_spike',
  stage: 'update',
  reads: [['grad_norm']],
  find: ({ changed, unit }) => {
    const { outcome, spikes, quantities: known } = changed;
    const norms = known.get('grad_norm');
    if (outcome?.fall === null || outcome === null || norms === undefined) return null;
    const { fall, steps } = outcome;
    const { x } = finitePoints(norms, Number.POSITIVE_INFINITY);
    const row = (steps.to - steps.from) / Math.max(1, x.length - 1);
    const reach = Math.max(3 * row, 0.03 * (steps.to - steps.from));
    const all = spikes.filter(({ quantity }) => quantity === 'grad_norm');
    const spike = all.find(({ at }) => at >= fall.from - reach && at <= fall.from + row);
    if (spike === undefined) return null;
    // An earlier spike of this size did no harm, so this one explains nothing.
    const harmless = all.some(
      ({ at, value }) => at < fall.from - reach && value > 0.7 * spike.value,
    );
    if (harmless || spike.value < 3 * spike.usual) return null;
    return {
      title: 'One update was far too large.',
      text: `The gradient norm was ${spikeSize(spike, unit)}. The score fell right after it.`,
      ...{ at: spike.at, from: spike.at, to: spike.at, known: spike.at },
      // A spike just above the limit may be one of many; one ten times as large as any before it is
      // exceptional.
      weight:
        (outcome.state === 'sudden_collapse' ? 1.6 : 0.5) *
        Math.min(1, spike.value / (FAR_ABOVE * Math.max(spike.largest, Number.MIN_VALUE))),
      shows: ['grad_norm'],
    };
  },
  remedies: [
    'Clip the gradient norm near its median and skip updates far above it.',
    'Inspect the batch of that step for rare tokens with large ratios, or few tokens in the loss.',
    'Lower the learning rate, and restart from the last good checkpoint.',
  ],
  explains: [
    'empty_answers',
    'entropy_explosion',
    'entropy_collapse',
    'sampler_mismatch',
    'format_collapse',
    'kl_drift',
    'length_runaway',
    'length_cap',
  ],
};

const klDrift: LogMode = {
  name: 'kl_drift',
  ofText: true,
  stage: 'policy',
  reads: [['kl']],
  find: moves(
    {
      quantity: 'kl',
      direction: 'up',
      enough: (before, after) => after > 3 * Math.abs(before) && after > 0.1,
    },
    'The policy drifted away from its reference.',
    0.45,
  ),
  remedies: [
    'Raise the KL coefficient, or update the reference.',
    'Lower the learning rate.',
    'Stop at the best held-out score.',
  ],
  explains: [],
};

const samplerMismatch: LogMode = {
  name: 'sampler_mismatch',
  ofText: true,
  stage: 'data',
  reads: [['mismatch']],
  find: moves(
    {
      quantity: 'mismatch',
      direction: 'up',
      enough: (before, after) => after > 2.5 * Math.abs(before) && after > 0.02,
    },
    'Sampler and trainer disagree about probabilities.',
    0.9,
    ' The policy is trained with wrong importance ratios.',
  ),
  remedies: [
    'Use the same precision and kernels in sampler and trainer.',
    'Correct the mismatch with truncated importance sampling.',
    'Keep token ids: do not re-tokenize sampled text.',
  ],
  explains: ['gradient_spike', 'entropy_explosion', 'kl_drift'],
};

const repeatedAnswers: LogMode = {
  name: 'repeated_answers',
  ofText: true,
  stage: 'policy',
  reads: [['repetition']],
  find: moves(
    {
      quantity: 'repetition',
      direction: 'up',
      enough: (before, after) => after - before > 0.1,
    },
    'Responses repeat themselves.',
    0.9,
  ),
  remedies: [
    'Penalize repeated n-grams, or end generation at a repeat.',
    'Mask the loss of truncated responses.',
    'Restart from the last good checkpoint.',
  ],
  explains: ['length_runaway', 'length_cap', 'entropy_collapse'],
};

/** Minimum number of rows of a held-out score; with fewer, a fall may be due to chance. */
const LEAST_HELD_OUT = 6;

const rewardHacking: LogMode = {
  name: 'reward_hacking',
  stage: 'data',
  reads: [['score'], ['held_out', 'success']],
  find: ({ changed, unit }) => {
    const { quantities: known, outcome } = changed;
    const score = known.get('score');
    if (score === undefined || outcome === null) return null;
    if (outcome.quantity === 'score' && hasFailed(changed)) return null;
    for (const quantity of ['held_out', 'success'] as const) {
      const other = known.get(quantity);
      if (other === undefined || other.key === score.key || other.y.length < LEAST_HELD_OUT)
        continue;
      const held = outcomeOf(other.x, other.y);
      if (held === null) continue;
      const lost = held.best.value - held.end.value;
      const wide = held.best.value - held.best.low + (held.end.high - held.end.value);
      const clear = lost > Math.max(0.15 * Math.abs(held.best.value), 1.5 * wide);
      const [then, now] = [
        meanIn(score, held.best.from, held.best.to),
        meanIn(score, held.steps.to - 0.15 * (held.steps.to - held.steps.from), held.steps.to),
      ];
      const gained = now - then;
      if (
        !clear ||
        !(gained > Math.max(0.03 * Math.abs(then), outcome.best.high - outcome.best.value))
      ) {
        continue;
      }
      return {
        title: `The score rises while the ${quantities[quantity].title} falls.`,
        text: `Since ${unit} ${stepText(held.best.to)} the score rose from ${levelText('score', then)} to ${levelText('score', now)}, and ${quantities[quantity].title} fell from ${levelText(quantity, held.best.value)} to ${levelText(quantity, held.end.value)}. The policy earns reward without reaching the goal.`,
        ...{ at: held.best.to, from: held.best.from, to: held.best.to, known: held.steps.to },
        ...{ weight: 1.2, shows: ['score', quantity] },
      };
    }
    return null;
  },
  remedies: [
    'Read the highest-scoring episodes, and check the reward with a second verifier.',
    'Stop at the best held-out score, or raise the KL penalty.',
    'Train on more tasks if the held-out tasks differ from the training tasks only in content.',
  ],
  explains: ['few_prompts', 'length_runaway'],
};

const stalledSchedule: LogMode = {
  name: 'stalled_schedule',
  stage: 'config',
  reads: [['schedule']],
  find: ({ changed, unit }) => {
    const { quantities: known, outcome } = changed;
    const series = known.get('schedule');
    if (series === undefined || outcome === null) return null;
    if (outcome.state === 'learning' || outcome.state === 'too_short') return null;
    if (isSolved(outcome)) return null;
    const { y } = finitePoints(series, Number.POSITIVE_INFINITY);
    const [first] = y;
    if (y.length < 20 || first === undefined || y.some((value) => value !== first)) return null;
    const { from } = outcome.steps;
    return {
      title: 'The curriculum never advances.',
      text: `${series.key} is ${levelText('schedule', first)} from the first ${unit} to the last. If it is supposed to rise with the score or the step, its condition is never met.`,
      ...{ at: from, from, to: from, known: from, weight: 0.7, shows: ['schedule'] },
    };
  },
  remedies: [
    'Check the condition that advances the curriculum, and log both sides of it.',
    'Start from an easier level.',
  ],
  explains: [],
};

/** Number of prompts that a policy can memorize. */
const FEW_PROMPTS = 200;

const fewPrompts: LogMode = {
  name: 'few_prompts',
  ofText: true,
  stage: 'config',
  reads: [['unique_prompts'], ['held_out']],
  find: ({ changed, unit }) => {
    const { quantities: known, outcome } = changed;
    const [prompts, other] = [known.get('unique_prompts'), known.get('held_out')];
    if (prompts === undefined || other === undefined || outcome === null) return null;
    const most = Math.max(...finitePoints(prompts, Number.POSITIVE_INFINITY).y);
    const held = outcomeOf(other.x, other.y);
    if (!(most <= FEW_PROMPTS) || held === null || other.y.length < LEAST_HELD_OUT) return null;
    const rose = outcome.best.low > outcome.start.high;
    if (!rose || held.end.low > held.start.high || outcome.best.value - held.end.value < 0.2)
      return null;
    const { from, to } = outcome.best;
    return {
      title: 'Too few different prompts.',
      text: `The run uses at most ${stepText(most)} different prompts: the score rose to ${levelText('score', outcome.best.value)} by ${unit} ${stepText(to)}, but the held-out score stayed at ${levelText('score', held.end.value)}.`,
      ...{ at: from, from, to, known: to, weight: 0.8, shows: ['score', 'held_out'] },
    };
  },
  remedies: ['Train on more prompts.', 'Stop at the best held-out score.'],
  explains: [],
};

/**
 * No healthy run reaches these twice in a row: KL of an iteration's updates, and share of clipped
 * tokens.
 */
const LARGE_KL = 0.1;
const MANY_CLIPPED = 0.3;

const learningRateTooHigh: LogMode = {
  name: 'learning_rate_too_high',
  stage: 'update',
  reads: [['step_kl'], ['clip_fraction']],
  find: ({ changed, unit }) => {
    const { quantities: known, outcome } = changed;
    const [kl, clipped] = [known.get('step_kl'), known.get('clip_fraction')];
    if (kl === undefined || clipped === undefined) return null;
    // Steps of this size did no harm if the outcome kept its best level.
    if (outcome !== null && !hasFailed(changed)) {
      const { state, best, end } = outcome;
      if (state !== 'plateau' || end.high >= best.low) return null;
    }
    const shares = new Map(Array.from(clipped.x, (x, i) => [x, clipped.y[i] ?? 0]));
    const large = Array.from(kl.x, (x, i) => ({ x, kl: kl.y[i] ?? 0, share: shares.get(x) ?? 0 }));
    const isLarge = (i: number) =>
      (large[i]?.kl ?? 0) > LARGE_KL && (large[i]?.share ?? 0) > MANY_CLIPPED;
    const at = large.findIndex((_, i) => isLarge(i) && isLarge(i + 1));
    const [first, next] = [large[at], large[at + 1]];
    if (first === undefined || next === undefined) return null;
    const fall = outcome?.fall ?? null;
    if (fall !== null && outcome !== null) {
      // A row's score may be measured before or after the row's update.
      const row = rowOf(kl, outcome.steps.to - outcome.steps.from);
      const late = fall.from + Math.max(LATE * (fall.to - fall.from), row);
      if (first.x > late) return null;
    }
    return {
      title: 'The learning rate is too high.',
      text: `At ${unit}s ${stepText(first.x)} and ${stepText(next.x)} the updates moved the policy by ${significant(first.kl)} and ${significant(next.kl)} nats and clipped ${levelText('clip_fraction', first.share)} and ${levelText('clip_fraction', next.share)} of the tokens; 0.001 to 0.03 nats per step are typical.`,
      ...{ at: first.x, from: first.x, to: first.x, known: next.x, weight: 1.3 },
      shows: ['step_kl', 'clip_fraction'],
    };
  },
  remedies: [
    'Try a third of the learning rate, then a tenth.',
    'Use fewer epochs and minibatches per rollout.',
    'Warm up the learning rate over the first updates.',
  ],
  explains: [
    'entropy_collapse',
    'entropy_explosion',
    'kl_drift',
    'empty_answers',
    'format_collapse',
  ],
};

export const logModes: readonly LogMode[] = [
  notFinite,
  learningRateTooHigh,
  gradientSpike,
  samplerMismatch,
  deadGroups,
  lengthCap,
  rewardHacking,
  stalledSchedule,
  fewPrompts,
  lengthRunaway,
  emptyAnswers,
  repeatedAnswers,
  formatCollapse,
  entropyCollapse,
  entropyExplosion,
  klDrift,
];

export interface LogCause extends LogEvidence {
  readonly mode: LogMode;
  /** From 0 to 1. */
  readonly confidence: number;
}

/** Weight of an unknown cause that the log does not show. */
const UNSEEN = 0.35;

/**
 * If more than this share of a change is complete when another one begins, the other one did not
 * cause it.
 */
const UNDER_WAY = 0.5;

const isUnderWay = ({ done }: LogEvidence, step: number) => (done?.(step) ?? 0) > UNDER_WAY;

/** The causes that fit a log, earliest first; none if the run did not fail. */
export function causesOf(log: LogCase): readonly LogCause[] {
  const seen = logModes.flatMap((mode) => {
    const evidence = mode.find(log);
    return evidence === null ? [] : [{ ...evidence, mode }];
  });
  const first = seen.filter(
    (one) =>
      !seen.some(
        (other) =>
          other !== one &&
          other.mode.explains.includes(one.mode.name) &&
          (other.at <= one.at || (other.at <= (one.until ?? one.to) && !isUnderWay(one, other.at))),
      ),
  );
  const sum = first.reduce((total, { weight }) => total + weight, UNSEEN);
  return first
    .map((one) => ({ ...one, confidence: Math.min(0.99, one.weight / sum) }))
    .sort((a, b) => a.at - b.at || stages.indexOf(a.mode.stage) - stages.indexOf(b.mode.stage));
}
