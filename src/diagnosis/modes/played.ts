/** What is wrong with what was played before anything is learned from it. */

import { estimators } from '../../algorithms/advantages.ts';
import { fineShare, percent, significant } from '../../runs/numbers.ts';
import { noiseOf } from '../change-points.ts';
import type { Moment } from '../history.ts';
import { beyond, type Mode } from './mode.ts';
import { newHorizon, SCATTER } from './outcomes.ts';
import { clips, fresh } from './steps.ts';

/** Rows without which nobody knows how success scatters. */
const KNOWN = 8;
/** The newest iterations, and those before that they are held against. */
const AFTER = 2;
const BEFORE = 3;

type Key = Parameters<Moment['mean']>[0];
const after = (moment: Moment, key: Key) => moment.mean(key, AFTER);
const before = (moment: Moment, key: Key) => moment.mean(key, BEFORE, AFTER);
const change = (moment: Moment, key: Key) => after(moment, key) - before(moment, key);

/** A new state since the oldest of the newest iterations. */
const sinceTwo = ({ index }: Moment) => {
  const at = index - AFTER + 1;
  return { at, from: at, to: at };
};

/** How far success has to fall at a stroke. */
const leastDrop = (moment: Moment) =>
  Math.max(
    0.08,
    0.25 * before(moment, 'rollout/success_rate'),
    3.5 * noiseOf(moment.lately('rollout/success_rate', SCATTER)),
  );

/** The same of episodes that end in vain, where none did. */
const IN_VAIN = 0.1;

/** Whether the episodes went as before: as long, cut as often, as undecided, as well formed. */
function playsOn(moment: Moment, drop: number): boolean {
  const turns = after(moment, 'rollout/turns') / before(moment, 'rollout/turns');
  const entropy = after(moment, 'policy/entropy') / before(moment, 'policy/entropy');
  return (
    Math.abs(turns - 1) < 0.1 &&
    entropy > 0.6 &&
    !(Math.abs(change(moment, 'rollout/truncated')) > drop / 2) &&
    !(change(moment, 'rollout/understood') < -0.1)
  );
}

/** The updates right before the fall moved the policy no farther than usual. */
const quietBefore = (moment: Moment) =>
  !(Math.max(moment.now('policy/approx_kl', AFTER), moment.now('policy/approx_kl', 3)) > 0.1);

/** Values that foresaw the returns no longer do; where they never did, they say nothing. */
const unforeseen = (moment: Moment) =>
  !(before(moment, 'value/explained_variance') > 0.3) ||
  change(moment, 'value/explained_variance') < -0.2;

/** Episodes that were neither cut nor succeeded, as a share, lately: after this many iterations. */
const endedInVain = (moment: Moment, iterations: number, ago = 0) =>
  1 -
  moment.mean('rollout/success_rate', iterations, ago) -
  moment.mean('rollout/truncated', iterations, ago);

/** How many more episodes end in vain, where hardly any did and hardly fewer or more are cut. */
function vainly(moment: Moment): number {
  const [was, is] = [endedInVain(moment, BEFORE, AFTER), endedInVain(moment, AFTER)];
  const cut = Math.abs(after(moment, 'rollout/truncated') - moment.now('rollout/truncated', AFTER));
  return was < 0.03 && cut < (is - was) / 2 ? is - was : 0;
}

function failsAtAStroke(moment: Moment): boolean {
  if (moment.index < KNOWN || newHorizon(moment)) return false;
  const drop = -change(moment, 'rollout/success_rate');
  return (
    ((drop > leastDrop(moment) && playsOn(moment, drop)) || vainly(moment) > IN_VAIN) &&
    quietBefore(moment) &&
    unforeseen(moment)
  );
}

export const environmentFaults: Mode = {
  name: 'environment_faults',
  stage: 'data',
  reads: ['rollout/success_rate', 'rollout/turns', 'policy/entropy'],
  asks: [],
  applies: () => true,
  holds: failsAtAStroke,
  hold: 1,
  onset: sinceTwo,
  proofs: ['rollout/success_rate', 'rollout/turns', 'policy/entropy', 'policy/approx_kl'],
  tell: (raised, onset) => {
    const [was, is] = [
      percent(before(raised, 'rollout/success_rate')),
      percent(after(raised, 'rollout/success_rate')),
    ];
    const turns = significant(after(raised, 'rollout/turns'));
    return {
      title: 'The environment fails, not the policy.',
      text: `In iteration ${onset.iteration} success fell from ${was} to ${is} at a stroke, while episodes went as before: ${turns} turns, as many of them cut, the entropy where it was, and no large update before it. Episodes that would have succeeded count as failed.`,
      confidence: beyond(change(raised, 'rollout/success_rate'), leastDrop(raised) / 1.5),
      beside: {
        'rollout/success_rate': `It fell from ${was} to ${is} in iteration ${onset.iteration} while everything that the policy does stayed as it was: the environment fails.`,
        'rollout/turns': `As long as before iteration ${onset.iteration}, where success fell: the policy plays on as it did.`,
        'value/explained_variance':
          'Who fails is now chance, and no value head can foresee chance.',
      },
    };
  },
  remedies: () => [
    {
      setting: 'faults.failing_share',
      value: 0,
      text: 'Leave out the episodes in which the environment failed, or play them again: a fault is no failure of the policy.',
    },
  ],
  explains: [
    'setback',
    'value_head_untrained',
    'entropy_collapse',
    'horizon_too_short',
    'groups_agree',
    'bootstrapping_at_horizon',
  ],
  rivals: [
    {
      mode: 'setback',
      separatedBy:
        'Greedy evaluation of an earlier checkpoint today: if that fell as well, it is the environment.',
    },
    {
      mode: 'rewards_lost',
      separatedBy: 'Success: it stays where only rewards are lost.',
    },
  ],
};

/** Groups whose episodes may begin otherwise: none, where groups are put together rightly. */
const OTHERWISE = 0.02;
const SAME = 'rollout/group_same_start';

export const groupsMixed: Mode = {
  name: 'groups_mixed',
  stage: 'data',
  reads: [SAME],
  asks: ['algorithm.advantage'],
  applies: ({ algorithm }) =>
    algorithm?.advantage !== undefined && estimators[algorithm.advantage].against === 'group',
  holds: (moment) => moment.now(SAME) < 1 - OTHERWISE,
  hold: 1,
  release: 5,
  proofs: [SAME, 'rollout/group_zero_std'],
  tell: (raised, onset) => {
    const others = 1 - raised.now(SAME);
    return {
      title: 'Groups hold episodes of different tasks.',
      text: `Since iteration ${onset.iteration} the episodes of ${percent(others)} of the groups do not begin with the same observation, so they are not of one task: an episode is now called good because its task was easy.`,
      confidence: beyond(others, OTHERWISE),
      beside: {
        'rollout/success_rate': `Since iteration ${onset.iteration} episodes are compared with those of other tasks, so what is reinforced is mostly the easy task.`,
        'policy/positive_share':
          'Which words count as good now depends on which tasks met in a group.',
      },
    };
  },
  remedies: () => [
    {
      setting: 'faults.mixed_groups',
      value: 'off',
      text: 'Compare only episodes of the same task: look at how groups get their ids.',
    },
  ],
  explains: ['groups_agree', 'setback', 'nothing_moves'],
  rivals: [
    {
      mode: 'groups_agree',
      separatedBy: 'Success of each task by itself: where it is near 0 or 1, true groups agree.',
    },
  ],
};

/** Tokens that a bound holds before any step was made, from which on it is no rounding. */
const AT_ONCE = 0.02;

const DISAGREE = 'What samples and what trains disagree.';
const RATIOS_OFF =
  'Its updates weigh tokens by ratios that are off, because what samples and what trains disagree.';

export const samplerMismatch: Mode = {
  name: 'sampler_mismatch',
  stage: 'data',
  reads: ['policy/first_clip_fraction', 'policy/approx_kl'],
  asks: [],
  // Of older tokens the policy has moved away before the first update.
  applies: (facts) => fresh(facts) && clips(facts),
  holds: (moment) => moment.now('policy/first_clip_fraction') > AT_ONCE,
  hold: 2,
  release: 5,
  proofs: ['policy/first_clip_fraction', 'policy/approx_kl', 'policy/clip_fraction'],
  tell: (raised, onset) => {
    const held = fineShare(raised.mean('policy/first_clip_fraction', 2));
    const kl = significant(raised.mean('policy/approx_kl', 2));
    return {
      title: DISAGREE,
      text: `Since iteration ${onset.iteration} the bounds hold ${held} of the tokens back in the first update of an iteration, before any step was made: the probabilities they were written with are not those that the trainer computes. KL of ${kl} is mostly this gap, not how far the policy moved.`,
      confidence: beyond(raised.mean('policy/first_clip_fraction', 2), AT_ONCE),
      beside: {
        'policy/approx_kl': `Since iteration ${onset.iteration} mostly the gap between the sampler’s probabilities and the trainer’s: ${held} of the tokens are past a bound before the first step.`,
        'policy/clip_fraction': `${held} of the tokens are past a bound before any step is made: what samples and what trains disagree.`,
        'rollout/success_rate': RATIOS_OFF,
      },
    };
  },
  remedies: () => [
    {
      setting: 'faults.logp_noise',
      value: 0,
      text: 'Compute log-probabilities in the same way on both sides: precision, temperature, and the tokens themselves rather than their text.',
    },
  ],
  explains: [
    'learning_rate_too_high',
    'too_many_epochs',
    'setback',
    'entropy_collapse',
    'groups_agree',
    'nothing_moves',
  ],
  rivals: [
    {
      mode: 'learning_rate_too_high',
      separatedBy:
        'Tokens clipped in the first update of an iteration: none, unless the probabilities were off before it.',
    },
  ],
};

/**
 * The same by a number that says it outright, in logs of tools whose samplers are programs of their own.
 *
 * @param limit what is too much, either way; verl's documents call 0.005 of probability usual and more
 *   than 0.01 suspect, and 0.1 nats
 */
const loggedMismatch = (
  key: 'policy/sampler_gap' | 'policy/sampler_kl',
  limit: number,
  amount: (value: string) => string,
): Mode => ({
  ...samplerMismatch,
  reads: [key],
  applies: () => true,
  holds: (moment) => Math.abs(moment.now(key)) > limit,
  proofs: [key, 'policy/grad_norm'],
  tell: (raised, onset) => {
    const value = raised.mean(key, 2);
    const known = amount(significant(value));
    return {
      title: DISAGREE,
      text: `Since iteration ${onset.iteration} ${known}, where up to ${significant(limit)} is usual: every ratio is off before any step was made.`,
      confidence: beyond(value, limit),
      beside: {
        'policy/approx_kl': `Since iteration ${onset.iteration} partly the gap between what samples and what trains: ${known}.`,
        'rollout/success_rate': RATIOS_OFF,
      },
    };
  },
});

export const samplerGap = loggedMismatch(
  'policy/sampler_gap',
  0.01,
  (gap) => `a token’s probability for the sampler and for the trainer lie ${gap} apart on average`,
);

export const samplerKl = loggedMismatch(
  'policy/sampler_kl',
  0.1,
  (kl) => `the KL between the sampler and the trainer is ${kl} nats before any update`,
);
