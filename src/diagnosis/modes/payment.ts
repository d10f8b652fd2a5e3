/** Reward problems: rewards that are lost, too large, or given for something other than success. */

import { percent, significant } from '../../runs/numbers.ts';
import { noiseOf } from '../change-points.ts';
import type { Moment } from '../history.ts';
import { WINDOW } from '../trend.ts';
import { beyond, type Mode } from './mode.ts';
import { fell, SCATTER } from './outcomes.ts';
import { fromValues } from './values.ts';

/** A success with a reward below this counts as unrewarded. */
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
      title: 'Successful episodes are not rewarded.',
      text: `Since iteration ${onset.iteration} the mean score is ${significant(raised.now('rollout/score'))} although ${success} of the episodes succeed. Their rewards are lost before the update, so success is not reinforced. The success rate is now ${percent(now.mean('rollout/success_rate', 3))}.`,
      confidence: 0.95,
      beside: {
        'rollout/score': `Zero since iteration ${onset.iteration} although episodes succeed: their rewards are lost.`,
        'rollout/success_rate': `Since iteration ${onset.iteration} success is not rewarded, so it is no longer reinforced.`,
        'value/explained_variance':
          'Nothing is left to predict: the rewards of successful episodes are lost.',
        'policy/grad_norm':
          'Only the value loss and the entropy bonus still have a gradient: no reward reaches the update.',
      },
    };
  },
  remedies: () => [
    {
      setting: 'faults.reward_delay',
      value: 0,
      text: 'Assign each reward to the turn that earned it, and the final reward to the last turn.',
    },
    {
      setting: 'faults.reward_factor',
      value: 1,
      text: 'Check the factor that multiplies the rewards: a factor of 0 removes them.',
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
        'Success at the onset: if it drops together with the score, episodes fail; if it stays, rewards are lost.',
    },
  ],
};

/** If half the squared error of the returns exceeds this, no usual learning rate works. */
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
        ? ` The gradient norm of ${significant(norm)} is clipped to ${significant(limit)}, which scales the policy’s part down as well.`
        : '';
    return {
      title: 'Rewards are too large for the value head.',
      text: `Since iteration ${onset.iteration} returns average ${mean} while the value head predicts ${guess}. The value loss of ${loss} dominates every update.${drowned}`,
      confidence: beyond(raised.mean('value/loss', 3), LARGE_LOSS),
      beside: {
        'value/explained_variance': `Low since iteration ${onset.iteration}: the returns are too large for the value head to fit.`,
        'policy/grad_norm': `Almost all of it comes from the value loss of ${loss}.`,
        'rollout/score': 'With rewards of this size the value loss dominates the policy loss.',
        'rollout/success_rate':
          'The value loss dominates each update, so little of it improves the policy.',
      },
    };
  },
  remedies: (raised) => [
    {
      setting: 'faults.reward_factor',
      value: 1,
      text: 'Divide the rewards by their typical size, so that returns stay around 1.',
    },
    {
      setting: 'algorithm.value_coef',
      value: Number(
        ((raised.facts.algorithm?.value_coef ?? 0.5) / raised.mean('value/loss', 3)).toPrecision(1),
      ),
      text: 'Or lower the weight of the value loss by the same factor.',
    },
    {
      setting: 'algorithm.advantage',
      value: 'grpo',
      text: 'Or use group-relative advantages, which do not depend on the scale of the rewards.',
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
      separatedBy: 'The value loss: for an untrained value head it is as small as the returns.',
    },
    {
      mode: 'learning_rate_too_high',
      separatedBy: 'KL: with rewards that are too large, the policy’s updates stay small.',
    },
  ],
};

/** Mean score over the iterations in which mean success was highest. */
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

/** Minimum gain in score while success falls, as a share of the score. */
const GAINED = 0.1;
/** A jump of the score must exceed this multiple of its noise. */
const LEAP = 8;
/** Number of iterations before the fall in which the reward may have changed. */
const BEFORE = 10;

/**
 * Among the last few rows, the one in which the score jumped while success hardly changed; undefined if
 * there is none.
 */
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

/** Whether the score has kept growing since the jump while success went down. */
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

/** The onset: the row of the jump, or else the last iterations. */
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
      title: 'The score rises while success falls.',
      text: `The score rose from ${before} to ${score} while success fell from ${best} to ${left}. Since iteration ${onset.iteration} the reward pays for something other than solving the task; the episodes with the highest scores show what.`,
      confidence: beyond(
        raised.peak('rollout/success_rate') - now.mean('rollout/success_rate', 3),
        GAINED,
      ),
      beside: {
        'rollout/score': `It rises while success falls: since iteration ${onset.iteration} the reward pays for something else.`,
        'rollout/success_rate': `It falls because something else is rewarded more: the score has risen to ${score}.`,
        'rollout/turns': 'Longer episodes collect more of the reward that success does not earn.',
        'value/explained_variance':
          'The value head now predicts reward that is unrelated to success.',
      },
    };
  },
  remedies: ({ facts: { algorithm } }) => [
    {
      setting: 'faults.understood_reward',
      value: 0,
      text: 'Reward only success, or nothing that an episode can collect without it.',
    },
    {
      setting: 'faults.token_reward',
      value: 0,
      text: 'Do not reward the length of the text.',
    },
    ...((algorithm?.kl_coef ?? 0) < 0.05
      ? [
          {
            setting: 'algorithm.kl_coef',
            value: 0.05,
            text: 'Keep the policy close to its initial weights until the reward is fixed.',
          },
        ]
      : []),
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
      separatedBy: 'The score: in a setback it falls together with success.',
    },
  ],
};
