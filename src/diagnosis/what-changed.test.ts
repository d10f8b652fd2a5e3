import { describe, expect, it } from 'vitest';
import { changesOf, spikesOf } from './changes.ts';
import { causesOf } from './modes/of-logs.ts';
import { type Quantity, quantitiesIn } from './quantities.ts';
import { draw, flat, ramp, step } from './testing/synthetic.ts';
import { whatChanged } from './what-changed.ts';

const collapse = {
  shape: step(ramp(0.3, 0.7, 0, 0.4), 0.6, ramp(0.7, 0.01, 0.6, 0.8)),
  noise: 0.04,
  within: [0, 1],
} as const;
const learning = { shape: ramp(0.2, 0.8, 0, 1), noise: 0.04, within: [0, 1] } as const;
const share = (before: number, after: number, from: number, to: number) =>
  ({ shape: ramp(before, after, from, to), noise: 0.02, within: [0, 1] }) as const;

type Drawn = Parameters<typeof draw>[0];

function causes(
  drawn: Drawn,
  seed = 1,
  edit: (key: string, step: number) => number | null = () => null,
) {
  const series = draw(drawn, { seed }).map((one) => ({
    ...one,
    y: Float64Array.from(one.y, (value, i) => edit(one.key, i + 1) ?? value),
  }));
  const changed = whatChanged({ series, unit: 'step' });
  return {
    changed,
    found: causesOf({ changed, unit: 'step' }),
    names: causesOf({ changed, unit: 'step' }).map(({ mode }) => mode.name),
  };
}

describe('detection of changes', () => {
  it('finds a jump at its row', () => {
    const [series] = draw({ a: { shape: step(flat(1), 0.5, flat(2)), noise: 0.1 } });
    const [change, ...others] = changesOf(series ?? { key: '', x: [], y: [] });
    expect(others).toEqual([]);
    expect(change).toMatchObject({ kind: 'jump', direction: 'up' });
    expect(change?.at).toBeGreaterThanOrEqual(60);
    expect(change?.at).toBeLessThanOrEqual(62);
    expect(change?.before).toBeCloseTo(1, 1);
    expect(change?.after).toBeCloseTo(2, 1);
  });

  it('dates a trend to the point where 15% of it is complete, within its interval', () => {
    const [series] = draw({ a: { shape: ramp(200, 600, 0.4, 0.8), noise: 15 } });
    const [change] = changesOf(series ?? { key: '', x: [], y: [] });
    expect(change).toMatchObject({ kind: 'trend', direction: 'up' });
    // The ramp runs from row 49 to 96, so 15% of it ends at row 56.
    expect(change?.from).toBeLessThanOrEqual(56);
    expect(change?.to).toBeGreaterThanOrEqual(56);
    expect(change?.at).toBeGreaterThan(50);
    expect(change?.at).toBeLessThan(64);
  });

  it('finds nothing in noise on at least 18 of 20 seeds', () => {
    const quiet = Array.from({ length: 20 }, (_, seed) => {
      const [series] = draw({ a: { shape: flat(5), noise: 1 } }, { seed: seed + 1 });
      return changesOf(series ?? { key: '', x: [], y: [] }).length;
    }).filter((count) => count === 0);
    expect(quiet.length).toBeGreaterThanOrEqual(18);
  });

  it('reports a single outlier as a spike, and not as a level change', () => {
    const [series] = draw({ a: { shape: flat(1), noise: 0.1 } });
    const y = Float64Array.from(series?.y ?? [], (value, i) => (i === 70 ? 40 : value));
    const one = { key: 'a', x: series?.x ?? [], y };
    expect(changesOf(one)).toEqual([]);
    expect(spikesOf(one)).toMatchObject([{ at: 71, value: 40 }]);
  });
});

describe('quantitiesIn', () => {
  it.each<[Quantity, string, string]>([
    ['score', 'verl', 'critic/score/mean'],
    ['score', 'verl as CSV', 'critic_score_mean'],
    ['score', 'TRL in W&B', 'train/reward'],
    ['score', 'SB3', 'rollout/ep_rew_mean'],
    ['score', 'CleanRL', 'charts/episodic_return'],
    ['score', 'RLlib', 'env_runners/episode_return_mean'],
    ['score', 'slime', 'rollout/raw_reward'],
    ['entropy', 'RLlib without learner_stats', 'info/learner/default_policy/entropy'],
    ['entropy', 'old verl', 'actor/entropy_loss'],
    ['length_cap', 'verl', 'response_length/clip_ratio'],
    ['length_cap', 'TRL', 'completions/clipped_ratio'],
    ['length_cap', 'OpenRLHF', 'train/truncated'],
    ['invalid', 'AgentGym-RL', 'invalid_action_rate/unknown'],
    ['equal_groups', 'TRL', 'train/frac_reward_zero_std'],
    ['mismatch', 'verl', 'training/rollout_probs_diff_mean'],
    ['mismatch', 'OpenRLHF', 'vllm_kl'],
    ['held_out', 'verl', 'val-core/gsm8k/acc/mean@8'],
    ['held_out', 'OpenRLHF', 'eval/eval_math_pass1'],
    ['kl', 'TRL', 'kl'],
    ['grad_norm', 'OpenRLHF', 'actor_grad_norm'],
  ])('recognizes the %s series of %s', (quantity, _tool, key) => {
    expect(quantitiesIn(['step', key]).get(quantity)).toBe(key);
  });

  it('does not accept a standard deviation, a maximum or an advantage as a score', () => {
    expect(quantitiesIn(['reward_std', 'critic/score/max', 'critic/advantages/mean']).size).toBe(0);
  });
});

const failures: readonly (readonly [mode: string, drawn: Drawn])[] = [
  [
    'length_cap',
    {
      'critic/score/mean': collapse,
      'response_length/mean': { shape: ramp(300, 1000, 0.45, 0.62), noise: 15 },
      'response_length/clip_ratio': share(0.02, 0.95, 0.5, 0.65),
    },
  ],
  [
    'length_runaway',
    { reward: collapse, 'completions/mean_length': { shape: ramp(200, 800, 0.5, 0.7), noise: 15 } },
  ],
  [
    'empty_answers',
    {
      reward: collapse,
      response_length: { shape: ramp(300, 4, 0.56, 0.66), noise: 2, within: [1, 900] },
    },
  ],
  [
    'format_collapse',
    {
      'critic/task_score/mean': collapse,
      'invalid_action_rate/unknown': share(0.1, 0.8, 0.52, 0.65),
    },
  ],
  [
    'entropy_collapse',
    {
      'rollout/ep_rew_mean': collapse,
      'train/entropy': { shape: ramp(1.6, 0.02, 0.5, 0.64), noise: 0.01, within: [0, 3] },
    },
  ],
  [
    'entropy_explosion',
    { reward: collapse, entropy: { shape: ramp(0.3, 3, 0.55, 0.7), noise: 0.03 } },
  ],
  ['kl_drift', { reward: collapse, kl: { shape: ramp(0.02, 2, 0.5, 0.7), noise: 0.005 } }],
  [
    'sampler_mismatch',
    {
      'critic/score/mean': collapse,
      'training/rollout_probs_diff_mean': { shape: ramp(0.004, 0.09, 0.52, 0.64), noise: 0.001 },
    },
  ],
  [
    'repeated_answers',
    { 'rollout/raw_reward': collapse, 'rollout/repetition_frac': share(0.02, 0.7, 0.54, 0.66) },
  ],
  [
    'groups_agree',
    {
      reward: { shape: flat(0) },
      frac_reward_zero_std: { shape: flat(1) },
      grad_norm: { shape: flat(0) },
    },
  ],
  [
    'stalled_schedule',
    { reward: { shape: flat(0.2), noise: 0.03 }, 'curriculum/level': { shape: flat(1) } },
  ],
  [
    'reward_hacking',
    {
      reward: learning,
      'eval/reward': {
        shape: step(ramp(0.2, 0.6, 0, 0.4), 0.4, ramp(0.6, 0.2, 0.4, 0.9)),
        noise: 0.03,
      },
    },
  ],
  [
    'few_prompts',
    {
      reward: { ...learning, shape: ramp(0.2, 0.9, 0, 0.6) },
      'eval/reward': { shape: flat(0.2), noise: 0.03 },
      'data/unique_prompts': { shape: flat(16) },
    },
  ],
  [
    'learning_rate_too_high',
    {
      'rollout/ep_rew_mean': collapse,
      'train/approx_kl': { shape: ramp(0.01, 0.4, 0.58, 0.59), noise: 0.005 },
      'train/clip_fraction': share(0.05, 0.6, 0.58, 0.59),
    },
  ],
];

describe('causesOf', () => {
  it.each(failures)('ranks an injected %s first, on at least 4 of 5 seeds', (mode, drawn) => {
    const first = [1, 2, 3, 4, 5].map((seed) => causes(drawn, seed).names[0]);
    expect(first.filter((name) => name === mode).length, first.join(' ')).toBeGreaterThanOrEqual(4);
  });

  it('finds a gradient spike before a sudden fall, and none after it', () => {
    const sudden = { ...collapse, shape: step(flat(0.7), 0.5, flat(0.01)) };
    const drawn = { reward: sudden, grad_norm: { shape: flat(0.3), noise: 0.03 } };
    const spiked = (step: number) => (key: string, at: number) =>
      key === 'grad_norm' && at === step ? 30 : null;
    expect(causes(drawn, 1, spiked(60)).names).toEqual(['gradient_spike']);
    expect(causes(drawn, 1, spiked(90)).names).toEqual([]);
    // A spike long before the fall did no harm.
    expect(causes(drawn, 1, spiked(20)).names).toEqual([]);
  });

  it('finds non-finite values, and the series in which they appear first', () => {
    const drawn = {
      reward: collapse,
      loss: { shape: flat(0.1), noise: 0.01 },
      grad_norm: { shape: flat(0.3), noise: 0.03 },
    };
    const broken = causes(drawn, 1, (key, at) =>
      (key === 'grad_norm' && at >= 40) || (key === 'loss' && at >= 41) ? Number.NaN : null,
    );
    expect(broken.names).toEqual(['not_finite']);
    expect(broken.changed.outcome?.state).toBe('not_finite');
    expect(broken.found[0]).toMatchObject({ at: 40, confidence: expect.closeTo(0.99, 1) });
    expect(broken.changed.text).toMatch(
      /Gradient norm is not finite from step 40 on, in 81 of 120 rows/,
    );
  });

  it('names no cause for a change that began after the fall or was over long before it', () => {
    const after = {
      reward: collapse,
      'completions/mean_length': { shape: ramp(200, 800, 0.85, 0.95), noise: 10 },
    };
    expect(causes(after).names).toEqual([]);
    const before = {
      reward: collapse,
      invalid_action_rate: {
        shape: step(ramp(0.1, 0.7, 0.05, 0.08), 0.2, flat(0.1)),
        noise: 0.02,
        within: [0, 1] as const,
      },
    };
    expect(causes(before).names).toEqual([]);
  });

  it('names no cause for a run that learns, regardless of other changes', () => {
    const drawn = {
      'critic/score/mean': learning,
      'critic/vf_loss': { shape: ramp(700, 0.1, 0, 0.1), noise: 0.5, within: [0, 900] as const },
      'actor/entropy': { shape: ramp(1, 0.05, 0, 0.8), noise: 0.01 },
      'actor/kl_loss': { shape: ramp(0.001, 0.5, 0, 1), noise: 0.001 },
      'response_length/mean': { shape: ramp(200, 900, 0, 1), noise: 10 },
    };
    for (const seed of [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
      expect(causes(drawn, seed).names).toEqual([]);
  });
});

describe('the description of a run', () => {
  it('states the rise and fall of the score, what changed before, and that entropy did not collapse', () => {
    const { changed } = causes({
      'critic/task_score/mean': collapse,
      'response_length/mean': { shape: ramp(215, 600, 0.45, 0.7), noise: 15 },
      'actor/entropy': { shape: flat(0.2), noise: 0.03 },
      'timing_s/step': { shape: ramp(20, 80, 0.4, 0.5), noise: 1 },
      'critic/lr': { shape: ramp(1, 0, 0, 1) },
    });
    expect(changed.text).toMatch(/^Score rose to 0\.\d+ \(steps \d+–\d+\), then fell to 0\.\d+/);
    expect(changed.text).toMatch(/response length rose from 21\d to [56]\d\d from step/);
    expect(changed.text).toMatch(/Entropy did not collapse \(0\.\d+ to 0\.\d+\)\.$/);
    expect(changed.text).not.toMatch(/timing|lr/);
  });

  it('reports that no series is recognized as a score', () => {
    const changed = whatChanged({ series: draw({ a: { shape: flat(1) } }), unit: 'step' });
    expect(changed.outcome).toBeNull();
    expect(changed.text).toMatch(/^No series of this log is recognized as a score/);
  });

  it('takes a named column as the score', () => {
    const series = draw({ my_measure: collapse });
    const named = new Map<Quantity, string>([['score', 'my_measure']]);
    expect(whatChanged({ series, unit: 'step', named }).outcome?.state).toMatch(/collapse/);
  });

  it('lists a series that is logged twice only once', () => {
    const [length] = draw({
      'response_length/mean': { shape: ramp(200, 600, 0.4, 0.6), noise: 10 },
    });
    const [score] = draw({ reward: collapse });
    if (length === undefined || score === undefined) throw new Error('nothing was drawn');
    const twice = [score, length, { ...length, key: 'response_length_non_aborted/mean' }];
    expect(whatChanged({ series: twice, unit: 'step' }).movers).toHaveLength(1);
  });
});
