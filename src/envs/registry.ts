import { UnknownEnvironmentError } from './errors.ts';
import { mazeFamily } from './maze/environment.ts';
import { doubleT, doubleTPartial, generated } from './maze/variants.ts';
import type { Environment, EnvironmentFamily, EnvironmentOptions } from './types.ts';

export { UnknownEnvironmentError } from './errors.ts';
export { EnvironmentOptionError } from './options.ts';

/** Every environment there is, one line each. */
export const environmentFamilies: readonly EnvironmentFamily[] = [
  mazeFamily(doubleT),
  mazeFamily(doubleTPartial),
  mazeFamily(generated),
];

/**
 * Makes an environment by its id, e.g. `maze/double-t-v1`.
 *
 * Throws `UnknownEnvironmentError` for an id that is not registered and `EnvironmentOptionError`
 * for an option that the family does not have or a value out of its bounds.
 */
export function createEnvironment(id: string, options?: EnvironmentOptions): Environment {
  const family = environmentFamilies.find((family) => family.id === id);
  if (family === undefined) {
    throw new UnknownEnvironmentError(
      id,
      environmentFamilies.map((family) => family.id),
    );
  }
  return family.create(options);
}
