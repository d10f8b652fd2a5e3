import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../../config/check.ts';
import { describeConfig } from '../../../config/fields.ts';
import { methodDifferences } from '../../../config/method-differences.ts';
import { findMethod, withMethod } from '../../../config/methods.ts';
import { optionFields, panelFields, textOf } from '../../../config/panel-fields.ts';
import { presetConfig } from '../../../config/presets.ts';
import { inForce } from '../../../config/relevance.ts';
import { setConfigValues } from '../../../config/text.ts';
import { environmentFamilies } from '../../../envs/registry.ts';
import { maze, wordle } from '../../../runs/testing/rows.ts';
import { horizonOf } from './horizon.ts';
import {
  firstMixture,
  percentages,
  withImitationWeight,
  withOption,
  withPart,
  withShare,
} from './mixture-parts.ts';
import {
  chooseMethod,
  discardEdits,
  draft,
  edit,
  errorOf,
  inChosen,
  useSettings,
} from './store-settings.ts';

const config = presetConfig('maze');

describe('the settings panel', () => {
  it('shows every field of the schema and the options of the environment', () => {
    for (const { id, options } of environmentFamilies) {
      const paths = panelFields(id).map(({ path }) => path);
      for (const { path } of describeConfig()) {
        if (path !== 'env.options') expect(paths).toContain(path);
      }
      for (const name of Object.keys(options)) expect(paths).toContain(`env.options.${name}`);
    }
  });

  it('renders a field for every type of option', () => {
    const fields = new Map(optionFields(wordle, 'env').map((field) => [field.path, field]));
    expect(fields.get('env.options.openings')).toMatchObject({ type: 'integer', min: 0, max: 3 });
    expect(fields.get('env.options.list')).toMatchObject({
      type: 'choice',
      choices: ['small', 'medium', 'large'],
    });
    expect(fields.get('env.options.words')?.option?.type).toBe('text');
    for (const { id } of environmentFamilies) {
      const edits = { 'env.id': id, 'env.mixture': '[]' };
      for (const field of optionFields(id, 'env')) {
        const text = String(field.default);
        expect(draft(config, { ...edits, [field.path]: text }).errors).toEqual({});
      }
    }
    const wrong = draft(config, { 'env.id': wordle, 'env.options.words': 'crane, toolong' });
    expect(wrong.config).toBeNull();
    const message = errorOf(wrong.errors, 'env.options.words');
    expect(message).toMatch(/toolong/);
    expect(message).not.toMatch(/, got/);
  });

  it('distributes the tasks of a mixture in whole percentages', () => {
    const shares = fc.array(fc.double({ min: 0.01, max: 100, noNaN: true }), {
      minLength: 1,
      maxLength: 32,
    });
    fc.assert(
      fc.property(shares, fc.nat(31), fc.integer({ min: -20, max: 120 }), (given, at, wanted) => {
        const index = at % given.length;
        const next = withShare(given, index, wanted);
        expect(next.reduce((sum, share) => sum + share, 0)).toBe(100);
        for (const share of next) {
          expect(Number.isInteger(share)).toBe(true);
          expect(share).toBeGreaterThanOrEqual(1);
        }
        if (given.length > 1) {
          expect(next[index]).toBe(Math.min(101 - given.length, Math.max(1, wanted)));
        }
      }),
    );
    expect(withShare([50, 30, 20], 0, 75)).toEqual([75, 15, 10]);
    expect(percentages([1, 3])).toEqual([25, 75]);
  });

  it('edits the parts of a mixture and reports invalid values', () => {
    const parts = withPart(firstMixture({ id: maze, options: {} }), {
      id: 'maze/generated-v2',
      options: {},
    });
    expect(parts).toHaveLength(3);
    expect(parts[1]?.id).not.toMatch(/^maze/);
    const read = (next: typeof parts) => draft(config, { 'env.mixture': JSON.stringify(next) });
    expect(read(parts).config?.env.mixture).toEqual(parts);
    const sized = withOption(parts, 2, 'size', '9');
    expect(read(sized).config?.env.mixture[2]?.options).toEqual({ size: 9 });
    // Defaults are omitted, and an invalid size is reported at its field.
    expect(withOption(sized, 2, 'size', '7')).toEqual(parts);
    const wrong = read(withOption(parts, 2, 'size', 'many'));
    expect(wrong.config).toBeNull();
    expect(errorOf(wrong.errors, 'env.mixture.2.options.size')).toMatch(/from 5 to 15/);
    expect(errorOf(wrong.errors, 'env.mixture.1')).toBeUndefined();
    const weighed = read(withImitationWeight(parts, 1, '2.5'));
    expect(weighed.config?.env.mixture[1]?.imitation_weight).toBe(2.5);
    for (const text of ['', 'much', '0']) {
      const { config: none, errors } = read(withImitationWeight(parts, 1, text));
      expect(none).toBeNull();
      expect(errorOf(errors, 'env.mixture.1.imitation_weight')).toBeDefined();
    }
  });

  it('validates all edits together and reports every invalid value', () => {
    const good = draft(config, {
      'policy.width': '64',
      'policy.heads': '4',
      'policy.kv_heads': '4',
    });
    expect(good.errors).toEqual({});
    expect(good.config?.policy.heads).toBe(4);

    const bad = draft(config, {
      'rollout.group_size': '0',
      'horizon.rounds': '6, 4',
      seed: '7',
    });
    expect(bad.config).toBeNull();
    expect(Object.keys(bad.errors).sort()).toEqual(['horizon.rounds', 'rollout.group_size']);
    expect(errorOf(bad.errors, 'horizon.rounds')).toMatch(/never decrease/);
    expect(errorOf(bad.errors, 'seed')).toBeUndefined();
    expect(errorOf(draft(config, { 'horizon.rounds': '3, x' }).errors, 'horizon.rounds')).toMatch(
      /list/,
    );
  });

  it('applies a method as edits and recognizes it in the config', () => {
    discardEdits();
    const config = {
      ...presetConfig('maze'),
      algorithm: { ...withMethod(presetConfig('maze'), 'grpo').algorithm, clip_high: 1.5 },
    };
    chooseMethod(config, 'bapo');
    const { edits } = useSettings.getState();
    // The config's own bound 1.5 differs from the method's; the lower bound 0.8 does not.
    expect(Object.keys(edits).sort()).toEqual([
      'algorithm.clip_high',
      'algorithm.dual_clip',
      'algorithm.objective',
    ]);
    const next = draft(config, edits).config;
    expect(next).toEqual(withMethod(config, 'bapo'));
    // A second method replaces all edits of the first.
    chooseMethod(config, 'rloo');
    expect(draft(config, useSettings.getState().edits).config).toEqual(withMethod(config, 'rloo'));
    discardEdits();
  });

  it('lists settings that differ from the paper, with their source', () => {
    const preset = presetConfig('maze');
    const grpo = findMethod('grpo');
    expect(methodDifferences(grpo, withMethod(preset, 'grpo', 'published'), preset)).toEqual([]);
    const adapted = methodDifferences(grpo, withMethod(preset, 'grpo'), preset);
    expect(adapted.map(({ path, here, published }) => [path, here, published])).toEqual([
      ['algorithm.loss_aggregation', 'token_mean', 'seq_mean_token_mean'],
      ['algorithm.kl_coef', '0', '0.04'],
    ]);
    expect(adapted[1]?.why).toMatch(/random weights/);
    const tuned = setConfigValues(preset, [['algorithm.value_coef', '1']]);
    const ppo = methodDifferences(findMethod('ppo'), tuned, preset);
    const whyOf = (path: string) => ppo.find((difference) => difference.path === path)?.why;
    expect(whyOf('algorithm.clip_high')).toBe('The preset’s.');
    expect(whyOf('algorithm.value_coef')).toBe('Yours.');
  });

  it('applies valid edits while others are invalid', () => {
    const { config: next, readable } = draft(config, {
      'rollout.group_size': '0',
      'algorithm.objective': 'cispo',
    });
    expect(next).toBeNull();
    expect(readable.algorithm.objective).toBe('cispo');
    expect(readable.rollout.group_size).toBe(config.rollout.group_size);
  });

  it('hides fields without effect', () => {
    const config = withMethod(presetConfig('maze'), 'grpo');
    const shown = (given: Readonly<Record<string, string>>) => {
      const read = (path: string) => given[path] ?? textOf(config, path);
      return new Set(
        panelFields(config.env.id)
          .map(({ path }) => path)
          .filter((path) => inForce(path, read)),
      );
    };
    const plain = shown({});
    expect(plain).toContain('algorithm.clip_high');
    for (const path of ['bapo.target', 'covariance.fraction', 'algorithm.gae_lambda']) {
      expect(plain).not.toContain(path);
    }
    const bapo = shown({ 'algorithm.objective': 'bapo' });
    expect(bapo).toContain('bapo.target');
    expect(bapo).not.toContain('algorithm.clip_high');
    const klCov = shown({ 'algorithm.objective': 'kl_cov' });
    expect(klCov).toContain('covariance.kl_coef');
    expect(klCov).not.toContain('covariance.low');
    expect(shown({ 'algorithm.advantage': 'gae' })).toContain('algorithm.gae_lambda');
    // The field that enables a section is always visible.
    for (const path of ['replay.share', 'imitation.epochs', 'preference.epochs']) {
      expect(plain).toContain(path);
    }
    expect(plain).not.toContain('replay.max_age');
    expect(shown({ 'replay.share': '0.5' })).toContain('replay.max_age');
  });

  it('drops the options of another environment', () => {
    const generated = presetConfig('maze-generated');
    const { config: next } = draft(generated, { 'env.id': 'maze/double-t-v1' });
    expect(next?.env.options).toEqual({});
    expect(textOf(generated, 'env.options.size')).toBe('7');
  });

  it('shows the defaults of a newly selected environment, and reverts edits', () => {
    discardEdits();
    edit(config, 'env.id', wordle);
    const { edits } = useSettings.getState();
    expect(textOf(inChosen(config, edits), 'env.options.list')).toBe('small');
    edit(config, 'env.options.list', 'medium');
    expect(useSettings.getState().edits['env.options.list']).toBe('medium');
    edit(config, 'env.options.list', 'small');
    expect(useSettings.getState().edits).toEqual({ 'env.id': wordle });
    edit(config, 'env.id', maze);
    expect(useSettings.getState().edits).toEqual({});
  });

  it('draws the schedule that training uses', () => {
    const scaling = parseConfig({
      horizon: { schedule: 'scaling_inter', rounds: [4, 8], interval: 10 },
    });
    expect([1, 10, 11, 99].map(horizonOf(scaling))).toEqual([4, 4, 8, 8]);
  });
});
