import type { EnvironmentOption } from './types.ts';

/** Thrown by `create` for an option that a family does not have or a value out of its bounds. */
export class EnvironmentOptionError extends Error {
  override readonly name = 'EnvironmentOptionError';
}

/**
 * Fills in defaults and checks what was given.
 *
 * Throws `EnvironmentOptionError` for an unknown name, and for a value that is not one of
 * min, min + step, …, max.
 */
export function resolveOptions<Name extends string>(
  familyId: string,
  options: Readonly<Record<Name, EnvironmentOption>>,
  given: Readonly<Record<string, number>> = {},
): Readonly<Record<Name, number>> {
  const names = Object.keys(options) as Name[];
  for (const name of Object.keys(given)) {
    if (!(names as string[]).includes(name)) {
      const known = names.length === 0 ? 'It has no options.' : `Its options: ${names.join(', ')}.`;
      throw new EnvironmentOptionError(`${familyId} has no option "${name}". ${known}`);
    }
  }
  const resolved = {} as Record<Name, number>;
  for (const name of names) {
    const { default: fallback, min, max, step } = options[name];
    const value = given[name] ?? fallback;
    // Written so that NaN fails too.
    const allowed = value >= min && value <= max && Number.isInteger((value - min) / step);
    if (!allowed) {
      throw new EnvironmentOptionError(
        `${familyId}: ${name} must be from ${min} to ${max} in steps of ${step}; it is ${value}.`,
      );
    }
    resolved[name] = value;
  }
  return resolved;
}
