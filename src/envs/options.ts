import type { EnvironmentOption, EnvironmentOptions, OptionValue } from './types.ts';

/** Thrown by `create` for an unknown option, an invalid value, or values that exclude each other. */
export class EnvironmentOptionError extends Error {
  override readonly name = 'EnvironmentOptionError';
  /** Name of the invalid option. */
  readonly option: string;
  /** What is wrong, as the end of a sentence that starts with the option's name. */
  readonly problem: string;
  constructor(message: string, option: string, problem: string) {
    super(message);
    this.option = option;
    this.problem = problem;
  }
}

/** The type of a family's options with all defaults filled in. */
export type ResolvedOptions<Options extends Readonly<Record<string, EnvironmentOption>>> = {
  readonly [Name in keyof Options]: Options[Name] extends { readonly type: 'number' }
    ? number
    : Options[Name] extends { readonly type: 'choice'; readonly choices: readonly (infer C)[] }
      ? C
      : string;
};

/** Why a value is invalid, as the end of a sentence; null if it is valid. */
export function optionFault(option: EnvironmentOption, value: OptionValue): string | null {
  switch (option.type) {
    case 'number': {
      const { min, max, step } = option;
      // Written this way so that NaN fails too.
      const allowed =
        typeof value === 'number' &&
        value >= min &&
        value <= max &&
        Number.isInteger((value - min) / step);
      return allowed ? null : `must be from ${min} to ${max} in steps of ${step}`;
    }
    case 'choice':
      return option.choices.includes(String(value))
        ? null
        : `must be one of ${option.choices.join(', ')}`;
    case 'text':
      if (typeof value !== 'string') return 'must be a string';
      if (value.length > option.most) {
        const [most, has] = [option.most, value.length].map((n) => n.toLocaleString('en-US'));
        return `must have at most ${most} characters, but has ${has}`;
      }
      return value === '' ? null : option.fault(value);
    default:
      return option satisfies never;
  }
}

/**
 * Fills in defaults and validates the given options.
 * Throws `EnvironmentOptionError` for an unknown name or an invalid value.
 */
export function resolveOptions<const Options extends Readonly<Record<string, EnvironmentOption>>>(
  familyId: string,
  options: Options,
  given: EnvironmentOptions = {},
): ResolvedOptions<Options> {
  const names = Object.keys(options);
  for (const name of Object.keys(given)) {
    if (!names.includes(name)) {
      const known = names.length === 0 ? 'It has no options.' : `Its options: ${names.join(', ')}.`;
      throw new EnvironmentOptionError(
        `${familyId} has no option "${name}". ${known}`,
        name,
        `is not an option of ${familyId}`,
      );
    }
  }
  const resolved: Record<string, OptionValue> = {};
  for (const [name, option] of Object.entries(options)) {
    const value = given[name] ?? option.default;
    const fault = optionFault(option, value);
    if (fault !== null) {
      const shown = String(value).length > 60 ? `${String(value).slice(0, 60)}…` : value;
      throw new EnvironmentOptionError(
        `${familyId}: ${name} ${fault}; it is ${shown}.`,
        name,
        fault,
      );
    }
    resolved[name] = value;
  }
  return resolved as ResolvedOptions<Options>;
}
