/** What a value head does to the run that learns from it. */

import { estimators } from '../../algorithms/advantages.ts';
import { percent, significant } from '../../runs/numbers.ts';
import type { Facts } from '../evidence.ts';
import type { Moment } from '../history.ts';
import { beyond, type Mode } from './mode.ts';
import { fell } from './outcomes.ts';

/** Advantages come from a value head; undefined where that is not known. */
export function fromValues({ algorithm }: Facts): boolean | undefined {
  const advantage = algorithm?.advantage;
  return advantage === undefined ? undefined : estimators[advantage].against === 'values';
}

/** From here on a value that is bootstrapped comes back to itself almost whole. */
const UNDISCOUNTED = 0.995;

/** The values were good and are now worse than none, while episodes are cut. */
const misled = (moment: Moment) =>
  moment.now('value/explained_variance') < -0.5 &&
  moment.peak('value/explained_variance') > 0.3 &&
  moment.now('rollout/truncated') > 0.05;

/** Success has fallen, and what it lost is now cut by the horizon. */
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
      text: `An episode that the horizon cuts is given the value that its last state promises, and with γ = ${gamma} a promise never shrinks: since iteration ${onset.iteration} walking on is worth as much as arriving. ${misled(raised) ? `The value head explained ${percent(onset.peak('value/explained_variance'))} of the returns, then worse than nothing (${significant(raised.now('value/explained_variance')).replace('-', '−')})` : `Success was ${percent(raised.peak('rollout/success_rate'))} and is ${percent(now.mean('rollout/success_rate'))}`}; the horizon now cuts ${cut}.`,
      confidence: misled(raised) ? beyond(raised.now('value/explained_variance'), 0.5) : 0.6,
      beside: {
        'rollout/success_rate': `Bootstrapping at the horizon with γ = ${gamma}: cut episodes are credited with what they promised, so putting the goal off costs nothing.`,
        'value/explained_variance': `Since iteration ${onset.iteration} not to be trusted: with γ = ${gamma} the values of cut episodes feed on themselves.`,
        'rollout/turns': `${cut} of the episodes go on until the limit cuts them off, and with γ = ${gamma} are credited as if they arrived.`,
        'policy/entropy':
          'It no longer follows the reward: walking on is worth as much as arriving.',
      },
    };
  },
  remedies: (raised) => [
    {
      setting: 'algorithm.gamma',
      value: 0.95,
      text: 'Discount: with γ = 0.95 a promise that is put off is worth less.',
    },
    {
      setting: 'horizon.schedule',
      value: 'fixed',
      also: [{ setting: 'horizon.turns', value: raised.now('rollout/horizon') }],
      text: 'Keep the horizon as it is, rather than let it grow.',
    },
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
        'A run with γ = 0.95 and this horizon: if it lives, the horizon was long enough.',
    },
    {
      mode: 'setback',
      separatedBy:
        'Explained variance before the fall of success: below zero first, it was the values.',
    },
  ],
};

/** An explained variance this close to zero is that of a constant. */
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
        ? 'Its coefficient in the loss is 0'
        : 'What it is taught does not reach it: its coefficient, its learning rate or its clip are the first to look at';
    return {
      title: 'The value head is not trained.',
      text: `Since iteration ${onset.iteration} it has explained nothing of what sets returns apart, while their spread leaves something to explain. ${why}, so advantages are the returns themselves.`,
      confidence: coef === 0 ? 0.99 : 0.7,
      beside: {
        'value/explained_variance': `Zero since iteration ${onset.iteration}: the value head is not trained${coef === 0 ? ', as its coefficient is 0' : ''}.`,
      },
    };
  },
  remedies: ({ facts: { algorithm } }) => [
    {
      setting: 'algorithm.value_coef',
      value: 0.5,
      text: 'Give the value head’s loss its weight of 0.5 again.',
    },
    ...(algorithm?.value_coef === 0
      ? []
      : [{ setting: 'algorithm.value_clip', value: 0, text: 'Let values move freely.' }]),
  ],
  explains: [],
  rivals: [
    {
      mode: 'nothing_moves',
      separatedBy: 'The policy’s KL: if that is zero as well, it is the learning rate.',
    },
  ],
};
