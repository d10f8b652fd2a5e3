/** Failures visible in the success rate: truncated solutions, and solutions that were lost. */

import { percent, several, significant } from '../../runs/numbers.ts';
import { cusum, noiseOf } from '../change-points.ts';
import type { Moment } from '../history.ts';
import { alwaysFailing } from '../trend.ts';
import { beyond, type Mode } from './mode.ts';
import { rateTimes } from './rate.ts';

/** Mean length of recent episodes that were not truncated, as a share of the horizon. */
function endedAt(moment: Moment): number {
  const [cut, horizon] = [moment.mean('rollout/truncated'), moment.mean('rollout/horizon')];
  return (moment.mean('rollout/turns') - cut * horizon) / ((1 - cut) * horizon);
}

/** Whether no further increase of the horizon is scheduled, as far as is known. */
export function lastHorizon(moment: Moment): boolean {
  const { schedule, rounds = [] } = moment.facts.horizon ?? {};
  return schedule !== 'scaling_inter' || moment.now('rollout/horizon') >= Math.max(...rounds);
}

/** Successes that use this much of the horizon leave no room for longer solutions. */
const NEAR_LIMIT = 0.65;
/** The same for a policy with little entropy left, if the limit is known to be final. */
const NEAR_LIMIT_SURE = 0.55;

/**
 * An agent that has imitated an expert and succeeds more often than this may soon need fewer turns.
 */
const FEW = 0.35;
const A_WHILE = 6;

/** A finding lasts only while successes use at least this share of the horizon. */
const HALF = 0.5;

function nearLimit(moment: Moment): boolean {
  const sure =
    moment.facts.horizon?.schedule !== undefined &&
    moment.now('policy/entropy') < 0.3 * moment.first('policy/entropy');
  return endedAt(moment) >= (sure ? NEAR_LIMIT_SURE : NEAR_LIMIT);
}

/** Whether success is low, or higher but no longer rising. */
function stuck(moment: Moment, success: number): boolean {
  if (success < FEW) return true;
  const before = moment.mean('rollout/success_rate', A_WHILE, A_WHILE);
  return moment.index + 1 >= 2 * A_WHILE && success < before + 0.05;
}

export const horizonTooShort: Mode = {
  name: 'horizon_too_short',
  stage: 'config',
  reads: ['rollout/truncated', 'rollout/turns', 'rollout/horizon', 'rollout/success_rate'],
  asks: [],
  applies: () => true,
  holds: (moment) => {
    const success = moment.mean('rollout/success_rate');
    return (
      success >= 0.015 &&
      success < 0.6 &&
      stuck(moment, success) &&
      moment.mean('rollout/truncated') >= 0.9 * (1 - success) &&
      nearLimit(moment) &&
      lastHorizon(moment)
    );
  },
  lasts: (moment) => endedAt(moment) >= HALF && moment.mean('rollout/success_rate') < 0.8,
  hold: 3,
  release: 5,
  proofs: ['rollout/truncated', 'rollout/turns', 'rollout/success_rate'],
  tell: (raised, _onset, now) => {
    const [horizon, greedy] = [now.now('rollout/horizon'), now.newest('eval/success_rate')];
    const limit = several(horizon, 'turn');
    const success = now.mean('rollout/success_rate');
    const more =
      greedy > success + 0.05
        ? ` Evaluation, which may allow more turns, solves ${percent(greedy)}.`
        : '';
    return {
      title: `The horizon of ${limit} is too short.`,
      text: `Successful episodes take ${significant(endedAt(now) * horizon)} of at most ${limit}, and ${percent(Math.min(1, now.mean('rollout/truncated') / (1 - success)))} of the failures are truncated. Solutions that need more turns are never rewarded.${more}`,
      confidence: beyond(endedAt(raised), NEAR_LIMIT / 2),
      beside: {
        'rollout/success_rate': `Stuck at ${percent(success)}: the horizon of ${limit} truncates every longer solution.${more}`,
        'rollout/turns': `${percent(now.mean('rollout/truncated'))} of the episodes are truncated at ${limit}, and successful ones need almost as many: the horizon is too short.`,
      },
    };
  },
  remedies: (raised) => [
    {
      setting: 'horizon.turns',
      value: 5 * raised.now('rollout/horizon'),
      also: [{ setting: 'horizon.schedule', value: 'fixed' }],
      text: 'Allow five times as many turns.',
    },
    ...(raised.facts.horizon?.schedule === 'scaling_inter'
      ? []
      : [
          {
            setting: 'horizon.schedule',
            text: 'Or let the horizon grow during training (scaling_inter).',
          },
        ]),
  ],
  explains: ['groups_agree', 'setback', 'entropy_collapse', 'learning_rate_too_high'],
  rivals: [
    {
      mode: 'groups_agree',
      separatedBy: 'Evaluation with more turns: if it solves more tasks, the horizon is too short.',
    },
    {
      mode: 'bootstrapping_at_horizon',
      separatedBy:
        'A run with γ = 0.95 and this horizon: if it succeeds, the horizon is long enough.',
    },
  ],
};

/** Success must be this far below its best to count as fallen, and further if it scatters. */
const FALL = 0.12;
/** Number of iterations for estimating the scatter of success. */
export const SCATTER = 40;

function allowance(moment: Moment): number {
  const noise = noiseOf(moment.lately('rollout/success_rate', SCATTER));
  return Math.max(FALL, 3 * (Number.isNaN(noise) ? 0 : noise));
}

/** Whether the horizon changed within the last few iterations. */
export const newHorizon = (moment: Moment) => {
  const recent = moment.lately('rollout/horizon', 4);
  return recent.some((turns) => turns !== recent[0]);
};

/** Whether success is well below its best without a change of the horizon. */
export function fell(moment: Moment): boolean {
  const peak = moment.peak('rollout/success_rate');
  const below = peak - moment.mean('rollout/success_rate', 3);
  // The fixed limit decides most cases; the limit that depends on noise takes longer to compute.
  if (peak < 0.2 || !(below > FALL)) return false;
  return below > allowance(moment) && !newHorizon(moment);
}

/** Where success left its best level, by a cumulative sum starting at that level. */
function fallOnset(raised: Moment): { at: number; from: number; to: number } {
  const values = raised.all('rollout/success_rate');
  const level = raised.peak('rollout/success_rate');
  const noise = Math.max(0.03, noiseOf(raised.lately('rollout/success_rate', SCATTER)) || 0);
  const high = values.findLastIndex((value) => value >= level - noise);
  const alarm = cusum(values, level, noise, Math.max(0, high + 1));
  const at = Math.min(alarm?.onset ?? raised.index, raised.index);
  return { at, from: Math.max(0, Math.min(at, high)), to: Math.min(raised.index, at + 1) };
}

/** The number of tasks that now always fail, as a sentence. */
function lostTasks(now: Moment): string {
  const tasks = now.facts.rollout?.tasks_per_iteration;
  const failing = alwaysFailing(
    tasks,
    now.mean('rollout/group_zero_std'),
    now.mean('rollout/success_rate'),
  );
  return failing > 0 ? ` ${failing} of ${tasks} tasks now fail in every attempt.` : '';
}

export const setback: Mode = {
  name: 'setback',
  stage: 'outcome',
  reads: ['rollout/success_rate'],
  asks: [],
  applies: () => true,
  holds: fell,
  hold: 2,
  release: 3,
  onset: fallOnset,
  proofs: ['rollout/success_rate', 'policy/approx_kl', 'policy/grad_norm'],
  tell: (raised, onset, now) => {
    const peak = onset.peak('rollout/success_rate');
    // A fall in the first iterations has no earlier window of success.
    const before = Number.isFinite(peak) ? peak : raised.peak('rollout/success_rate');
    const kl = onset.now('policy/approx_kl', 1);
    const usual = raised.mean('policy/approx_kl', SCATTER);
    const leap =
      kl > 2 * usual
        ? ` The updates just before moved the policy by ${significant(kl)} nats, ${significant(kl / usual)} times as far as usual.`
        : '';
    const text = `Success fell from ${percent(before)} to ${percent(raised.mean('rollout/success_rate', 3))} in iteration ${onset.iteration}.${leap}${lostTasks(now)}`;
    return {
      title: 'Success has dropped.',
      text,
      confidence: beyond(before - raised.mean('rollout/success_rate', 3), allowance(raised)),
      beside: { 'rollout/success_rate': text },
    };
  },
  remedies: (raised) => [
    {
      ...rateTimes(raised, 1 / 3),
      text: 'Lower the learning rate to a third, or decay it.',
    },
    ...(raised.facts.stopping?.success === 1
      ? []
      : [
          {
            setting: 'stopping.success',
            value: 1,
            text: 'Stop the run when greedy play solves everything.',
          },
        ]),
  ],
  explains: [],
  rivals: [
    {
      mode: 'learning_rate_too_high',
      separatedBy: 'KL of the updates before the drop: above 0.1 nats, they were too large.',
    },
  ],
};
