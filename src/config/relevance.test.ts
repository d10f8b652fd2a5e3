import { describe, expect, it } from 'vitest';
import { advantageNames, estimators } from '../algorithms/advantages.ts';
import { objectives, surrogateTraits } from '../algorithms/surrogates.ts';
import { defaultConfig } from './check.ts';
import { describeConfig } from './fields.ts';
import { textOf } from './panel-fields.ts';
import { inForce } from './relevance.ts';

const fields = describeConfig().map(({ path }) => path);

/** Reads the defaults with some overrides. */
function reading(edits: Readonly<Record<string, string>>) {
  const config = defaultConfig();
  return (path: string) => edits[path] ?? textOf(config, path);
}

describe('inForce', () => {
  it.each(['imitation', 'preference'])(
    'disables all other %s fields if its epochs are 0',
    (name) => {
      const others = fields.filter(
        (path) => path.startsWith(`${name}.`) && path !== `${name}.epochs`,
      );
      expect(others.length).toBeGreaterThan(2);
      const without = reading({ [`${name}.epochs`]: '0' });
      expect(others.filter((path) => inForce(path, without))).toEqual([]);
      const withEpochs = reading({ [`${name}.epochs`]: '3' });
      expect(others.filter((path) => !inForce(path, withEpochs))).toEqual([]);
      expect(inForce(`${name}.epochs`, without)).toBe(true);
    },
  );

  it('includes the fields of the chosen objective and estimator, and no others of their kind', () => {
    const chosen = (edits: Readonly<Record<string, string>>) => {
      const read = reading(edits);
      return fields.filter((path) => inForce(path, read));
    };
    for (const [setting, traits] of [
      ['algorithm.objective', surrogateTraits],
      ['algorithm.advantage', estimators],
    ] as const) {
      const named: Readonly<Record<string, { readonly fields: readonly string[] }>> = traits;
      const own = [...new Set(Object.values(named).flatMap((one) => one.fields))];
      const isOwn = (path: string, of: readonly string[]) =>
        of.some((name) => path === name || (name.endsWith('.') && path.startsWith(name)));
      // Every path is a field or a section of the config.
      expect(own.filter((name) => !fields.some((path) => isOwn(path, [name])))).toEqual([]);
      for (const name of setting === 'algorithm.objective' ? objectives : advantageNames) {
        const here = chosen({ [setting]: name }).filter((path) => isOwn(path, own));
        expect(here, name).toEqual(fields.filter((path) => isOwn(path, named[name]?.fields ?? [])));
      }
    }
    expect(chosen({ 'algorithm.objective': 'bapo' })).not.toContain('algorithm.clip_low');
    expect(chosen({ 'algorithm.objective': 'kl_cov' })).not.toContain('covariance.low');
    expect(chosen({ 'algorithm.advantage': 'grpo' })).not.toContain('algorithm.value_coef');
  });
});
