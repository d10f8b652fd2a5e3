/** Effects of a value head on training. */

import { estimators } from '../../algorithms/advantages.ts';
import { percent, significant } from '../../runs/numbers.ts';
import type { Facts } from '../evidence.ts';
import type { Moment } from '../history.ts';
import { beyond, type Mode } from './mode.ts';
import { fell } from './outcomes.ts';

/** Whether advantages come from a value head; undefined if unknown. */
export function fromValues({ algorithm }: Facts): boolean | undefined {
  const advantage = algorithm?.advantage;
  return advantage === undefined ? undefined : estimators[advantage].against === 'values';
}

/** From this γ on, a bootstrapped value is hardly discounted. */
const UNDISCOUNTED = 0.995;

/** Whether the values were good and are now worse than a constant, while episodes are truncated. */
const misled = (moment: Moment) =>
  moment.now('value/explained_variance') < -0.5 &&
  moment.peak('value/explained_variance') > 0.3 &&
  moment.now('rollout/truncated') > 0.05;

/** Whether success has fallen and nearly all failed episodes are now truncated. */
const wandersOff = (moment: Moment) =>
  fell(moment) &&
  moment.mean('rollout/truncated', 3) > 0.9 * (1 - moment.mean('rollout/success_rate', 3));

export const bootstrappingAtHorizon: Mode = {
  name: 'bootstrapping_at_horizon',
  stage: 'config',
  reads: ['value/explained_variance', 'rollout/truncated', 'rollout/success_rate'],
  asks: ['algorithm.gamma', 'algorithm.advantage'],
  applies: (facts) => fromValues(facts) === true && (facts.algorithm?.gamma ?? 0) >= UNDISCOUNTED,
  holds: (moment) => misled(moment) || wandersOff(moment),
  hold: 2,
  proofs: ['value/explained_variance', 'rollout/truncated', 'rollout/success_rate'],
  tell: (raised, onset, now) => {
    const cut = percent(now.mean('rollout/truncated'));
    const gamma = significant(raised.facts.algorithm?.gamma);
    return {
      title: `Bootstrapping at the horizon with γ = ${gamma}.`,
      text: `A truncated episode is credited with the predicted value of its last state, and with γ = ${gamma} that value is not discounted. Since iteration ${onset.iteration} continuing is worth as much as reaching the goal. ${misled(raised) ? `Explained variance was ${significant(onset.peak('value/explained_variance'))} and fell to ${significant(raised.now('value/explained_variance')).replace('-', '−')}` : `Success was ${percent(raised.peak('rollout/success_rate'))} and is now ${percent(now.mean('rollout/success_rate'))}`}, and ${cut} of the episodes are now truncated.`,
      confidence: misled(raised) ? beyond(raised.now('value/explained_variance'), 0.5) : 0.6,
      beside: {
        'rollout/success_rate': `Bootstrapping at the horizon with γ = ${gamma}: truncated episodes are credited with their predicted value, so delaying the goal costs nothing.`,
        'value/explained_variance': `Unreliable since iteration ${onset.iteration}: with γ = ${gamma} the value head learns from its own estimates of truncated episodes.`,
        'rollout/turns': `${cut} of the episodes are truncated, and with γ = ${gamma} they are credited almost as if they had reached the goal.`,
        'policy/entropy':
          'Entropy no longer falls as the policy improves: continuing is worth as much as reaching the goal.',
      },
    };
  },
  remedies: (raised) => [
    {
      setting: 'algorithm.gamma',
      value: 0.95,
      text: 'Discount: with γ = 0.95 a delayed reward is worth less.',
    },
    ...(raised.facts.horizon?.schedule === 'fixed'
      ? []
      : [
          {
            setting: 'horizon.schedule',
            value: 'fixed',
            also: [{ setting: 'horizon.turns', value: raised.now('rollout/horizon') }],
            text: 'Keep the current horizon instead of letting it grow.',
          },
        ]),
  ],
  explains: [
    'setback',
    'horizon_too_short',
    'groups_agree',
    'entropy_collapse',
    'learning_rate_too_high',
    'value_head_untrained',
  ],
  rivals: [
    {
      mode: 'horizon_too_short',
      separatedBy:
        'A run with γ = 0.95 and this horizon: if it succeeds, the horizon is long enough.',
    },
    {
      mode: 'setback',
      separatedBy:
        'Explained variance before the drop: if it fell below zero first, the value head is the cause.',
    },
  ],
};

/** The usual coefficient of the value loss. */
const VALUE_COEF = 0.5;

/**
 * With an explained variance this close to zero, the value head predicts no better than a constant.
 */
const CONSTANT = 1e-3;

export const valueHeadUntrained: Mode = {
  name: 'value_head_untrained',
  stage: 'update',
  reads: ['value/explained_variance', 'rollout/success_rate'],
  asks: [],
  applies: (facts) => fromValues(facts) !== false,
  holds: (moment) =>
    Math.abs(moment.now('value/explained_variance')) < CONSTANT &&
    moment.now('rollout/success_rate') > 0.002 &&
    moment.now('rollout/success_rate') < 0.98,
  hold: 3,
  proofs: ['value/explained_variance', 'value/loss'],
  tell: (raised, onset) => {
    const coef = raised.facts.algorithm?.value_coef;
    const why =
      coef === 0
        ? 'The coefficient of the value loss is 0.'
        : 'Check the coefficient of the value loss, its learning rate and its clipping first.';
    return {
      title: 'The value head is not trained.',
      text: `Since iteration ${onset.iteration} it explains none of the variance of the returns, so advantages are as noisy as the returns. ${why}`,
      confidence: coef === 0 ? 0.99 : 0.7,
      beside: {
        'value/explained_variance': `Zero since iteration ${onset.iteration}: the value head is not trained${coef === 0 ? ', because its coefficient is 0' : ''}.`,
      },
    };
  },
  remedies: ({ facts: { algorithm } }) => [
    ...(algorithm?.value_coef === VALUE_COEF
      ? []
      : [
          {
            setting: 'algorithm.value_coef',
            value: VALUE_COEF,
            text: `Set the coefficient of the value loss to ${VALUE_COEF}.`,
          },
        ]),
    ...(algorithm?.value_coef === 0 || algorithm?.value_clip === 0
      ? []
      : [{ setting: 'algorithm.value_clip', value: 0, text: 'Turn value clipping off.' }]),
  ],
  explains: [],
  rivals: [
    {
      mode: 'nothing_moves',
      separatedBy: 'KL: if it is close to zero as well, the learning rate is the cause.',
    },
  ],
};
