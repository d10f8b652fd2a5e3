/** Problems with the episodes, before anything is learned from them. */

import { estimators } from '../../algorithms/advantages.ts';
import { fineShare, percent, several, significant } from '../../runs/numbers.ts';
import { noiseOf } from '../change-points.ts';
import type { Facts } from '../evidence.ts';
import type { Remedy } from '../finding.ts';
import type { Moment } from '../history.ts';
import { beyond, type Mode } from './mode.ts';
import { newHorizon, SCATTER } from './outcomes.ts';
import { clips, fresh } from './steps.ts';

/** Number of rows needed to estimate the scatter of success. */
const KNOWN = 8;
/** The newest iterations, and the earlier ones that they are compared with. */
const AFTER = 2;
const BEFORE = 3;

type Key = Parameters<Moment['mean']>[0];
const after = (moment: Moment, key: Key) => moment.mean(key, AFTER);
const before = (moment: Moment, key: Key) => moment.mean(key, BEFORE, AFTER);
const change = (moment: Moment, key: Key) => after(moment, key) - before(moment, key);

/** Dates the onset to the oldest of the newest iterations. */
const sinceTwo = ({ index }: Moment) => {
  const at = index - AFTER + 1;
  return { at, from: at, to: at };
};

/** Minimum sudden drop in success. */
const leastDrop = (moment: Moment) =>
  Math.max(
    0.08,
    0.25 * before(moment, 'rollout/success_rate'),
    3.5 * noiseOf(moment.lately('rollout/success_rate', SCATTER)),
  );

/** Minimum increase of the share of episodes that fail without truncation, if it was almost 0 before. */
const IN_VAIN = 0.1;

/** Whether episodes are unchanged in length, truncation, entropy and format. */
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

/** Whether the updates right before the fall moved the policy no further than usual. */
const quietBefore = (moment: Moment) =>
  !(Math.max(moment.now('policy/approx_kl', AFTER), moment.now('policy/approx_kl', 3)) > 0.1);

/**
 * Whether the value head predicts the returns less well than before; also true if it did not
 * predict them before.
 */
const unforeseen = (moment: Moment) =>
  !(before(moment, 'value/explained_variance') > 0.3) ||
  change(moment, 'value/explained_variance') < -0.2;

/**
 * Recent share of episodes that neither succeeded nor were truncated, after this many iterations.
 */
const endedInVain = (moment: Moment, iterations: number, ago = 0) =>
  1 -
  moment.mean('rollout/success_rate', iterations, ago) -
  moment.mean('rollout/truncated', iterations, ago);

/**
 * Increase in the share of episodes that fail without truncation; 0 unless it was almost 0 before and
 * the share of truncated episodes hardly changed.
 */
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
    const turns = several(after(raised, 'rollout/turns'), 'turn');
    return {
      title: 'The environment is failing, not the policy.',
      text: `In iteration ${onset.iteration} success dropped from ${was} to ${is} while the policy behaved as before: ${turns} per episode, the same truncation rate and entropy, and no large update before the drop. Episodes that would have succeeded are recorded as failures.`,
      confidence: beyond(change(raised, 'rollout/success_rate'), leastDrop(raised) / 1.5),
      beside: {
        'rollout/success_rate': `It dropped from ${was} to ${is} in iteration ${onset.iteration} without a change in the policy’s behavior: the environment is failing.`,
        'rollout/turns': `Unchanged since iteration ${onset.iteration}, when success dropped: the policy behaves as before.`,
        'value/explained_variance':
          'Which episodes fail is now random, so the value head cannot predict it.',
      },
    };
  },
  remedies: () => [
    {
      setting: 'faults.failing_share',
      value: 0,
      text: 'Exclude the episodes in which the environment failed, or replay them: a fault is not a failure of the policy.',
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
        'Greedy evaluation of an earlier checkpoint now: if it has dropped as well, the environment is the cause.',
    },
    {
      mode: 'rewards_lost',
      separatedBy: 'Success: it does not drop if only rewards are lost.',
    },
  ],
};

/** Faults that a remote environment reports. Its failed episodes are replayed, so nothing follows. */
export const serverFaults: Mode = {
  ...environmentFaults,
  holds: (moment) => moment.now('rollout/faults') > 0,
  release: 3,
  onset: ({ index }) => ({ at: index, from: index, to: index }),
  proofs: ['rollout/faults'],
  tell: (raised) => ({
    title: 'The environment is failing, not the policy.',
    text: `In iteration ${raised.iteration} the server or the connection failed: ${several(raised.now('rollout/faults'), 'fault')}. Those episodes were replayed and failed attempts are not trained on, so only time is lost.`,
    confidence: 0.99,
    beside: {},
  }),
  remedies: () => [],
  explains: [],
  rivals: [],
};

/**
 * Share of groups whose episodes start with different observations, above which groups are formed
 * incorrectly.
 */
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
      title: 'Groups contain episodes of different tasks.',
      text: `Since iteration ${onset.iteration} the episodes of ${percent(others)} of the groups start with different observations, so these groups mix tasks. An episode now gets a positive advantage because its task was easy.`,
      confidence: beyond(others, OTHERWISE),
      beside: {
        'rollout/success_rate': `Since iteration ${onset.iteration} episodes are compared with episodes of other tasks, so mostly the easy tasks are reinforced.`,
        'policy/positive_share':
          'Which tokens get a positive advantage now depends on which tasks share a group.',
      },
    };
  },
  remedies: () => [
    {
      setting: 'faults.mixed_groups',
      value: 'off',
      text: 'Compare only episodes of the same task: check how groups get their ids.',
    },
  ],
  explains: ['groups_agree', 'setback', 'nothing_moves'],
  rivals: [
    {
      mode: 'groups_agree',
      separatedBy: 'Success per task: on tasks near 0% or 100%, correct groups have equal rewards.',
    },
  ],
};

/**
 * If a larger share of tokens is past a bound before the first optimizer step, rounding errors are
 * not the cause.
 */
const AT_ONCE = 0.02;

const DISAGREE = 'Sampler and trainer disagree about probabilities.';
const RATIOS_OFF =
  'Updates use wrong importance ratios, because sampler and trainer disagree about probabilities.';

/** Remedies for a sampler that differs from the trainer by the run's own settings. */
function ofSampler({ sampler, algorithm }: Facts): readonly Remedy[] {
  const { precision = 'float32', lag = 0 } = sampler ?? {};
  if (precision === 'float32' && lag === 0) return [];
  const weighted = algorithm?.ratio_to !== 'proximal' || algorithm.importance_weight !== 'none';
  return [
    ...(weighted
      ? []
      : [
          {
            ...{ setting: 'algorithm.importance_weight', value: 'token' },
            also: [{ setting: 'algorithm.importance_cap', value: 2 }],
            text: 'Weight each token by its importance ratio, truncated at 2.',
          },
        ]),
    ...(precision === 'float32'
      ? []
      : [
          {
            ...{ setting: 'sampler.precision', value: 'float32' },
            text: 'Generate rollouts in the trainer’s precision.',
          },
        ]),
    ...(lag === 0
      ? []
      : [
          {
            ...{ setting: 'sampler.lag', value: 0 },
            text: 'Generate rollouts with the trainer’s current weights.',
          },
        ]),
  ];
}

/** What a mismatch does to updates, by the run's importance weights; logs of other tools do not tell. */
function effect({ algorithm }: Facts): string {
  if (algorithm?.ratio_to === undefined) {
    return 'Every importance ratio is wrong before the first update.';
  }
  if (algorithm.ratio_to === 'behaviour') {
    return 'Ratios correct for it, but tokens may be past a clip bound before the first update.';
  }
  return algorithm.importance_weight === 'none'
    ? 'Updates ignore it, so their gradient is biased.'
    : 'Importance weights correct for it, but with a truncated weight some bias remains.';
}

export const samplerMismatch: Mode = {
  name: 'sampler_mismatch',
  stage: 'data',
  reads: ['policy/first_clip_fraction', 'policy/approx_kl'],
  asks: [],
  // If tokens are older, the policy has already moved before the first update.
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
      text: `Since iteration ${onset.iteration}, ${held} of the tokens are past a clip bound before the first update of an iteration. Their recorded probabilities differ from those that the trainer computes. Most of the KL of ${kl} is this mismatch, not movement of the policy.`,
      confidence: beyond(raised.mean('policy/first_clip_fraction', 2), AT_ONCE),
      beside: {
        'policy/approx_kl': `Since iteration ${onset.iteration} mostly the mismatch between sampler and trainer: ${held} of the tokens are past a bound before the first update.`,
        'policy/clip_fraction': `${held} of the tokens are past a bound before any update: sampler and trainer disagree about probabilities.`,
        'rollout/success_rate': RATIOS_OFF,
      },
    };
  },
  remedies: ({ facts }) => {
    const separate = ofSampler(facts);
    if (separate.length > 0 && !facts.faults?.logp_noise) return separate;
    return [
      ...separate,
      {
        setting: 'faults.logp_noise',
        value: 0,
        text: 'Compute log-probabilities the same way on both sides: same precision, same temperature, and stored token ids instead of re-tokenized text.',
      },
    ];
  },
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
        'Tokens clipped in the first update of an iteration: there are none unless the recorded probabilities are wrong.',
    },
  ],
};

/**
 * The same from a number that states the mismatch directly, in logs of tools with a separate
 * sampler.
 *
 * @param limit the largest usual absolute value; verl's docs call a probability difference of 0.005
 * usual and one above 0.01 suspicious, and likewise a KL of 0.1 nats
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
      text: `Since iteration ${onset.iteration} ${known}; up to ${significant(limit)} is usual. ${effect(raised.facts)}`,
      confidence: beyond(value, limit),
      beside: {
        'policy/approx_kl': `Since iteration ${onset.iteration} partly the mismatch between sampler and trainer: ${known}.`,
        'rollout/success_rate': RATIOS_OFF,
      },
    };
  },
});

export const samplerGap = loggedMismatch(
  'policy/sampler_gap',
  0.01,
  (gap) => `the probabilities of sampler and trainer differ by ${gap} per token on average`,
);

export const samplerKl = loggedMismatch(
  'policy/sampler_kl',
  0.1,
  (kl) => `the KL between sampler and trainer is ${kl} nats before any update`,
);
