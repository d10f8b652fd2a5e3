/** Pulls that drown the reward, and rewards that pull nowhere. */

import { estimators } from '../../algorithms/advantages.ts';
import { percent, significant } from '../../runs/numbers.ts';
import type { Facts } from '../evidence.ts';
import type { Moment } from '../history.ts';
import { beyond, type Mode } from './mode.ts';
import { lastHorizon } from './outcomes.ts';

/** A bonus below this share of an advantage of 1 has never been seen to outweigh it. */
const STRONG_BONUS = 0.05;
/** How many times the objective without it the bonus has to be. */
const OUTWEIGHS = 10;

const coefficient = ({ algorithm }: Facts) => algorithm?.entropy_coef ?? 0;

/** What the bonus adds to the loss, against what is left of the loss without it. */
function bonusRatio(moment: Moment): number {
  const bonus = coefficient(moment.facts) * moment.mean('policy/entropy');
  return bonus / Math.abs(moment.mean('policy/loss') + bonus);
}

/** The entropy now as a share of where it began. */
const entropyLeft = (moment: Moment) =>
  moment.now('policy/entropy') / moment.first('policy/entropy');

export const entropyBonusTooStrong: Mode = {
  name: 'entropy_bonus_too_strong',
  stage: 'config',
  reads: ['policy/entropy', 'policy/loss'],
  asks: ['algorithm.entropy_coef'],
  applies: (facts) => coefficient(facts) >= STRONG_BONUS,
  holds: (moment) => bonusRatio(moment) > OUTWEIGHS && entropyLeft(moment) > 0.7,
  hold: 4,
  proofs: ['policy/entropy', 'policy/loss', 'rollout/success_rate'],
  tell: (raised, _onset, now) => {
    const coef = coefficient(raised.facts);
    const [sampled, greedy] = [now.mean('rollout/success_rate'), now.newest('eval/success_rate')];
    const behind =
      greedy > sampled + 0.1
        ? ` Greedy play solves ${percent(greedy)}, sampled play ${percent(sampled)}: the best word is known, and others are drawn all the same.`
        : '';
    return {
      title: 'The entropy bonus outweighs the reward.',
      text: `With a coefficient of ${significant(coef)} the bonus is ${significant(bonusRatio(raised))} times what the advantages put into the loss, and entropy stays at ${significant(now.now('policy/entropy'))} nats.${behind}`,
      confidence: beyond(bonusRatio(raised), OUTWEIGHS / 2),
      beside: {
        'policy/entropy': `The bonus of ${significant(coef)} holds it up: it outweighs the reward, and keeps words in play that earned nothing.`,
        'rollout/success_rate': `The entropy bonus outweighs the reward, so sampled words stay random.${behind}`,
        'policy/positive_share':
          'However it is shared out, the entropy bonus outweighs it: the policy does not become certain.',
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
  explains: ['nothing_moves', 'groups_agree', 'setback', 'horizon_too_short'],
  rivals: [
    {
      mode: 'reference_too_tight',
      separatedBy: 'The KL coefficient: without a reference nothing else holds entropy up.',
    },
    {
      mode: 'nothing_moves',
      separatedBy: 'A run with the bonus at 0: if it learns, the steps were large enough.',
    },
  ],
};

const penalty = ({ algorithm }: Facts) => algorithm?.kl_coef ?? 0;

/** What the penalty adds to the loss, against what is left of the loss without it and the bonus. */
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
  applies: ({ algorithm }) =>
    (algorithm?.kl_coef ?? 0) > 0 && (algorithm?.kl_placement ?? 'loss') === 'loss',
  holds: (moment) =>
    penaltyRatio(moment) > 1 &&
    entropyLeft(moment) > 0.8 &&
    !(moment.mean('rollout/success_rate') > 0.9),
  hold: 3,
  proofs: ['policy/ref_kl', 'policy/loss', 'policy/entropy'],
  tell: (raised, _onset, now) => {
    const coef = significant(penalty(raised.facts));
    return {
      title: 'The reference holds it.',
      text: `The KL penalty of ${coef} costs ${significant(penaltyRatio(raised))} times what the advantages bring, so the policy stays within ${significant(now.now('policy/ref_kl'))} nats of the one it began as.`,
      confidence: beyond(penaltyRatio(raised), 0.7),
      beside: {
        'policy/entropy': `It stays where it began: the KL penalty of ${coef} holds the policy at its reference.`,
        'policy/approx_kl': 'Small, because the KL penalty pulls every step back to the reference.',
        'policy/clip_fraction':
          'The KL penalty holds the policy at its reference before the bounds would.',
        'rollout/success_rate': `The KL penalty of ${coef} outweighs the reward: what pays is far from the reference, and it may not go there.`,
      },
    };
  },
  remedies: ({ facts }) => [
    {
      setting: 'algorithm.kl_coef',
      value: Number((penalty(facts) / 100).toPrecision(2)),
      text: `Lower the KL penalty from ${significant(penalty(facts))}, a hundredfold at first.`,
    },
  ],
  explains: ['nothing_moves', 'setback', 'groups_agree', 'horizon_too_short'],
  rivals: [
    {
      mode: 'nothing_moves',
      separatedBy: 'A run with the penalty at 0: if it learns, the steps were large enough.',
    },
    {
      mode: 'entropy_bonus_too_strong',
      separatedBy: 'The entropy coefficient: without a bonus only the reference holds entropy up.',
    },
  ],
};

/** Share of the groups that agree from which on next to nothing is learned. */
const AGREE = 0.85;
/** From so many episodes a group on, agreement at the start is bad luck that may pass. */
const LARGE_GROUP = 5;

const groupSize = ({ facts }: Moment) => facts.rollout?.group_size;

/** Iterations of agreement in a row, up to now. */
/** Who once did better has lost it: that its groups agree now is what came of that. */
const LOST = 0.3;

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
  applies: ({ algorithm }) =>
    algorithm?.advantage !== undefined && estimators[algorithm.advantage].against === 'group',
  holds: (moment) =>
    moment.now('rollout/group_zero_std') >= AGREE &&
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
    return {
      title: small
        ? `Groups of ${size} agree, and teach nothing.`
        : 'Groups agree, and teach nothing.',
      text: `In ${share} of the groups all episodes got the same reward, so their advantage is zero: only ${percent(now.mean('rollout/success_rate'))} of the episodes succeed${small ? `, and a group of ${size} seldom holds one of each kind` : ''}.`,
      confidence: beyond(raised.mean('rollout/group_zero_std'), small ? 0.5 : 0.8),
      beside: {
        'rollout/success_rate': `No clear movement: in ${share} of the groups all episodes got the same reward, so their advantage is zero.`,
        'policy/grad_norm': `Small because ${share} of the groups have equal rewards and contribute exactly zero.`,
        'policy/clip_fraction': `In ${share} of the groups nothing pulls, so few tokens reach a bound.`,
      },
    };
  },
  remedies: (raised) => [
    {
      setting: 'rollout.group_size',
      ...((groupSize(raised) ?? LARGE_GROUP) < LARGE_GROUP ? { value: 8 } : {}),
      text: 'Play larger groups, so that more of them hold a success beside a failure.',
    },
    {
      setting: 'rollout.resampling_rounds',
      value: 2,
      text: 'Play other tasks in place of those whose groups agree.',
    },
    {
      setting: 'imitation.epochs',
      text: 'Let an expert show the way from some tasks first.',
    },
  ],
  explains: ['nothing_moves', 'setback', 'horizon_too_short'],
  rivals: [
    {
      mode: 'horizon_too_short',
      separatedBy:
        'Evaluation with more turns: if it solves more, the horizon cuts what would pay.',
    },
    {
      mode: 'nothing_moves',
      separatedBy:
        'The gradient norm of groups that disagree: small there too, the learning rate is to blame.',
    },
  ],
};

export const entropyCollapse: Mode = {
  name: 'entropy_collapse',
  stage: 'policy',
  reads: ['policy/entropy', 'rollout/success_rate'],
  asks: [],
  applies: () => true,
  // While the horizon still grows, being sure of the ways within reach is no loss.
  holds: (moment) =>
    lastHorizon(moment) &&
    entropyLeft(moment) < 0.1 &&
    moment.mean('rollout/success_rate') < 0.6 &&
    moment.mean('rollout/success_rate') < moment.peak('rollout/success_rate') + 0.01,
  hold: 5,
  proofs: ['policy/entropy', 'rollout/success_rate', 'rollout/group_zero_std'],
  tell: (raised, onset) => ({
    title: 'It has stopped exploring.',
    text: `Entropy is down to ${significant(raised.now('policy/entropy'))} nats, a tenth of where it began, while ${percent(1 - raised.mean('rollout/success_rate'))} of the episodes fail: it writes the same words whether they pay or not.`,
    confidence: beyond(0.1, entropyLeft(raised)),
    beside: {
      'policy/entropy': `Almost no chance left since iteration ${onset.iteration} while many episodes fail: the agent has stopped exploring.`,
      'rollout/success_rate':
        'It has stopped exploring: what fails is written again, and nothing else is tried.',
    },
  }),
  remedies: () => [
    {
      setting: 'algorithm.clip_high',
      value: 1.28,
      text: 'A higher upper bound lets rare words that paid grow faster.',
    },
    { setting: 'optimizer.learning_rate', text: 'Lower the learning rate.' },
    { setting: 'algorithm.entropy_coef', value: 0.01, text: 'Last of all, reward entropy.' },
  ],
  explains: ['groups_agree', 'nothing_moves', 'setback'],
  rivals: [
    {
      mode: 'learning_rate_too_high',
      separatedBy: 'KL before the fall: above 0.1 the steps were too large.',
    },
  ],
};
