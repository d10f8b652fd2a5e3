/** Steps that are too large, too small or unbounded. */

import { traitsOf } from '../../algorithms/surrogates.ts';
import { percent, several, significant } from '../../runs/numbers.ts';
import { type Facts, updatesOf } from '../evidence.ts';
import type { Remedy } from '../finding.ts';
import type { Moment } from '../history.ts';
import { beyond, type Mode } from './mode.ts';
import { rateTimes, restoreConfiguredRate, settingOf } from './rate.ts';

/**
 * Above this, an iteration's updates learn from tokens that the policy is by then unlikely to generate; 0.001
 * to 0.03 is healthy.
 */
const LARGE_KL = 0.1;
/** Typical KL of an iteration, in a sentence. */
const USUAL = '0.001 to 0.03 nats per iteration are typical';
/** With this many tokens at a bound, half of that KL is already too much. */
const MANY_CLIPPED = 0.2;
/** Number of epochs over the same episodes that makes them the first suspect; papers use 1 to 10. */
const MANY_EPOCHS = 16;

/**
 * Whether every token is from the policy at the start of the iteration, so that KL measures the
 * iteration's updates.
 */
export function fresh({ replay, rollout }: Facts): boolean {
  return (
    (replay?.share ?? 0) === 0 &&
    (rollout?.partial_turns ?? 0) === 0 &&
    (rollout?.partial_tokens ?? 0) === 0
  );
}

/** Whether the objective's bounds remove gradients; true if the objective is unknown. */
export function clips({ algorithm }: Facts): boolean {
  const objective = algorithm?.objective;
  return objective === undefined || traitsOf(objective).bounds === 'tokens';
}

const wide = (moment: Moment) =>
  moment.now('policy/clip_low') <= 0.4 && moment.now('policy/clip_high') >= 3;

const tight = (moment: Moment) =>
  moment.now('policy/clip_low') >= 0.95 && moment.now('policy/clip_high') <= 1.05;

/**
 * With fewer tokens clipped, large steps do no harm: the policy becomes certain and keeps learning.
 */
const SOME_CLIPPED = 0.12;

/**
 * With this many tokens clipped, the updates of a single iteration suffice as evidence if they also moved
 * the policy far.
 */
const MOST_CLIPPED = 0.4;

/** A smaller loss of success is noise. */
const FALL = 0.14;

/** The best recent success; 0 if unknown. */
const lately = (moment: Moment) => Math.max(0, ...known(moment.lately('rollout/success_rate', 6)));

const known = (values: readonly number[]) => values.filter((value) => Number.isFinite(value));

/** Whether at least half of the episodes succeed, and hardly fewer than before: large steps do no harm. */
const thrives = (moment: Moment) => {
  const success = moment.now('rollout/success_rate');
  return success >= 0.5 && success > lately(moment) - FALL;
};

/** Whether most of the recent success is lost. */
const collapsed = (moment: Moment) =>
  lately(moment) >= 0.3 && moment.now('rollout/success_rate') < 0.4 * lately(moment);

/**
 * Whether the updates of this iteration, or of the last two, moved the policy far and reached the
 * bounds; or two of the last three iterations moved it very far; or one did, and success is lost.
 */
function overshoots(moment: Moment): boolean {
  if (wide(moment) || tight(moment) || thrives(moment)) return false;
  const far = (iterations: number) => moment.mean('policy/approx_kl', iterations);
  const clipped = (iterations: number) => moment.mean('policy/clip_fraction', iterations);
  if (far(1) > 1.5 * LARGE_KL && clipped(1) > MOST_CLIPPED) return true;
  if (far(2) > LARGE_KL / 2 && clipped(2) > 1.5 * MANY_CLIPPED) return true;
  const leap = (ago: number) => Number(moment.now('policy/approx_kl', ago) > 1.5 * LARGE_KL);
  const leaps = leap(0) + leap(1) + leap(2);
  // A single large step is not a cause: a healthy run may survive it.
  return leaps > 0 && (collapsed(moment) || (leaps > 1 && clipped(2) > SOME_CLIPPED));
}

/** Whether the steps are still unusually large, even if fewer tokens reach a bound. */
const stillLarge = (moment: Moment) => moment.now('policy/approx_kl') > LARGE_KL / 2;

/** The first iteration of the current series of excessive steps. */
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

/** The maximum over the iterations from the onset on. */
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
    text: `In iteration ${raised.iteration}, ${several(raised.now('policy/skipped_updates'), 'update')} had a gradient that is not finite and ${raised.now('policy/skipped_updates') === 1 ? 'was' : 'were'} skipped.`,
    confidence: 0.99,
    beside: {
      'policy/grad_norm': 'Some gradients were not finite; those updates were skipped.',
    },
  }),
  remedies: (raised) => [
    {
      ...rateTimes(raised, 1 / 10),
      text: 'Lower the learning rate to a tenth, so that the weights stay in range.',
    },
    ...((raised.facts.optimizer?.max_grad_norm ?? 2) > 1
      ? [{ setting: 'optimizer.max_grad_norm', value: 1, text: 'Clip the gradient norm to 1.' }]
      : []),
  ],
  explains: ['learning_rate_too_high', 'setback', 'entropy_collapse', 'groups_agree'],
  rivals: [
    {
      mode: 'learning_rate_too_high',
      separatedBy: 'The gradient norm before: it grows first if the updates are too large.',
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
      title: 'The clip bounds limit nothing.',
      text: `With bounds of ${bounds(raised)} no token is clipped. In iteration ${raised.iteration} the updates moved the policy by ${kl} nats; ${USUAL}.`,
      confidence: beyond(most('policy/approx_kl', onset, raised), LARGE_KL),
      beside: {
        'policy/clip_fraction': `The clip bounds limit nothing: between ${bounds(raised)} every token keeps its gradient, however far the policy has moved.`,
        'policy/approx_kl': `Since iteration ${raised.iteration} single iterations move the policy by ${kl} nats or more, because no token is clipped.`,
        'rollout/success_rate':
          'Nothing limits the updates: each iteration overwrites what the last one learned.',
        'policy/entropy': 'It jumps, because nothing limits the updates.',
      },
    };
  },
  remedies: () => [
    {
      setting: 'algorithm.clip_high',
      value: 1.2,
      also: [{ setting: 'algorithm.clip_low', value: 0.8 }],
      text: 'Clip tokens with a positive advantage above a ratio of 1.2, and those with a negative one below 0.8.',
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
        'A run with bounds of 0.8 and 1.2 at this learning rate: if it succeeds, the bounds are the cause.',
    },
    {
      mode: 'too_many_epochs',
      separatedBy:
        'KL after the first epoch: if it is large already, the number of epochs is not the cause.',
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
      title: 'The clip bounds are too tight.',
      text: `With bounds of ${bounds(raised)}, ${share} of the tokens are clipped although the updates move the policy by only ${significant(raised.now('policy/approx_kl'))} nats. Learning is slower than necessary.`,
      confidence: beyond(raised.mean('policy/clip_fraction', 3), MANY_CLIPPED / 2),
      beside: {
        'policy/clip_fraction': `The clip bounds are too tight: the ratios of ${share} of the tokens leave ${bounds(raised)}, and these tokens lose their gradient.`,
        'policy/approx_kl':
          'Small because the clip bounds are tight: tokens lose their gradient as soon as their ratio moves.',
        'rollout/success_rate':
          'The clip bounds are too tight, so each iteration moves the policy only a little.',
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
      separatedBy:
        'The clip fraction: with a learning rate that is too low, no token reaches a bound.',
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

/** Describes the excessive iterations, from the first one on. */
function overshot(raised: Moment, onset: Moment): string {
  return `In ${spell(raised, onset)} the updates moved the policy by up to ${significant(most('policy/approx_kl', onset, raised))} nats and clipped ${percent(most('policy/clip_fraction', onset, raised))} of the tokens; ${USUAL}.`;
}

/** Number of updates of the proposed warm-up. */
const WARMUP = 20;

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
      'policy/approx_kl': `The learning rate is too high: in ${spell(raised, onset)} the updates moved the policy by up to ${significant(most('policy/approx_kl', onset, raised))} nats.`,
      'policy/clip_fraction': `The learning rate${settingOf(raised)} pushes ${percent(most('policy/clip_fraction', onset, raised))} of the tokens past a bound within one iteration.`,
      'rollout/success_rate': `Since iteration ${onset.iteration} the updates are larger than their data supports: the learning rate${settingOf(raised)} is too high.`,
      'policy/entropy': 'It jumps, because the updates are too large.',
      'policy/grad_norm':
        'Clipping the gradient norm does not limit the step: AdamW rescales every gradient to the learning rate.',
    },
  }),
  remedies: (raised) => {
    const raisedBack = restoreConfiguredRate(raised);
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
      ...((raised.facts.optimizer?.warmup_updates ?? 0) < WARMUP
        ? [
            {
              setting: 'optimizer.warmup_updates',
              value: WARMUP,
              text: 'Warm the learning rate up over the first updates.',
            },
          ]
        : []),
    ];
  },
  explains: overshootExplains,
  rivals: [
    {
      mode: 'too_many_epochs',
      separatedBy:
        'KL after the first epoch: if it is large already, the learning rate is the cause.',
    },
    {
      mode: 'no_step_bound',
      separatedBy: 'The clip fraction: it is zero where the bounds limit nothing.',
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
      text: `${overshot(raised, onset)} Each iteration trains ${epochs} epochs on the same episodes.`,
      confidence: beyond(epochs, MANY_EPOCHS / 2),
      beside: {
        'policy/approx_kl': `Too many epochs: over the ${epochs} epochs of an iteration, the policy’s mean KL from the one that sampled the episodes is ${significant(most('policy/approx_kl', onset, raised))} nats.`,
        'policy/clip_fraction': `In ${epochs} epochs over the same episodes ${percent(most('policy/clip_fraction', onset, raised))} of the tokens reach a bound.`,
        'rollout/success_rate': `Each iteration trains ${epochs} epochs on the same episodes and overfits them.`,
        'policy/entropy': 'It jumps, because the updates are too large.',
      },
    };
  },
  remedies: ({ facts: { algorithm: { epochs } = {} } }) =>
    epochs !== undefined && epochs <= 4
      ? []
      : [
          {
            setting: 'algorithm.epochs',
            value: 4,
            text: `Use 4 epochs${epochs === undefined ? '' : ` instead of ${epochs}`}.`,
          },
        ],
  rivals: [
    {
      mode: 'learning_rate_too_high',
      separatedBy: 'KL after the first epoch: if it is small, the number of epochs is the cause.',
    },
  ],
};

/** KL of an iteration's updates, in nats, below which the policy hardly moves. */
const NO_KL = 1e-4;

/** KL below which the policy counts as unchanged, even if its entropy scatters. */
const NO_STEP = 1e-7;

/** Usual KL of an iteration's updates, in nats. */
const USUAL_KL = 0.01;

/**
 * KL grows with the square of the step. If ten times the rate is not enough, the remedy names a
 * sufficient rate.
 */
function farther(raised: Moment): readonly Remedy[] {
  const factor = Math.sqrt(USUAL_KL / raised.mean('policy/approx_kl', 3));
  if (!(factor > 20 && factor < 1e4)) return [];
  const remedy = rateTimes(raised, factor);
  if (remedy.value === undefined) return [];
  return [
    {
      ...remedy,
      text: `Or set it to ${significant(remedy.value)} directly: KL grows with its square and would be about ${USUAL_KL}.`,
    },
  ];
}

export const nothingMoves: Mode = {
  name: 'nothing_moves',
  stage: 'update',
  reads: ['policy/approx_kl', 'policy/entropy', 'rollout/success_rate'],
  asks: [],
  // KL is measured before each update, so a single update on fresh tokens always has a KL of 0.
  applies: (facts) => !(updatesOf(facts) === 1 && fresh(facts)),
  holds: (moment) =>
    moment.mean('policy/approx_kl', 3) < NO_KL &&
    !(moment.now('policy/clip_fraction') > 0.001) &&
    // With few sampled tokens, entropy scatters more than the policy moves.
    (moment.mean('policy/approx_kl', 3) < NO_STEP ||
      Math.abs(moment.now('policy/entropy') / moment.first('policy/entropy') - 1) < 0.03) &&
    moment.mean('rollout/success_rate') < 0.8 &&
    !(moment.now('policy/grad_norm') < 1e-3),
  hold: 3,
  release: 3,
  proofs: ['policy/approx_kl', 'policy/entropy', 'policy/grad_norm'],
  tell: (raised) => {
    const kl = significant(raised.mean('policy/approx_kl', 3));
    return {
      title: 'The policy hardly moves: the learning rate is too low.',
      text: `There are gradients, but the updates of an iteration move the policy by only ${kl} nats; ${USUAL}. Entropy stays at ${significant(raised.now('policy/entropy'))} nats.`,
      confidence: beyond(NO_KL, raised.mean('policy/approx_kl', 3)),
      beside: {
        'policy/approx_kl': `The policy moves by only ${kl} nats per iteration: the learning rate${settingOf(raised)} is too low.`,
        'policy/clip_fraction':
          'The policy hardly moves, so no token comes near a bound: the learning rate is too low.',
        'policy/entropy':
          'Flat, because the updates hardly move the policy: the learning rate is too low.',
        'policy/grad_norm':
          'Every update has a gradient, but the learning rate is too low for it to matter.',
        'rollout/success_rate': `The policy is still close to its initial one: the learning rate${settingOf(raised)} is too low.`,
        'value/explained_variance':
          'The value head hardly learns either: the learning rate is too low.',
      },
    };
  },
  remedies: (raised) => [
    {
      ...rateTimes(raised, 10),
      text: `Raise the learning rate${settingOf(raised)} by a factor of 3 or more at a time, until KL reaches 0.001.`,
    },
    ...farther(raised),
  ],
  explains: ['value_head_untrained', 'groups_agree', 'horizon_too_short', 'setback'],
  rivals: [
    {
      mode: 'groups_agree',
      separatedBy: 'The gradient norm: groups with equal rewards leave none.',
    },
    {
      mode: 'reference_too_tight',
      separatedBy: 'The KL coefficient: without a KL penalty nothing holds the policy back.',
    },
  ],
};
