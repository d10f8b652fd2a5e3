/** What is wrong with the rewards that a run learns from: lost, too large, or for something else. */

import { percent, significant } from '../../runs/numbers.ts';
import { noiseOf } from '../change-points.ts';
import type { Moment } from '../history.ts';
import { WINDOW } from '../trend.ts';
import { beyond, type Mode } from './mode.ts';
import { fell, SCATTER } from './outcomes.ts';
import { fromValues } from './values.ts';

/** A success that earns less than this share of a point earns nothing. */
const NOTHING = 0.01;

const earnsNothing = (moment: Moment) =>
  moment.now('rollout/success_rate') > 0.03 &&
  Math.abs(moment.now('rollout/score')) < NOTHING * moment.now('rollout/success_rate');

export const rewardsLost: Mode = {
  name: 'rewards_lost',
  stage: 'data',
  reads: ['rollout/success_rate', 'rollout/score'],
  asks: [],
  applies: () => true,
  holds: earnsNothing,
  hold: 2,
  proofs: ['rollout/score', 'rollout/success_rate', 'rollout/group_zero_std'],
  tell: (raised, onset, now) => {
    const success = percent(raised.mean('rollout/success_rate', 2));
    return {
      title: 'Successes earn nothing.',
      text: `Since iteration ${onset.iteration} the score is ${significant(raised.now('rollout/score'))} although ${success} of the episodes succeed: their rewards are lost on the way, so nothing that works is reinforced. Success is now ${percent(now.mean('rollout/success_rate', 3))}.`,
      confidence: 0.95,
      beside: {
        'rollout/score': `Zero since iteration ${onset.iteration} while episodes succeed: their rewards do not arrive.`,
        'rollout/success_rate': `Since iteration ${onset.iteration} a success earns nothing, so it is not learned any more.`,
        'value/explained_variance':
          'There is nothing left to foresee: the rewards of successes do not arrive.',
        'policy/grad_norm':
          'What still pulls are the value head’s errors and the bonus: no reward arrives.',
      },
    };
  },
  remedies: () => [
    {
      setting: 'faults.reward_delay',
      value: 0,
      text: 'Book every reward on the turn that earned it, the last one on the last turn.',
    },
    {
      setting: 'faults.reward_factor',
      value: 1,
      text: 'Look at what the rewards are multiplied by: a factor of 0 leaves nothing.',
    },
  ],
  explains: [
    'setback',
    'groups_agree',
    'nothing_moves',
    'value_head_untrained',
    'entropy_collapse',
    'horizon_too_short',
    'environment_faults',
    'bootstrapping_at_horizon',
  ],
  rivals: [
    {
      mode: 'environment_faults',
      separatedBy:
        'Success at the onset: if it falls in the same iteration as the score, episodes fail; if it stays, rewards are lost.',
    },
  ],
};

/** Half a squared error above this is of returns that no learning rate here is made for. */
const LARGE_LOSS = 10;

export const rewardScale: Mode = {
  name: 'reward_scale',
  stage: 'data',
  reads: ['value/loss', 'value/explained_variance'],
  asks: [],
  applies: (facts) => fromValues(facts) !== false,
  holds: (moment) =>
    moment.now('value/loss') > LARGE_LOSS && moment.now('value/explained_variance') < 0.3,
  lasts: (moment) => moment.now('value/loss') > LARGE_LOSS,
  hold: 3,
  proofs: ['value/loss', 'value/explained_variance', 'policy/grad_norm', 'rollout/score'],
  tell: (raised, onset) => {
    const [loss, mean, guess] = [
      significant(raised.mean('value/loss', 3)),
      significant(raised.mean('value/return_mean', 3)),
      significant(raised.mean('value/mean', 3)),
    ];
    const [norm, limit] = [
      raised.mean('policy/grad_norm', 3),
      raised.facts.optimizer?.max_grad_norm,
    ];
    const drowned =
      limit !== undefined && norm > limit
        ? ` Its gradient of ${significant(norm)} is scaled down to ${significant(limit)}, and what the advantages say with it.`
        : '';
    return {
      title: 'Rewards are too large for the value head.',
      text: `Since iteration ${onset.iteration} returns average ${mean} and the value head expects ${guess}: its loss of ${loss} outweighs the policy’s in every update.${drowned}`,
      confidence: beyond(raised.mean('value/loss', 3), LARGE_LOSS),
      beside: {
        'value/explained_variance': `Low since iteration ${onset.iteration}: the returns are far larger than the value head can follow.`,
        'policy/grad_norm': `Nearly all of it is the value head’s: its loss is ${loss}.`,
        'rollout/score':
          'Rewards of this size drown the policy’s objective in the value head’s loss.',
        'rollout/success_rate':
          'The value head’s loss outweighs the objective, so little of each update serves success.',
      },
    };
  },
  remedies: (raised) => [
    {
      setting: 'faults.reward_factor',
      value: 1,
      text: 'Divide the rewards by their usual size, so that returns stay around 1.',
    },
    {
      setting: 'algorithm.value_coef',
      value: Number((0.5 / raised.mean('value/loss', 3)).toPrecision(1)),
      text: 'Or lower the weight of the value head’s loss by as much as it is too large.',
    },
    {
      setting: 'algorithm.advantage',
      value: 'grpo',
      text: 'Or compare episodes of a group: their advantages have no scale.',
    },
  ],
  explains: [
    'setback',
    'value_head_untrained',
    'learning_rate_too_high',
    'nothing_moves',
    'horizon_too_short',
    'entropy_collapse',
    'bootstrapping_at_horizon',
  ],
  rivals: [
    {
      mode: 'value_head_untrained',
      separatedBy: 'The value loss: a head that is not trained has a small one where returns are.',
    },
    {
      mode: 'learning_rate_too_high',
      separatedBy: 'KL: rewards that are too large leave the policy’s steps small.',
    },
  ],
};

/** The score when success was at its best: mean of the same iterations. */
function scoreAtPeak(moment: Moment): number {
  const { history, index } = moment;
  const peak = moment.peak('rollout/success_rate');
  for (let at = index; at >= WINDOW - 1; at--) {
    const level = history.mean('rollout/success_rate', at, WINDOW);
    if (level >= peak) return history.mean('rollout/score', at, WINDOW);
  }
  return Number.NaN;
}

/** By how much the score has grown since success was at its best. */
const scoreGain = (moment: Moment) => moment.mean('rollout/score', 3) - scoreAtPeak(moment);

/** Share of the score that has to be gained while success falls. */
const GAINED = 0.1;
/** Noises that a score does not leap by itself. */
const LEAP = 8;
/** Iterations before the fall in which what pays may have changed. */
const BEFORE = 10;

/** The row in which the score leapt while success stayed, of the last few; undefined where it did not. */
function leapOf({ history, index }: Moment): number | undefined {
  const [score, success] = [
    history.column('rollout/score'),
    history.column('rollout/success_rate'),
  ];
  const step = (of: Float64Array, at: number) =>
    Math.abs((of[at] ?? Number.NaN) - (of[at - 1] ?? Number.NaN));
  for (let at = Math.max(3, index - BEFORE); at <= index; at++) {
    if (step(score, at) > 0.1 && step(success, at) < 0.1) {
      const noise = noiseOf([...score.subarray(Math.max(0, at - SCATTER), at)]);
      if (step(score, at) > LEAP * noise) return at;
    }
  }
  return undefined;
}

/** Since the score leapt it has grown on, and success has gone down. */
function partsAfterLeap(moment: Moment): boolean {
  const leap = leapOf(moment);
  if (leap === undefined || moment.index < leap + 3) return false;
  const { history } = moment;
  const then = (key: 'rollout/score' | 'rollout/success_rate') => history.mean(key, leap + 1, 2);
  return (
    then('rollout/success_rate') - moment.mean('rollout/success_rate', 3) > 0.08 &&
    moment.mean('rollout/score', 3) > 1.05 * then('rollout/score')
  );
}

const paidForOther = (moment: Moment) =>
  moment.mean('rollout/score', 3) > 0 &&
  ((fell(moment) && scoreGain(moment) > GAINED * Math.max(Math.abs(scoreAtPeak(moment)), GAINED)) ||
    partsAfterLeap(moment));

/** Where the score leapt; else within the last iterations. */
function partingOnset(raised: Moment): { at: number; from: number; to: number } {
  const { index } = raised;
  const leap = leapOf(raised);
  if (leap !== undefined) return { at: leap, from: leap, to: leap };
  return { at: Math.max(0, index - 2), from: Math.max(0, index - BEFORE), to: index };
}

export const rewardHacking: Mode = {
  name: 'reward_hacking',
  stage: 'data',
  reads: ['rollout/success_rate', 'rollout/score'],
  asks: [],
  applies: () => true,
  holds: paidForOther,
  hold: 2,
  onset: partingOnset,
  proofs: ['rollout/score', 'rollout/success_rate', 'rollout/turns', 'rollout/understood'],
  tell: (raised, onset, now) => {
    const [best, left] = [
      percent(raised.peak('rollout/success_rate')),
      percent(now.mean('rollout/success_rate', 3)),
    ];
    const [before, score] = [
      significant(onset.mean('rollout/score', 3, 1)),
      significant(now.mean('rollout/score', 3)),
    ];
    return {
      title: 'It is paid for something other than success.',
      text: `The score has risen from ${before} to ${score} while success fell from ${best} to ${left}: since iteration ${onset.iteration} something pays that does not solve the task. Reading the episodes with the highest score says what.`,
      confidence: beyond(
        raised.peak('rollout/success_rate') - now.mean('rollout/success_rate', 3),
        GAINED,
      ),
      beside: {
        'rollout/score': `It rises while success falls: since iteration ${onset.iteration} something else pays.`,
        'rollout/success_rate': `It falls because something else pays more: the score has risen to ${score} meanwhile.`,
        'rollout/turns': 'Longer episodes collect more of what pays beside success.',
        'value/explained_variance':
          'The value head learns what pays now, which is no longer success.',
      },
    };
  },
  remedies: () => [
    {
      setting: 'faults.understood_reward',
      value: 0,
      text: 'Pay for success alone, or for nothing that an episode can collect without it.',
    },
    {
      setting: 'faults.token_reward',
      value: 0,
      text: 'Pay nothing for what is written by itself.',
    },
    {
      setting: 'algorithm.kl_coef',
      value: 0.05,
      text: 'Hold the policy near the one it began as, while the reward is mended.',
    },
  ],
  explains: [
    'setback',
    'reward_scale',
    'horizon_too_short',
    'entropy_collapse',
    'environment_faults',
    'bootstrapping_at_horizon',
    'groups_agree',
  ],
  rivals: [
    {
      mode: 'setback',
      separatedBy: 'The score: it falls with success where nothing else pays.',
    },
  ],
};
