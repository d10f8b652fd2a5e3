import { describe, expect, it } from 'vitest';
import { defaultConfig } from './check.ts';
import { describeConfig } from './fields.ts';
import { textOf } from './panel-fields.ts';
import { inForce } from './relevance.ts';

const fields = describeConfig().map(({ path }) => path);

/** Reads the defaults with some fields set otherwise. */
function reading(edits: Readonly<Record<string, string>>) {
  const config = defaultConfig();
  return (path: string) => edits[path] ?? textOf(config, path);
}

describe('inForce', () => {
  it.each(['imitation', 'preference'])('%s without epochs has no other field in force', (name) => {
    const others = fields.filter(
      (path) => path.startsWith(`${name}.`) && path !== `${name}.epochs`,
    );
    expect(others.length).toBeGreaterThan(2);
    const without = reading({ [`${name}.epochs`]: '0' });
    expect(others.filter((path) => inForce(path, without))).toEqual([]);
    const withEpochs = reading({ [`${name}.epochs`]: '3' });
    expect(others.filter((path) => !inForce(path, withEpochs))).toEqual([]);
    expect(inForce(`${name}.epochs`, without)).toBe(true);
  });
});
