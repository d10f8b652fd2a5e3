import { describe, expect, it } from 'vitest';
import { defaultConfig } from './check.ts';
import { getConfigValue } from './fields.ts';
import { findMethod, isInForm, matchMethod, methodForms, methods, withMethod } from './methods.ts';
import { presetConfig, presets } from './presets.ts';
import { setConfigValues } from './text.ts';

/**
 * The settings of `?method=NAME` and `--method NAME` from the time when methods did not yet distinguish
 * published settings from adapted ones. Links, kept runs and results depend on them.
 */
const linked: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  grpo: {},
  ppo: {
    'algorithm.advantage': 'gae',
    'algorithm.gamma': '0.95',
    'algorithm.gae_lambda': '0.95',
  },
  bapo: { 'algorithm.objective': 'bapo', 'algorithm.dual_clip': '3' },
  dapo: { 'algorithm.clip_high': '1.28', 'rollout.resampling_rounds': '2' },
  dr_grpo: {
    'algorithm.advantage': 'dr_grpo',
    'algorithm.loss_aggregation': 'seq_mean_token_sum_norm',
  },
  rloo: { 'algorithm.advantage': 'rloo' },
  reinforce_plus_plus: { 'algorithm.advantage': 'reinforce_plus_plus' },
  remax: { 'algorithm.advantage': 'remax' },
  gspo: {
    'algorithm.objective': 'gspo',
    'algorithm.clip_low': '0.9',
    'algorithm.clip_high': '1.15',
    'algorithm.loss_aggregation': 'seq_mean_token_mean',
  },
  cispo: { 'algorithm.objective': 'cispo', 'algorithm.clip_low': '0' },
  clip_cov: { 'algorithm.objective': 'clip_cov' },
  kl_cov: { 'algorithm.objective': 'kl_cov' },
  decoupled_ppo: { 'algorithm.ratio_to': 'proximal' },
  tis: { 'algorithm.ratio_to': 'proximal', 'algorithm.importance_cap': '2' },
};

const linkedByAll = {
  'algorithm.advantage': 'grpo',
  'algorithm.gamma': '1',
  'algorithm.gae_lambda': '1',
  'algorithm.objective': 'ppo_clip',
  'algorithm.clip_low': '0.8',
  'algorithm.clip_high': '1.2',
  'algorithm.dual_clip': '0',
  'algorithm.ratio_to': 'behaviour',
  'algorithm.importance_cap': '0',
  'algorithm.loss_aggregation': 'token_mean',
  'rollout.resampling_rounds': '0',
};

describe('the method list', () => {
  it('recognizes each method in a preset, adapted or published', () => {
    for (const { name } of methods) {
      for (const form of methodForms) {
        const config = withMethod(presetConfig('maze'), name, form);
        expect(matchMethod(config)?.name).toBe(name);
        expect(isInForm(config, findMethod(name), form)).toBe(true);
      }
    }
  });

  it('leaves no settings of the previous method in a config when another method replaces it', () => {
    const forms = methods.flatMap(({ name }) => methodForms.map((form) => [name, form] as const));
    const config = presetConfig('maze');
    for (const first of forms) {
      const before = withMethod(config, ...first);
      for (const second of forms) {
        expect(withMethod(before, ...second)).toEqual(withMethod(config, ...second));
      }
    }
  });

  it('gives every link to a method the same settings as in earlier versions, with every preset', () => {
    expect(methods.map(({ name }) => name)).toEqual(Object.keys(linked));
    for (const preset of presets) {
      for (const [name, own] of Object.entries(linked)) {
        const config = presetConfig(preset.name);
        const set = Object.entries({ ...linkedByAll, ...own });
        expect(withMethod(config, name), `${preset.name}, ${name}`).toEqual(
          setConfigValues(config, set),
        );
      }
    }
  });

  // Papers and the code of their authors, one line each; sources are in the methods' settings.
  it.each([
    [
      'grpo',
      {
        loss_aggregation: 'seq_mean_token_mean',
        kl_coef: 0.04,
        kl_estimator: 'k3',
        kl_placement: 'loss',
      },
    ],
    ['ppo', { gamma: 0.99, gae_lambda: 0.95, clip_low: 0.8, clip_high: 1.2, value_clip: 0 }],
    ['bapo', { objective: 'bapo', dual_clip: 3 }],
    ['dapo', { clip_low: 0.8, clip_high: 1.28, overlong_share: 0.2, kl_coef: 0 }],
    [
      'dr_grpo',
      { loss_aggregation: 'seq_mean_token_sum_norm', loss_length: 'schedule', kl_coef: 0 },
    ],
    ['rloo', { kl_coef: 0.03, kl_placement: 'reward', kl_estimator: 'k1', clip_low: 0 }],
    ['reinforce_plus_plus', { kl_coef: 0.01, kl_placement: 'reward', kl_estimator: 'k1' }],
    ['remax', { kl_coef: 0.05, kl_placement: 'reward', clip_low: 0 }],
    ['gspo', { clip_low: 0.9997, clip_high: 1.0004, loss_aggregation: 'seq_mean_token_mean' }],
    ['cispo', { clip_low: 0, clip_high: 5, loss_aggregation: 'token_mean' }],
    ['decoupled_ppo', { advantage: 'gae', ratio_to: 'proximal' }],
    ['tis', { ratio_to: 'proximal', importance_cap: 2 }],
  ])('has the published settings of %s', (name, algorithm) => {
    expect(withMethod(defaultConfig(), name, 'published').algorithm).toMatchObject(algorithm);
  });

  it('includes the published token shares of Clip-Cov and KL-Cov, and BAPO’s published search', () => {
    const published = (name: string) => withMethod(defaultConfig(), name, 'published');
    expect(published('clip_cov').covariance).toMatchObject({ fraction: 2e-4, low: 1, high: 5 });
    expect(published('kl_cov').covariance).toMatchObject({ fraction: 2e-3, kl_coef: 1 });
    const tuned = setConfigValues(defaultConfig(), [['bapo.target', '0.7']]);
    expect(withMethod(tuned, 'bapo', 'published').bapo).toEqual(defaultConfig().bapo);
    // In the adapted form, the search keeps the preset's settings.
    expect(withMethod(tuned, 'bapo').bapo.target).toBe(0.7);
  });

  it('gives the source of each setting and the reason for each adaptation', () => {
    for (const { settings } of methods) {
      for (const { path, published, source, adapted } of settings) {
        expect(source).not.toBe('');
        const text = String(
          getConfigValue(setConfigValues(defaultConfig(), [[path, published]]), path),
        );
        expect(text).toBe(published);
        if (adapted === undefined) continue;
        expect(adapted.text).not.toBe(published);
        expect(adapted.reason).toMatch(/^[A-Z].*\.$/);
      }
    }
  });

  it('recognizes a method with tuned bounds, but not a mixture of two methods', () => {
    const bapo = withMethod(presetConfig('maze'), 'bapo');
    const tuned = { ...bapo, algorithm: { ...bapo.algorithm, dual_clip: 5 } };
    expect(matchMethod(tuned)?.name).toBe('bapo');
    expect(isInForm(tuned, findMethod('bapo'), 'adapted')).toBe(false);
    const mixture = { ...bapo, algorithm: { ...bapo.algorithm, advantage: 'remax' as const } };
    expect(matchMethod(mixture)).toBeNull();
  });

  it('suggests the nearest method for an unknown name', () => {
    expect(() => findMethod('ppo2')).toThrow(/no method is called "ppo2"\. Did you mean ppo\?/);
  });
});
