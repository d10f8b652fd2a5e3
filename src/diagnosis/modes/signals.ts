/** Terms that outweigh the reward, and rewards without a signal. */

import { surrogateTraits } from '../../algorithms/surrogates.ts';
import { percent, significant } from '../../runs/numbers.ts';
import type { Facts } from '../evidence.ts';
import type { Remedy } from '../finding.ts';
import type { Moment } from '../history.ts';
import { comparesRewards, equalPenalties } from '../silence.ts';
import { beyond, type Mode } from './mode.ts';
import { lastHorizon } from './outcomes.ts';
import { clips } from './steps.ts';

/** A bonus below this share of an advantage of 1 has never outweighed it. */
const STRONG_BONUS = 0.05;
/** Minimum ratio of the bonus to the rest of the objective. */
const OUTWEIGHS = 10;

const coefficient = ({ algorithm }: Facts) => algorithm?.entropy_coef ?? 0;

/** Whether the weights of an update's tokens sum to 1, so that the loss is comparable with means over tokens. */
const isMean = ({ algorithm }: Facts) => algorithm?.loss_aggregation !== 'seq_mean_token_sum_norm';

/** The bonus in the loss, relative to the rest of the loss. */
function bonusRatio(moment: Moment): number {
  const bonus = coefficient(moment.facts) * moment.mean('policy/entropy');
  return bonus / Math.abs(moment.mean('policy/loss') + bonus);
}

/** The current entropy as a share of the initial one. */
const entropyLeft = (moment: Moment) =>
  moment.now('policy/entropy') / moment.first('policy/entropy');

export const entropyBonusTooStrong: Mode = {
  name: 'entropy_bonus_too_strong',
  stage: 'config',
  reads: ['policy/entropy', 'policy/loss'],
  asks: ['algorithm.entropy_coef'],
  applies: (facts) => coefficient(facts) >= STRONG_BONUS && isMean(facts),
  holds: (moment) => bonusRatio(moment) > OUTWEIGHS && entropyLeft(moment) > 0.7,
  hold: 4,
  proofs: ['policy/entropy', 'policy/loss', 'rollout/success_rate'],
  tell: (raised, _onset, now) => {
    const coef = coefficient(raised.facts);
    const [sampled, greedy] = [now.mean('rollout/success_rate'), now.newest('eval/success_rate')];
    const behind =
      greedy > sampled + 0.1
        ? ` Greedy play solves ${percent(greedy)}, sampled play ${percent(sampled)}: the policy knows the best token but keeps sampling others.`
        : '';
    return {
      title: 'The entropy bonus outweighs the reward.',
      text: `With a coefficient of ${significant(coef)} the bonus is ${significant(bonusRatio(raised))} times as large as the rest of the policy loss, and entropy stays at ${significant(now.now('policy/entropy'))} nats.${behind}`,
      confidence: beyond(bonusRatio(raised), OUTWEIGHS / 2),
      beside: {
        'policy/entropy': `The bonus of ${significant(coef)} keeps it high: it outweighs the reward, so tokens that earned nothing stay probable.`,
        'rollout/success_rate': `The entropy bonus outweighs the reward, so sampling stays random.${behind}`,
        'policy/positive_share':
          'The entropy bonus outweighs positive and negative tokens alike, so the policy stays uncertain.',
      },
    };
  },
  remedies: ({ facts }) => [
    {
      setting: 'algorithm.entropy_coef',
      value: Math.min(0.01, Number((coefficient(facts) / 10).toPrecision(2))),
      text: `Lower the entropy bonus from ${significant(coefficient(facts))} to 0.01 or 0.`,
    },
  ],
  explains: [
    'nothing_moves',
    'groups_agree',
    'setback',
    'horizon_too_short',
    // The bonus moves the policy away from the one that sampled the tokens, as steps that are too
    // large do.
    'learning_rate_too_high',
    'too_many_epochs',
  ],
  rivals: [
    {
      mode: 'reference_too_tight',
      separatedBy: 'The KL coefficient: without a KL penalty, only the bonus keeps entropy high.',
    },
    {
      mode: 'nothing_moves',
      separatedBy: 'A run without the bonus: if it learns, the learning rate is high enough.',
    },
  ],
};

const penalty = ({ algorithm }: Facts) => algorithm?.kl_coef ?? 0;

/** KL penalty divided by the rest of the policy loss (without the penalty and the entropy bonus). */
function penaltyRatio(moment: Moment): number {
  const charge = penalty(moment.facts) * moment.mean('policy/ref_kl', 3);
  const bonus = coefficient(moment.facts) * moment.mean('policy/entropy', 3);
  return charge / Math.abs(moment.mean('policy/loss', 3) - charge + bonus);
}

export const referenceTooTight: Mode = {
  name: 'reference_too_tight',
  stage: 'config',
  reads: ['policy/ref_kl', 'policy/loss', 'policy/entropy'],
  asks: ['algorithm.kl_coef'],
  applies: (facts) =>
    penalty(facts) > 0 && (facts.algorithm?.kl_placement ?? 'loss') === 'loss' && isMean(facts),
  holds: (moment) =>
    penaltyRatio(moment) > 1 &&
    entropyLeft(moment) > 0.8 &&
    !(moment.mean('rollout/success_rate') > 0.9),
  hold: 3,
  proofs: ['policy/ref_kl', 'policy/loss', 'policy/entropy'],
  tell: (raised, _onset, now) => {
    const coef = significant(penalty(raised.facts));
    return {
      title: 'The KL penalty holds the policy at its reference.',
      text: `With a coefficient of ${coef} the KL penalty is ${significant(penaltyRatio(raised))} times as large as the rest of the policy loss, so the policy stays within ${significant(now.now('policy/ref_kl'))} nats of its reference.`,
      confidence: beyond(penaltyRatio(raised), 0.7),
      beside: {
        'policy/entropy': `It stays at its initial level: the KL penalty of ${coef} holds the policy at its reference.`,
        'policy/approx_kl':
          'Small, because the KL penalty pulls every update back to the reference.',
        'policy/clip_fraction':
          'Low, because the KL penalty stops the policy before the clip bounds do.',
        'rollout/success_rate': `The KL penalty of ${coef} outweighs the reward: better policies are too far from the reference.`,
      },
    };
  },
  remedies: ({ facts }) => [
    {
      setting: 'algorithm.kl_coef',
      value: Number((penalty(facts) / 100).toPrecision(2)),
      text: `Lower the KL coefficient from ${significant(penalty(facts))}, by a factor of 100 at first.`,
    },
  ],
  explains: ['nothing_moves', 'setback', 'groups_agree', 'horizon_too_short'],
  rivals: [
    {
      mode: 'nothing_moves',
      separatedBy: 'A run without the penalty: if it learns, the learning rate is high enough.',
    },
    {
      mode: 'entropy_bonus_too_strong',
      separatedBy:
        'The entropy coefficient: without a bonus, only the KL penalty keeps entropy high.',
    },
  ],
};

/** Share of groups with equal rewards above which almost nothing is learned. */
const AGREE = 0.85;
/**
 * With at least this many episodes per group, equal rewards at the start may be due to chance, so it
 * takes longer until they count as a failure.
 */
const LARGE_GROUP = 5;

const groupSize = ({ facts }: Moment) => facts.rollout?.group_size;

/**
 * If success was higher than this before, equal rewards within groups are a consequence of its
 * fall.
 */
const LOST = 0.3;

/** Number of consecutive iterations, up to now, in which most groups have equal rewards. */
function agreedFor(moment: Moment): number {
  let count = 0;
  while (moment.now('rollout/group_zero_std', count) >= AGREE) count += 1;
  return count;
}

export const groupsAgree: Mode = {
  name: 'groups_agree',
  stage: 'data',
  reads: ['rollout/group_zero_std', 'rollout/success_rate'],
  asks: ['algorithm.advantage'],
  applies: comparesRewards,
  holds: (moment) =>
    moment.now('rollout/group_zero_std') >= AGREE &&
    equalPenalties(moment.facts, moment.mean('rollout/truncated')) &&
    moment.mean('rollout/success_rate') < 0.15 &&
    !(moment.peak('rollout/success_rate') > LOST) &&
    agreedFor(moment) >= ((groupSize(moment) ?? LARGE_GROUP) < LARGE_GROUP ? 3 : 10),
  hold: 1,
  onset: (raised) => {
    const at = raised.index - agreedFor(raised) + 1;
    return { at, from: at, to: at };
  },
  release: 5,
  proofs: ['rollout/group_zero_std', 'rollout/success_rate', 'policy/grad_norm'],
  tell: (raised, _onset, now) => {
    const share = percent(now.mean('rollout/group_zero_std'));
    const size = groupSize(raised);
    const small = size !== undefined && size < LARGE_GROUP;
    const success = now.mean('rollout/success_rate');
    return {
      title: small
        ? `Most groups of ${size} have equal rewards and no gradient.`
        : 'Most groups have equal rewards and no gradient.',
      text: `In ${share} of the groups all episodes have the same reward, so their advantages are zero. ${success === 0 ? 'No episode succeeds' : `Only ${percent(success)} of the episodes succeed`}${small ? `, and a group of ${size} rarely contains both a success and a failure` : ''}.`,
      confidence: beyond(raised.mean('rollout/group_zero_std'), small ? 0.5 : 0.8),
      beside: {
        'rollout/success_rate': `No clear trend: in ${share} of the groups all episodes have the same reward, so their advantages are zero.`,
        'policy/grad_norm': `Small because ${share} of the groups have equal rewards and contribute exactly zero.`,
        'policy/clip_fraction': `${share} of the groups have no gradient, so few tokens reach a bound.`,
      },
    };
  },
  remedies: (raised) => [
    {
      setting: 'rollout.group_size',
      ...((groupSize(raised) ?? LARGE_GROUP) < LARGE_GROUP ? { value: 8 } : {}),
      text: 'Use larger groups, so that more of them contain both successes and failures.',
    },
    ...((raised.facts.rollout?.resampling_rounds ?? 0) === 0
      ? [
          {
            setting: 'rollout.resampling_rounds',
            value: 2,
            text: 'Sample other tasks in place of groups with equal rewards (dynamic sampling).',
          },
        ]
      : []),
    ...((raised.facts.imitation?.epochs ?? 0) > 0
      ? []
      : [
          {
            setting: 'imitation.epochs',
            text: 'Start with imitation of an expert on some tasks.',
          },
        ]),
  ],
  explains: ['nothing_moves', 'setback', 'horizon_too_short'],
  rivals: [
    {
      mode: 'horizon_too_short',
      separatedBy: 'Evaluation with more turns: if it solves more tasks, the horizon is too short.',
    },
    {
      mode: 'nothing_moves',
      separatedBy:
        'The gradient norm: it is almost 0 if rewards are equal, and normal if the learning rate is too low.',
    },
  ],
};

/** The remedy of a higher upper bound, if the objective has one that is not high already. */
function higherBound(facts: Facts): readonly Remedy[] {
  const { objective, clip_high = 1 } = facts.algorithm ?? {};
  const text =
    'Raise the upper clip bound, so that rare tokens that were rewarded gain probability faster.';
  if (objective !== undefined && surrogateTraits[objective].looksAt === 'bounds') {
    return [{ setting: 'bapo.high_max', text }];
  }
  const value = 1.28;
  return clips(facts) && clip_high < value ? [{ setting: 'algorithm.clip_high', value, text }] : [];
}

export const entropyCollapse: Mode = {
  name: 'entropy_collapse',
  stage: 'policy',
  reads: ['policy/entropy', 'rollout/success_rate'],
  asks: [],
  applies: () => true,
  // While the horizon still grows, low entropy in the states reached so far does no harm.
  holds: (moment) =>
    lastHorizon(moment) &&
    entropyLeft(moment) < 0.1 &&
    moment.mean('rollout/success_rate') < 0.6 &&
    moment.mean('rollout/success_rate') < moment.peak('rollout/success_rate') + 0.01,
  hold: 5,
  proofs: ['policy/entropy', 'rollout/success_rate', 'rollout/group_zero_std'],
  tell: (raised, onset) => ({
    title: 'The policy has stopped exploring.',
    text: `Entropy is down to ${significant(raised.now('policy/entropy'))} nats, less than a tenth of its initial level, while ${percent(1 - raised.mean('rollout/success_rate'))} of the episodes fail. The policy writes the same tokens whether they are rewarded or not.`,
    confidence: beyond(0.1, entropyLeft(raised)),
    beside: {
      'policy/entropy': `Close to zero since iteration ${onset.iteration} while many episodes fail: the policy has stopped exploring.`,
      'rollout/success_rate':
        'The policy has stopped exploring: it repeats what fails and tries nothing else.',
    },
  }),
  remedies: ({ facts }) => [
    ...higherBound(facts),
    { setting: 'optimizer.learning_rate', text: 'Lower the learning rate.' },
    ...(coefficient(facts) < 0.01
      ? [
          {
            setting: 'algorithm.entropy_coef',
            value: 0.01,
            text: 'As a last resort, add an entropy bonus.',
          },
        ]
      : []),
  ],
  explains: ['groups_agree', 'nothing_moves', 'setback'],
  rivals: [
    {
      mode: 'learning_rate_too_high',
      separatedBy: 'KL before the drop: above 0.1 nats, the updates were too large.',
    },
  ],
};
