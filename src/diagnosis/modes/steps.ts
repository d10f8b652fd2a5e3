/** Steps that are too large, too small or not held by anything. */

import { traitsOf } from '../../algorithms/surrogates.ts';
import { percent, significant } from '../../runs/numbers.ts';
import { type Facts, updatesOf } from '../evidence.ts';
import type { Remedy } from '../finding.ts';
import type { Moment } from '../history.ts';
import { beyond, type Mode } from './mode.ts';
import { asItWasSet, rateTimes, settingOf } from './rate.ts';

/** Above this an iteration's updates learn from words that the policy would hardly write; healthy are 0.001 to 0.03. */
const LARGE_KL = 0.1;
/** With so many tokens at a bound, half of this is too much already. */
const MANY_CLIPPED = 0.2;
/** Epochs over the same episodes from which on they are the first suspect; papers take 1 to 10. */
const MANY_EPOCHS = 16;

/** Every token is of the policy that the iteration began with, so that KL is what its updates did. */
export function fresh({ replay, rollout }: Facts): boolean {
  return (
    (replay?.share ?? 0) === 0 &&
    (rollout?.partial_turns ?? 0) === 0 &&
    (rollout?.partial_tokens ?? 0) === 0
  );
}

/** Bounds that take the gradient from tokens, as far as is known. */
export function clips({ algorithm }: Facts): boolean {
  const objective = algorithm?.objective;
  return objective === undefined || traitsOf(objective).bounds === 'tokens';
}

const wide = (moment: Moment) =>
  moment.now('policy/clip_low') <= 0.4 && moment.now('policy/clip_high') >= 3;

const tight = (moment: Moment) =>
  moment.now('policy/clip_low') >= 0.95 && moment.now('policy/clip_high') <= 1.05;

/** Leaps that hold back fewer are of a policy that grows certain, and learns on. */
const SOME_CLIPPED = 0.12;

/** With so many the updates of a single iteration are proof enough, if they also went far. */
const MOST_CLIPPED = 0.4;

/** Fewer successes than this are no loss: they come and go. */
const FALL = 0.14;

/** What success was lately, at its best; 0 where it is not known. */
const lately = (moment: Moment) => Math.max(0, ...known(moment.lately('rollout/success_rate', 6)));

const known = (values: readonly number[]) => values.filter((value) => Number.isFinite(value));

/** Most episodes succeed, and hardly fewer than lately: however far it goes, it goes well. */
const thrives = (moment: Moment) => {
  const success = moment.now('rollout/success_rate');
  return success >= 0.5 && success > lately(moment) - FALL;
};

/** Most of what succeeded lately is lost. */
const collapsed = (moment: Moment) =>
  lately(moment) >= 0.3 && moment.now('rollout/success_rate') < 0.4 * lately(moment);

/**
 * The updates of this iteration, or of the last two, went far and ran into the bounds; or two of three
 * very far; or one went very far and success is gone.
 */
function overshoots(moment: Moment): boolean {
  if (wide(moment) || tight(moment) || thrives(moment)) return false;
  const far = (iterations: number) => moment.mean('policy/approx_kl', iterations);
  const clipped = (iterations: number) => moment.mean('policy/clip_fraction', iterations);
  if (far(1) > 1.5 * LARGE_KL && clipped(1) > MOST_CLIPPED) return true;
  if (far(2) > LARGE_KL / 2 && clipped(2) > 1.5 * MANY_CLIPPED) return true;
  const leap = (ago: number) => Number(moment.now('policy/approx_kl', ago) > 1.5 * LARGE_KL);
  const leaps = leap(0) + leap(1) + leap(2);
  // One leap alone is no cause: a sound run may survive it.
  return leaps > 0 && (collapsed(moment) || (leaps > 1 && clipped(2) > SOME_CLIPPED));
}

/** Steps of this size are no longer usual, even if fewer tokens meet a bound. */
const stillLarge = (moment: Moment) => moment.now('policy/approx_kl') > LARGE_KL / 2;

/** Back to the first iteration in a row that went too far. */
function overshootOnset(raised: Moment) {
  const large = (ago: number) =>
    raised.now('policy/approx_kl', ago) > LARGE_KL ||
    (raised.now('policy/approx_kl', ago) > LARGE_KL / 2 &&
      raised.now('policy/clip_fraction', ago) > MANY_CLIPPED);
  let ago = 0;
  while (large(ago + 1)) ago += 1;
  const at = raised.index - ago;
  return { at, from: at, to: raised.index };
}

/** Of the iterations from the onset on, up to now. */
const most = (key: 'policy/approx_kl' | 'policy/clip_fraction', from: Moment, to: Moment) =>
  Math.max(...to.lately(key, to.index - from.index + 1));

const bounds = (moment: Moment) =>
  `${significant(moment.now('policy/clip_low'))} and ${significant(moment.now('policy/clip_high'))}`;

export const notFinite: Mode = {
  name: 'not_finite',
  stage: 'update',
  reads: ['policy/skipped_updates'],
  asks: [],
  applies: () => true,
  holds: (moment) => moment.now('policy/skipped_updates') > 0,
  hold: 1,
  proofs: ['policy/skipped_updates', 'policy/grad_norm'],
  tell: (raised) => ({
    title: 'Numbers are no longer finite.',
    text: `In iteration ${raised.iteration} ${raised.now('policy/skipped_updates')} updates had a gradient that is not finite and were skipped.`,
    confidence: 0.99,
    beside: {
      'policy/grad_norm': 'Some gradients were not finite; those updates were skipped.',
    },
  }),
  remedies: (raised) => [
    {
      ...rateTimes(raised, 1 / 10),
      text: 'A learning rate of a tenth keeps the weights where their exponentials fit.',
    },
    { setting: 'optimizer.max_grad_norm', value: 1, text: 'Scale gradients down to norm 1.' },
  ],
  explains: ['learning_rate_too_high', 'setback', 'entropy_collapse', 'groups_agree'],
  rivals: [
    {
      mode: 'learning_rate_too_high',
      separatedBy: 'The largest gradient norm before: a step too large grows it first.',
    },
  ],
};

export const noStepBound: Mode = {
  name: 'no_step_bound',
  stage: 'config',
  reads: ['policy/approx_kl', 'policy/clip_low', 'policy/clip_high', 'policy/clip_fraction'],
  asks: [],
  applies: (facts) => clips(facts) && updatesOf(facts) !== 1,
  holds: (moment) =>
    wide(moment) &&
    moment.now('policy/approx_kl') > LARGE_KL &&
    moment.now('policy/clip_fraction') < 0.02,
  lasts: stillLarge,
  hold: 1,
  proofs: ['policy/approx_kl', 'policy/clip_fraction'],
  tell: (raised, onset) => {
    const kl = significant(most('policy/approx_kl', onset, raised));
    return {
      title: 'Nothing bounds the step.',
      text: `With bounds of ${bounds(raised)} no token is ever held back, and in iteration ${raised.iteration} the updates moved the policy by ${kl} nats; 0.001 to 0.03 are usual.`,
      confidence: beyond(most('policy/approx_kl', onset, raised), LARGE_KL),
      beside: {
        'policy/clip_fraction': `Nothing bounds the step: between ${bounds(raised)} every token keeps its gradient, however far the policy has moved.`,
        'policy/approx_kl': `Since iteration ${raised.iteration} single iterations have moved the policy by ${kl} nats and more, because the bounds hold nothing back.`,
        'rollout/success_rate':
          'Its steps are held by nothing: what one iteration teaches, the next overwrites.',
        'policy/entropy': 'It jumps with every step that nothing bounds.',
      },
    };
  },
  remedies: () => [
    {
      setting: 'algorithm.clip_high',
      value: 1.2,
      also: [{ setting: 'algorithm.clip_low', value: 0.8 }],
      text: 'Hold good tokens back above a ratio of 1.2 and bad ones below 0.8.',
    },
  ],
  explains: [
    'learning_rate_too_high',
    'too_many_epochs',
    'setback',
    'entropy_collapse',
    'groups_agree',
    'value_head_untrained',
  ],
  rivals: [
    {
      mode: 'learning_rate_too_high',
      separatedBy:
        'A run with bounds of 0.8 and 1.2 at this learning rate: if it lives, it was the bounds.',
    },
    {
      mode: 'too_many_epochs',
      separatedBy: 'KL after the first epoch: large there already, it is no matter of epochs.',
    },
  ],
};

export const boundsTooTight: Mode = {
  name: 'bounds_too_tight',
  stage: 'config',
  reads: ['policy/clip_low', 'policy/clip_high', 'policy/clip_fraction'],
  asks: [],
  applies: (facts) => clips(facts) && updatesOf(facts) !== 1,
  holds: (moment) => tight(moment) && moment.now('policy/clip_fraction') > MANY_CLIPPED,
  hold: 3,
  release: 10,
  proofs: ['policy/clip_fraction', 'policy/approx_kl'],
  tell: (raised) => {
    const share = percent(raised.mean('policy/clip_fraction', 3));
    return {
      title: 'The bounds are too tight.',
      text: `Between ${bounds(raised)} ${share} of the tokens lose their gradient although the updates move the policy by no more than ${significant(raised.now('policy/approx_kl'))} nats: it learns slowly for nothing.`,
      confidence: beyond(raised.mean('policy/clip_fraction', 3), MANY_CLIPPED / 2),
      beside: {
        'policy/clip_fraction': `The bounds are too tight: ${share} of the tokens leave the little room between ${bounds(raised)} and lose their gradient.`,
        'policy/approx_kl':
          'Small because the bounds are tight: tokens lose their gradient as soon as they move.',
        'rollout/success_rate':
          'Every iteration may move the policy by a hair only, since the bounds are too tight.',
      },
    };
  },
  remedies: () => [
    {
      setting: 'algorithm.clip_high',
      value: 1.2,
      also: [{ setting: 'algorithm.clip_low', value: 0.8 }],
      text: 'Widen the bounds to 0.8 and 1.2.',
    },
  ],
  explains: ['nothing_moves', 'groups_agree', 'learning_rate_too_high', 'too_many_epochs'],
  rivals: [
    {
      mode: 'nothing_moves',
      separatedBy: 'The clip fraction: with a learning rate too low no token reaches a bound.',
    },
  ],
};

const overshootProofs = [
  'policy/approx_kl',
  'policy/clip_fraction',
  'rollout/success_rate',
] as const;

const overshootExplains = [
  'setback',
  'entropy_collapse',
  'groups_agree',
  'value_head_untrained',
  'horizon_too_short',
  'bootstrapping_at_horizon',
] as const;

const spell = (raised: Moment, onset: Moment) =>
  onset.index === raised.index
    ? `iteration ${raised.iteration}`
    : `iterations ${onset.iteration} to ${raised.iteration}`;

/** What an iteration did that went too far, from the first such iteration on. */
function overshot(raised: Moment, onset: Moment): string {
  return `In ${spell(raised, onset)} the updates moved the policy by up to ${significant(most('policy/approx_kl', onset, raised))} nats and ran ${percent(most('policy/clip_fraction', onset, raised))} of the tokens into a bound; 0.001 to 0.03 nats are usual.`;
}

const manyEpochs = ({ algorithm }: Facts) => (algorithm?.epochs ?? 0) >= MANY_EPOCHS;

export const learningRateTooHigh: Mode = {
  name: 'learning_rate_too_high',
  stage: 'update',
  reads: ['policy/approx_kl', 'policy/clip_fraction'],
  asks: [],
  applies: (facts) => fresh(facts) && clips(facts) && !manyEpochs(facts),
  holds: overshoots,
  lasts: stillLarge,
  hold: 1,
  onset: overshootOnset,
  proofs: overshootProofs,
  tell: (raised, onset) => ({
    title: 'The learning rate is too high.',
    text: overshot(raised, onset),
    confidence: beyond(most('policy/clip_fraction', onset, raised), MANY_CLIPPED / 2),
    beside: {
      'policy/approx_kl': `The learning rate is too high: in ${spell(raised, onset)} the updates went as far as ${significant(most('policy/approx_kl', onset, raised))} nats.`,
      'policy/clip_fraction': `The learning rate${settingOf(raised)} drives ${percent(most('policy/clip_fraction', onset, raised))} of the tokens into a bound within an iteration.`,
      'rollout/success_rate': `Since iteration ${onset.iteration} its steps are too large for what they are learned from: the learning rate${settingOf(raised)} is too high.`,
      'policy/entropy': 'It moves in leaps, as steps do that are too large.',
      'policy/grad_norm':
        'Clipping its norm does not hold the step: AdamW scales every gradient to the learning rate.',
    },
  }),
  remedies: (raised) => {
    const raisedBack = asItWasSet(raised);
    if (raisedBack !== null) return [raisedBack];
    return [
      {
        ...rateTimes(raised, 1 / 3),
        text: `Try a third of the learning rate${settingOf(raised)}.`,
      },
      {
        ...rateTimes(raised, 1 / 10),
        text: 'Or a tenth of it.',
      },
      {
        setting: 'optimizer.warmup_updates',
        value: 20,
        text: 'Let the learning rate rise over the first updates.',
      },
    ];
  },
  explains: overshootExplains,
  rivals: [
    {
      mode: 'too_many_epochs',
      separatedBy: 'KL after the first epoch: large there already, it is the learning rate.',
    },
    {
      mode: 'no_step_bound',
      separatedBy: 'The clip fraction: bounds that hold nothing clip nothing.',
    },
  ],
};

export const tooManyEpochs: Mode = {
  ...learningRateTooHigh,
  name: 'too_many_epochs',
  asks: ['algorithm.epochs'],
  applies: (facts) => fresh(facts) && clips(facts) && manyEpochs(facts),
  tell: (raised, onset) => {
    const { epochs = Number.NaN } = raised.facts.algorithm ?? {};
    return {
      title: 'Too many epochs over the same episodes.',
      text: `${overshot(raised, onset)} Each iteration learns ${epochs} times from the same words.`,
      confidence: beyond(epochs, MANY_EPOCHS / 2),
      beside: {
        'policy/approx_kl': `Too many epochs: after ${epochs} of them the policy is ${significant(most('policy/approx_kl', onset, raised))} nats away from the words it learns from.`,
        'policy/clip_fraction': `In ${epochs} epochs over the same episodes ${percent(most('policy/clip_fraction', onset, raised))} of the tokens run into a bound.`,
        'rollout/success_rate': `Every iteration learns ${epochs} times from the same episodes, and so more from their accidents than from what they share.`,
        'policy/entropy': 'It moves in leaps, as steps do that are too large.',
      },
    };
  },
  remedies: ({ facts: { algorithm } }) => [
    {
      setting: 'algorithm.epochs',
      value: 4,
      text: `Take 4 epochs${algorithm?.epochs === undefined ? '' : ` in place of ${algorithm.epochs}`}.`,
    },
  ],
  rivals: [
    {
      mode: 'learning_rate_too_high',
      separatedBy: 'KL after the first epoch: small there, it is the epochs.',
    },
  ],
};

/** Below this the policy stays where it is. */
const NO_KL = 1e-4;

/** What an iteration's updates usually come to. */
const USUAL_KL = 0.01;

/** KL grows with the square of the step; where ten times the rate is not enough, it says what is. */
function farther(raised: Moment): readonly Remedy[] {
  const factor = Math.sqrt(USUAL_KL / raised.mean('policy/approx_kl', 3));
  if (!(factor > 20 && factor < 1e4)) return [];
  const remedy = rateTimes(raised, factor);
  if (remedy.value === undefined) return [];
  return [
    {
      ...remedy,
      text: `Or at once to ${significant(remedy.value)}: KL grows with its square, and would be ${USUAL_KL} there.`,
    },
  ];
}

export const nothingMoves: Mode = {
  name: 'nothing_moves',
  stage: 'update',
  reads: ['policy/approx_kl', 'policy/entropy', 'rollout/success_rate'],
  asks: [],
  applies: () => true,
  holds: (moment) =>
    moment.mean('policy/approx_kl', 3) < NO_KL &&
    !(moment.now('policy/clip_fraction') > 0.001) &&
    Math.abs(moment.now('policy/entropy') / moment.first('policy/entropy') - 1) < 0.03 &&
    moment.mean('rollout/success_rate') < 0.8 &&
    !(moment.now('policy/grad_norm') < 1e-3),
  hold: 3,
  release: 3,
  proofs: ['policy/approx_kl', 'policy/entropy', 'policy/grad_norm'],
  tell: (raised) => {
    const kl = significant(raised.mean('policy/approx_kl', 3));
    return {
      title: 'Nothing moves: the learning rate is too low.',
      text: `Gradients arrive, but an iteration's updates move the policy by ${kl} nats, where 0.001 to 0.03 are usual, and its entropy stays at ${significant(raised.now('policy/entropy'))} nats.`,
      confidence: beyond(NO_KL, raised.mean('policy/approx_kl', 3)),
      beside: {
        'policy/approx_kl': `Nothing moves: ${kl} nats an iteration. The learning rate${settingOf(raised)} is too low.`,
        'policy/clip_fraction':
          'Nothing moves, so no token comes near a bound: the learning rate is too low.',
        'policy/entropy':
          'Flat, because the updates hardly move the policy: the learning rate is too low.',
        'policy/grad_norm':
          'There is a gradient in every update; the learning rate is too low to follow it.',
        'rollout/success_rate': `The policy is still the one that it began as: the learning rate${settingOf(raised)} is too low.`,
        'value/explained_variance':
          'The value head hardly moves either: the learning rate is too low for it to know anything yet.',
      },
    };
  },
  remedies: (raised) => [
    {
      ...rateTimes(raised, 10),
      text: `Raise the learning rate${settingOf(raised)}, threefold or more at a time, until KL reaches 0.001.`,
    },
    ...farther(raised),
  ],
  explains: ['value_head_untrained', 'groups_agree', 'horizon_too_short', 'setback'],
  rivals: [
    {
      mode: 'groups_agree',
      separatedBy: 'The gradient norm: groups that agree leave none.',
    },
    {
      mode: 'reference_too_tight',
      separatedBy: 'The KL coefficient: without a reference nothing holds the policy.',
    },
  ],
};
