import { describe, expect, it } from 'vitest';
import {
  createEnvironment,
  EnvironmentOptionError,
  environmentFamilies,
  UnknownEnvironmentError,
} from './registry.ts';

describe('createEnvironment', () => {
  it('makes every registered environment', () => {
    for (const { id } of environmentFamilies) expect(createEnvironment(id).id).toBe(id);
  });

  it('names the environments there are when the id is unknown', () => {
    expect(() => createEnvironment('maze/triple-t')).toThrow(UnknownEnvironmentError);
    for (const { id } of environmentFamilies) {
      expect(() => createEnvironment('maze/triple-t')).toThrow(id);
    }
  });

  it('refuses options that the family does not have, and says which it has', () => {
    expect(() => createEnvironment('maze/double-t-v1', { size: 7 })).toThrow(
      new EnvironmentOptionError('maze/double-t-v1 has no option "size". It has no options.'),
    );
    expect(() => createEnvironment('maze/generated-v1', { width: 7 })).toThrow(
      new EnvironmentOptionError(
        'maze/generated-v1 has no option "width". Its options: size, loops.',
      ),
    );
  });

  it.each([3, 17, 6, 7.5, Number.NaN])('refuses a size of %s', (size) => {
    expect(() => createEnvironment('maze/generated-v1', { size })).toThrow(
      new EnvironmentOptionError(
        `maze/generated-v1: size must be from 5 to 15 in steps of 2; it is ${size}.`,
      ),
    );
  });
});

describe('every registered environment', () => {
  const tests: Readonly<Record<string, string>> = import.meta.glob('./*/conformance.test.ts', {
    query: '?raw',
    import: 'default',
    eager: true,
  });

  it('has an id of its own', () => {
    const ids = environmentFamilies.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it.each(environmentFamilies)('$id is held to the rules by a test in its folder', ({ id }) => {
    const file = `./${id.split('/')[0]}/conformance.test.ts`;
    const text = tests[file] ?? '';
    expect(text, `${file} must call testConformance`).toContain('testConformance(');
    expect(text, `${file} must test ${id}, and name it`).toContain(id);
  });
});
