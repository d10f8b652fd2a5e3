import { describe, expect, it } from 'vitest';
import { offeredFamilies } from '../envs/registry.ts';
import { MOST_NEW_TOKENS } from '../policy/types.ts';
import { defaultConfig, parseConfig } from './check.ts';
import { ConfigError } from './error.ts';
import { describeConfig, getConfigValue } from './fields.ts';
import { defaultPreset, isPreset, presetNames } from './preset-names.ts';
import { presetConfig, presets, UnknownPresetError } from './presets.ts';
import type { ConfigInput } from './schema.ts';
import { setConfigValue, setConfigValues } from './text.ts';

/** The one-line message with which a config is rejected. */
function refusal(config: unknown): string {
  try {
    parseConfig(config);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    const message = error instanceof Error ? error.message : '';
    expect(message).not.toContain('\n');
    return message;
  }
  throw new Error('the config was accepted');
}

describe('parseConfig', () => {
  it('fills in every default and keeps given values', () => {
    const config = parseConfig({ policy: { width: 64 } });
    expect(config.policy).toEqual({ ...defaultConfig().policy, width: 64 });
    expect(parseConfig(config)).toEqual(config);
    expect(parseConfig(JSON.parse(JSON.stringify(config)))).toEqual(config);
  });

  it('returns new objects that share no state', () => {
    const config = defaultConfig();
    config.horizon.rounds.push(99);
    config.env.options.size = 9;
    expect(defaultConfig().horizon.rounds).not.toContain(99);
    expect(defaultConfig().env.options).toEqual({});
  });

  it.each([
    [{ polcy: {} }, /^polcy: unknown key; known keys here are seed, recipe, env, agent,/],
    [{ 'pol\ncy': {} }, /^"pol\\ncy": unknown key; known keys here are seed, recipe, env, agent,/],
    [{ policy: { depth: 3 } }, /^policy\.depth: unknown key; known keys here are layers, width/],
    [{ policy: { layers: 0 } }, /^policy\.layers: must be a whole number from 1 to 16, got 0$/],
    [{ policy: { layers: 1.5 } }, /^policy\.layers: must be a whole number .* got 1\.5$/],
    [{ policy: { width: 30 } }, /^policy\.width: must be .* a multiple of 4, got 30$/],
    [{ policy: 3 }, /^policy: must be an object, got 3$/],
    [{ seed: '1' }, /^seed: must be a whole number from 0 to 4294967295, got "1"$/],
    [{ seed: null }, /^seed: .* got null$/],
    [{ seed: Number.NaN }, /^seed: must be/],
    [{ agent: { temperature: Number.POSITIVE_INFINITY } }, /^agent\.temperature: must be/],
    [{ horizon: { schedule: 'wild' } }, /one of fixed, scaling_inter, got "wild"$/],
    [{ horizon: { rounds: [10, 'x'] } }, /^horizon\.rounds\.1: must be a list .* got "x"$/],
    [{ horizon: { rounds: [] } }, /^horizon\.rounds: must be a list of 1 to 32/],
    [{ horizon: { rounds: [10, 5] } }, /^horizon\.rounds: must never decrease, got 5 after 10/],
    [{ policy: { heads: 3 } }, /^policy\.heads: width 32 divided by 3 heads/],
    [{ policy: { heads: 2, kv_heads: 3 } }, /^policy\.kv_heads: must divide the 2 query heads/],
    [
      { agent: { context_length: 256 }, algorithm: { micro_batch_tokens: 128 } },
      /^algorithm\.micro_batch_tokens: must hold at least one context of 256 tokens, got 128$/,
    ],
    [
      {
        rollout: { tasks_per_iteration: 1, group_size: 2 },
        algorithm: { mini_batches: 3 },
      },
      /^algorithm\.mini_batches: must be at most 2, the number of episodes/,
    ],
    [{ rollout: { group_size: 1 } }, /^rollout\.group_size: must be at least 2 for grpo.* got 1$/],
    [
      {
        rollout: { group_size: 1, resampling_rounds: 1 },
        algorithm: { advantage: 'remax' },
      },
      /^rollout\.resampling_rounds: needs groups of at least 2/,
    ],
    [
      { env: { id: 'remote/openenv-v1' }, rollout: { partial_tokens: 50 } },
      /^rollout\.partial_turns: must be 0, and so must partial_tokens, in a remote environment$/,
    ],
    [
      { rollout: { resampling_rounds: 1, partial_turns: 5 } },
      /^rollout\.resampling_rounds: cannot be used with partial rollouts/,
    ],
    [
      { algorithm: { objective: 'bapo' }, bapo: { high_min: 2, high_max: 1.5 } },
      /^bapo\.high_max: must be at least high_min 2, got 1\.5$/,
    ],
    [
      { covariance: { low: 5 } },
      /^covariance\.high: must be greater than covariance\.low 5, got 5$/,
    ],
    [{ env: { id: 'maze/none' } }, /^env\.id: must be one of maze\/double-t-v1, .*"maze\/none"$/],
    [
      { env: { options: { size: 7 } } },
      /^env\.options\.size: .* no such option; it has no options$/,
    ],
    [
      { env: { id: 'maze/generated-v2', options: { size: 6 } } },
      /^env\.options\.size: must be from 5 to 15 in steps of 2, got 6$/,
    ],
    [
      { env: { id: 'maze/generated-v2', options: { size: 'big' } } },
      /^env\.options\.size: .* got "big"$/,
    ],
    ['maze', /^the config must be an object, got "maze"$/],
    [null, /must be an object, got null$/],
  ])('rejects %j with a one-line message', (config, message) => {
    expect(refusal(config)).toMatch(message);
  });
});

describe('describeConfig', () => {
  it('lists every field with a title, a description and the default', () => {
    const fields = describeConfig();
    const config = defaultConfig();
    const leaves = Object.entries(config).flatMap(([section, value]) =>
      typeof value === 'object' ? Object.keys(value).map((key) => `${section}.${key}`) : [section],
    );
    expect(fields.map(({ path }) => path)).toEqual(leaves);
    for (const field of fields) {
      expect(field.title).not.toBe('');
      expect(field.description).toMatch(/\.$/);
      expect(getConfigValue(config, field.path)).toEqual(field.default);
      if (field.type === 'integer' || field.type === 'number' || field.type === 'integers') {
        expect(field.max).toBeGreaterThan(field.min ?? Number.POSITIVE_INFINITY);
      }
      if (field.type === 'choice') expect(field.choices).toContain(field.default);
    }
  });

  it('limits the tokens of a turn to what a policy can generate', () => {
    const withTokens = (max_action_tokens: number) =>
      parseConfig({ agent: { max_action_tokens, context_length: 256 } });
    expect(withTokens(MOST_NEW_TOKENS).agent.max_action_tokens).toBe(MOST_NEW_TOKENS);
    expect(() => withTokens(MOST_NEW_TOKENS + 1)).toThrow(/must be a whole number from 1 to 128/);
  });

  it('states the bounds that the schema enforces', () => {
    for (const { path, type, min, max } of describeConfig()) {
      if (type !== 'integer' && type !== 'number') continue;
      for (const value of [(min ?? 0) - 1, (max ?? 0) + 1]) {
        const act = () => setConfigValue(defaultConfig(), path, String(value));
        expect(act).toThrow(new RegExp(`^${path.replaceAll('.', '\\.')}: must be`));
      }
    }
  });
});

describe('setConfigValue', () => {
  it('parses each type from text and leaves the original unchanged', () => {
    const config = defaultConfig();
    const set = (path: string, text: string) =>
      getConfigValue(setConfigValue(config, path, text), path);
    expect(set('seed', '12')).toBe(12);
    expect(set('optimizer.learning_rate', '3e-4')).toBe(3e-4);
    expect(set('policy.tied_embeddings', 'true')).toBe(true);
    expect(set('horizon.schedule', 'scaling_inter')).toBe('scaling_inter');
    expect(set('horizon.rounds', '6, 13,20')).toEqual([6, 13, 20]);
    expect(set('horizon.rounds', '[6,13]')).toEqual([6, 13]);
    expect(config).toEqual(defaultConfig());
  });

  it('checks several fields together, once all are set', () => {
    const input: ConfigInput = {};
    const config = setConfigValues(input, [
      ['policy.heads', '16'],
      ['policy.kv_heads', '4'],
      ['policy.width', '64'],
      ['env.id', 'maze/generated-v2'],
      ['env.options.size', '9'],
    ]);
    expect(config.policy).toMatchObject({ heads: 16, kv_heads: 4, width: 64 });
    expect(config.env).toMatchObject({ id: 'maze/generated-v2', options: { size: 9 } });
    expect(input).toEqual({});
  });

  it.each([
    ['nothing', '1', /^nothing: unknown key; known/],
    ['policy.depth', '1', /^policy\.depth: unknown key; known keys here are layers/],
    ['policy', '{}', /^policy: unknown key/],
    ['__proto__.polluted', '1', /unknown key/],
    ['seed', '', /^seed: must be a whole number/],
    ['seed', 'one', /got "one"$/],
    ['policy.tied_embeddings', 'yes', /must be true or false, got "yes"$/],
    ['horizon.rounds', '6,x', /must be a list of 1 to 32 whole numbers/],
    ['env.options', 'size', /must be an object of numbers and strings, written as JSON/],
  ])('rejects %s=%s', (path, text, message) => {
    expect(() => setConfigValue(defaultConfig(), path, text)).toThrow(message);
  });
});

describe('the preset list', () => {
  it('contains exactly the known names', () => {
    expect(presets.map(({ name }) => name)).toEqual([...presetNames]);
    expect(isPreset(defaultPreset)).toBe(true);
    expect(isPreset('a maze')).toBe(false);
  });

  it('uses only offered environments, while configs may also use superseded ones', () => {
    const offered = offeredFamilies.map(({ id }) => id);
    for (const { name } of presets) {
      const { id, mixture } = presetConfig(name).env;
      const ids = mixture.length === 0 ? [id] : mixture.map((part) => part.id);
      expect(offered, name).toEqual(expect.arrayContaining(ids));
    }
    const first = { id: 'maze/generated-v1', options: { size: 7, loops: 75 } };
    expect(parseConfig({ env: first }).env).toMatchObject(first);
  });

  it('names environments that can be created', () => {
    for (const { config } of presets) expect(() => parseConfig(config)).not.toThrow();
  });

  it('has unique names and valid configs', () => {
    for (const { name } of presets) expect(presetConfig(name).seed).toBe(1);
    expect(new Set(presets.map(({ name }) => name)).size).toBe(presets.length);
    expect(() => presetConfig('nothing')).toThrow(UnknownPresetError);
    expect(() => presetConfig('nothing')).toThrow(/maze, maze-partial, maze-stale, maze-generated/);
  });
});
