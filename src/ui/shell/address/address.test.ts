import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { thorough } from '../../../../scripts/tier.mjs';
import { parseConfig } from '../../../config/check.ts';
import { describeConfig } from '../../../config/fields.ts';
import { methods, withMethod } from '../../../config/methods.ts';
import { presetConfig, presets } from '../../../config/presets.ts';
import type { Config } from '../../../config/schema.ts';
import { environmentFamilies, environmentFor } from '../../../envs/registry.ts';
import {
  addressPart,
  namesRun,
  readAddress,
  rewriteAddress,
  withParameter,
  writeAddress,
} from './address.ts';

const config = presetConfig('maze');
const wordle = 'wordle/wordle-v1';
const mixed = parseConfig({
  env: {
    mixture: [
      { id: 'maze/double-t-v1', share: 3 },
      { id: wordle, options: { openings: 0 } },
    ],
  },
});

describe('writeAddress and readAddress', () => {
  it('round-trips every preset with changes', () => {
    for (const { name } of presets) {
      const base = presetConfig(name);
      expect(readAddress(writeAddress({ preset: name, config: base }))).toEqual({
        preset: name,
        config: base,
        notes: [],
      });
      const changed = parseConfig({
        ...base,
        seed: 9,
        horizon: { ...base.horizon, schedule: 'scaling_inter', rounds: [3, 7] },
      });
      const search = writeAddress({ preset: name, config: changed });
      expect(search).toContain('horizon.rounds=3,7');
      expect(readAddress(search)).toEqual({ preset: name, config: changed, notes: [] });
    }
    expect(writeAddress({ preset: 'maze', config })).toBe('');
  });

  it('writes the method, and lets individual settings override it', () => {
    const bapo = withMethod(config, 'bapo');
    expect(readAddress('?method=bapo')).toEqual({ preset: 'maze', config: bapo, notes: [] });
    expect(writeAddress({ preset: 'maze', config: bapo })).toBe('?method=bapo');
    const { config: tuned } = readAddress('?bapo.target=0.5&method=bapo&algorithm.dual_clip=0');
    expect(tuned.bapo.target).toBe(0.5);
    expect(tuned.algorithm).toEqual({ ...bapo.algorithm, dual_clip: 0 });
    for (const { name } of methods) {
      for (const preset of presets) {
        const run = { preset: preset.name, config: withMethod(presetConfig(preset.name), name) };
        expect(readAddress(writeAddress(run))).toEqual({ ...run, notes: [] });
      }
    }
  });

  it('writes whether the settings of a method are published or adapted', () => {
    const published = withMethod(config, 'grpo', 'published');
    expect(writeAddress({ preset: 'maze', config: published })).toBe(
      '?method=grpo&settings=published',
    );
    for (const { name } of methods) {
      for (const preset of presets) {
        const own = presetConfig(preset.name);
        const run = { preset: preset.name, config: withMethod(own, name, 'published') };
        expect(readAddress(writeAddress(run))).toEqual({ ...run, notes: [] });
      }
    }
    expect(readAddress('?method=gspo&settings=adapted')).toEqual(readAddress('?method=gspo'));
    expect(readAddress('?method=gspo&settings=best')).toEqual({
      ...readAddress('?method=gspo'),
      notes: [expect.stringMatching(/settings=“best”, which is neither published nor adapted/)],
    });
    expect(readAddress('?settings=published')).toEqual({
      ...readAddress(''),
      notes: [expect.stringMatching(/settings=“published” but names no method; it is ignored/)],
    });
  });

  it('ignores device and view parameters', () => {
    expect(readAddress('?embed=stage,success&device=processor&depth=watch&seed=2')).toEqual(
      readAddress('?seed=2'),
    );
    expect(namesRun('?embed=stage&depth=watch')).toBe(false);
  });

  it('writes mixtures and options of every type, and puts long addresses behind #', () => {
    const run = (config: typeof mixed) => ({ preset: 'maze', config });
    const search = writeAddress(run(mixed));
    expect(search).toMatch(/^\?.*env\.mixture=/);
    expect(readAddress(addressPart({ search, hash: '' }))).toEqual({ ...run(mixed), notes: [] });
    const words = (count: number) =>
      Array.from({ length: count }, (_, i) =>
        Array.from({ length: 5 }, (_, k) => 'abcdefghij'.charAt(Math.floor(i / 10 ** k) % 10)).join(
          '',
        ),
      ).join('\n');
    for (const [count, prefix] of [
      [8, '?'],
      [600, '#?'],
    ] as const) {
      const options = { words: words(count), openings: 0, feedback: 'original' };
      const own = parseConfig({ env: { id: wordle, options } });
      const address = writeAddress(run(own));
      expect(address.startsWith(prefix)).toBe(true);
      const part = prefix === '?' ? { search: address, hash: '' } : { search: '', hash: address };
      expect(readAddress(addressPart(part))).toEqual({ ...run(own), notes: [] });
    }
  });

  it('round-trips spaces and commas in texts', () => {
    const words = 'crane, slate,  %2C+ tr/ace';
    const env = { id: 'word/any-v1', options: { name: words, drawing: words }, mixture: [] };
    const run = { preset: 'maze', config: { ...config, env } };
    const parameters = new URLSearchParams(writeAddress(run));
    expect(parameters.get('env.options.name')).toBe(words);
    expect(parameters.get('env.options.drawing')).toBe(words);
    expect(readAddress('?horizon.rounds=3%2C+7').config.horizon.rounds).toEqual([3, 7]);
  });

  it('round-trips runs without the preset’s options or in another environment', () => {
    const base = presetConfig('maze-generated');
    for (const env of [
      { id: wordle, options: {}, mixture: [] },
      { id: wordle, options: { openings: 0 }, mixture: [] },
      { ...base.env, options: { size: 9 } },
      { ...base.env, options: {} },
    ] satisfies Config['env'][]) {
      const run = { preset: 'maze-generated', config: parseConfig({ ...base, env }) };
      expect(readAddress(writeAddress(run))).toEqual({ ...run, notes: [] });
    }
  });
});

describe('readAddress with invalid values', () => {
  const at = (search: string) => {
    const { config: read, notes } = readAddress(search);
    expect(notes).toHaveLength(1);
    return { config: read, note: notes[0] ?? '' };
  };

  it('clamps numbers with a note', () => {
    const high = at('?algorithm.clip_high=900');
    expect(high.config.algorithm.clip_high).toBe(10);
    expect(high.note).toBe(
      'algorithm.clip_high was 900 in the address; the maximum is 10, so 10 is used.',
    );
    expect(at('?policy.layers=0').note).toContain('the minimum is 1, so 1 is used');
    expect(at('?policy.layers=1.6').config.policy.layers).toBe(2);
    expect(at('?policy.width=33').note).toBe(
      'policy.width was 33 in the address; values are in steps of 4, so 32 is used.',
    );
    expect(at('?policy.layers=Infinity').config.policy.layers).toBe(16);
    expect(at('?seed=-5').config.seed).toBe(0);
    expect(at('?horizon.rounds=5,7000').config.horizon.rounds).toEqual([5, 1000]);
    const sized = at('?env.id=maze/generated-v2&env.options.size=8');
    expect(sized.note).toMatch(
      /^env\.options\.size was 8 in the address; values are in steps of 2, so/,
    );
    expect(sized.config.env.options.size).toBe(9);
  });

  it('keeps the preset’s value if no valid value is close', () => {
    const seed = at('?seed=many&rollout.group_size=4');
    expect(seed.config.rollout.group_size).toBe(4);
    expect(seed.note).toContain('seed was “many” in the address, but must be a whole number');
    expect(seed.note).toMatch(/; 1 is used\.$/);
    expect(at('?env.id=moon/base-v9').config.env).toEqual(config.env);
    expect(at('?env.mixture=[').note).toContain('; none is used.');
    expect(at('?preset=generalist&env.mixture=[{"id":"moon"}]').config).toEqual(
      presetConfig('generalist'),
    );
    expect(at('?horizon.rounds=5,x').config.horizon).toEqual(config.horizon);
    expect(at('?policy.tied_embeddings=yes').note).toContain('true or false');
  });

  it('reports unknown keys, including those of Object.prototype', () => {
    for (const key of [
      'rollout.nothing',
      '__proto__',
      '__proto__.seed',
      'constructor',
      'env.options.constructor',
      'env.options.__proto__',
      'env.options.size',
      'policy',
      '',
    ]) {
      const { config: read, note } = at(`?${encodeURIComponent(key)}=1`);
      expect(note).toBe(`“${key}” is not a setting, so it is ignored.`);
      expect(read).toEqual(config);
    }
    expect(at('?env.options={"constructor":1}').config).toEqual(config);
    expect(Object.prototype).not.toHaveProperty('seed');
  });

  it('drops values that conflict with others and keeps the rest', () => {
    const { config: read, note } = at('?policy.width=36&policy.layers=3&seed=4');
    expect(note).toContain(
      'policy.width was 36 in the address, but this value conflicts with other settings',
    );
    expect(read.policy).toEqual({ ...config.policy, layers: 3 });
    expect(read.seed).toBe(4);
    // The value is out of bounds, and the nearest valid value conflicts with other settings: one note.
    const few = readAddress('?rollout.tasks_per_iteration=2&rollout.group_size=0');
    expect(few.notes).toEqual([
      expect.stringMatching(
        /^rollout\.group_size was 0 in the address; the nearest valid value, 1, conflicts with other settings \(.*\); \d+ is used\.$/,
      ),
    ]);
    // Each of these settings would be invalid without the others.
    const both = readAddress('?policy.kv_heads=3&policy.heads=3&policy.width=36&seed=x');
    expect(both.notes).toHaveLength(1);
    expect(both.config.policy).toMatchObject({ width: 36, heads: 3, kv_heads: 3 });
  });

  it('replaces unknown presets and methods with a note', () => {
    const preset = at('?preset=none&seed=3');
    expect(preset.config).toEqual({ ...config, seed: 3 });
    expect(preset.note).toBe('Unknown preset “none” in the address; maze is used.');
    const method = at('?preset=wordle&method=ppo2');
    expect(method.config).toEqual(presetConfig('wordle'));
    expect(method.note).toMatch(/^Unknown method “ppo2” in the address; /);
    expect(at('?preset=wordl').note).toContain('; maze is used. Did you mean wordle?');
    expect(at('?preset=babyai').note).toContain(
      'Did you mean babyai-goto-red-ball or babyai-goto-local?',
    );
    expect(method.note).toMatch(/ Did you mean ppo\?$/);
    expect(at(`?preset=${'x'.repeat(1_000_000)}`).note.length).toBeLessThan(200);
  });

  it('validates options together by creating the environment', () => {
    const recipe = (result: string, from: string) => ({
      type: 'crafting_shapeless',
      ingredients: [from],
      result,
    });
    const recipes = JSON.stringify([recipe('b', 'a'), recipe('c', 'b')]);
    const { config: read, note } = at(
      `?${new URLSearchParams({
        'env.id': 'textcraft/textcraft-v1',
        'env.options.recipes': recipes,
        'env.options.depth': '4',
        'env.options.goals': 'exact-depth',
      })}`,
    );
    expect(read.env.options).toEqual({ recipes, depth: 4 });
    expect(note).toMatch(
      /^env\.options\.goals was “exact-depth” in the address, but this value conflicts with other settings \(env\.options\.depth: leaves fewer than two goals: .* choose another depth, or goals up to it, or add recipes\); up-to-depth is used\.$/,
    );
    expect(environmentFor(read.env).trainTasks).not.toEqual([]);
  });
});

describe('readAddress with any address', () => {
  const paths = describeConfig().map(({ path }) => path);
  const options = environmentFamilies.flatMap(({ options: own }) =>
    Object.keys(own).map((name) => `env.options.${name}`),
  );
  const key = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...paths, ...options) },
    fc.constantFrom('preset', 'method', '__proto__', 'constructor', 'toString', 'env', 'policy'),
    fc.constantFrom('env.options.__proto__', '__proto__.polluted', 'env.mixture.0.id', 'seed.seed'),
    fc.string({ unit: 'binary', maxLength: 40 }),
  );
  const deep = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
  const value = fc.oneof(
    fc.oneof(fc.integer(), fc.double(), fc.nat(40)).map(String),
    fc.boolean().map(String),
    fc.json({ maxDepth: 3 }),
    fc.array(fc.oneof(fc.integer(), fc.nat(60)), { maxLength: 40 }).map(String),
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.constantFrom(...presets.map(({ name }) => name), ...methods.map(({ name }) => name)),
    fc.constantFrom(...environmentFamilies.map(({ id }) => id), ...describeChoices()),
    fc.constantFrom('', ' ', '-0', '1e999', '-Infinity', 'NaN', '0x10', '1_000', '٣', '{}', '[]'),
    fc.constantFrom('{"__proto__":{"polluted":1}}', deep(20), deep(50_000), '9'.repeat(30_000)),
    fc
      .array(fc.record({ id: fc.constantFrom(...environmentFamilies.map(({ id }) => id)) }), {
        maxLength: 40,
      })
      .map((parts) => JSON.stringify(parts)),
  );

  function describeChoices(): readonly string[] {
    return describeConfig().flatMap(({ choices = [] }) => choices);
  }

  /** Reads an address, checks the invariants of the result, and returns the CPU time. */
  function check(search: string): number {
    // CPU time, because the machine is shared.
    const begun = process.cpuUsage();
    const read = readAddress(search);
    const { preset, notes } = read;
    expect(parseConfig(read.config)).toEqual(read.config);
    // The rewritten address gives the same run, without notes.
    const again = readAddress(addressPart(partOf(writeAddress(read))));
    // Compared as JSON, which does not distinguish 0 from -0.
    expect(JSON.stringify(again)).toBe(JSON.stringify({ preset, config: read.config, notes: [] }));
    for (const note of notes) {
      expect(note).toMatch(/^\S[\s\S]*(?:\.| Did you mean [^?]+\?)$/);
      // The longest note lists every environment.
      expect(note.length).toBeLessThan(1000);
    }
    return process.cpuUsage(begun).user / 1000;
  }

  const partOf = (address: string) =>
    address.startsWith('#') ? { search: '', hash: address } : { search: address, hash: '' };

  it('returns a valid config quickly', () => {
    const times: number[] = [];
    fc.assert(
      fc.property(fc.array(fc.tuple(key, value), { maxLength: 14 }), (pairs) => {
        times.push(check(`?${new URLSearchParams(pairs)}`));
      }),
      { numRuns: thorough ? 1000 : 300 },
    );
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        times.push(check(`?${text}`));
        times.push(check(text));
      }),
      { numRuns: thorough ? 300 : 100 },
    );
    expect(Object.prototype).not.toHaveProperty('polluted');
    times.sort((a, b) => a - b);
    // Milliseconds, ten times what a slow machine takes. Garbage collection may slow down single
    // measurements, but not nine of ten.
    expect(times[Math.floor(times.length * 0.9)]).toBeLessThan(500);
    expect(times.at(-1)).toBeLessThan(20_000);
  });

  it('stays fast with all settings invalid or a hundred thousand keys', () => {
    for (const wrong of ['1e9', '-1e9', 'x', '3', '{}', deep(3_000)]) {
      const pairs = [...paths, ...options].map((path) => [path, wrong]);
      expect(check(`?${new URLSearchParams(pairs)}`)).toBeLessThan(15_000);
    }
    const many = Array.from({ length: 100_000 }, (_, i) => `k${i}=${i}`).join('&');
    expect(check(`?${many}`)).toBeLessThan(100_000);
  });
});

describe('rewriteAddress', () => {
  afterEach(() => vi.unstubAllGlobals());

  /** The address after another lesson has been opened. */
  function rewritten(address: string): string {
    const replaceState = vi.fn();
    vi.stubGlobal('location', { href: address });
    vi.stubGlobal('history', { replaceState });
    rewriteAddress((part) => withParameter(part, 'lesson', 'maze'));
    return String(replaceState.mock.calls[0]?.[2]);
  }

  it('changes one parameter in the query or behind #, and keeps the rest', () => {
    expect(rewritten('http://lab.example/')).toBe('http://lab.example/?lesson=maze');
    expect(rewritten('http://lab.example/?lesson=all&seed=3')).toBe(
      'http://lab.example/?seed=3&lesson=maze',
    );
    // Long addresses are behind `#`.
    const long = rewritten('http://lab.example/#?seed=3&lesson=all');
    expect(long).toBe('http://lab.example/#?seed=3&lesson=maze');
    expect(addressPart(new URL(long))).toBe('?seed=3&lesson=maze');
  });
});
