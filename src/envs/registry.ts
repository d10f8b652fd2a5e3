import { babyaiFamilies } from './babyai/index.ts';
import { UnknownEnvironmentError } from './errors.ts';
import { mazeFamily } from './maze/environment.ts';
import { mazeKinds } from './maze/variants.ts';
import { createMixture } from './mixture.ts';
import { searchqa } from './searchqa/index.ts';
import { textCraft } from './textcraft/index.ts';
import type { Environment, EnvironmentFamily, EnvironmentOptions } from './types.ts';
import { wordleFamily } from './wordle/index.ts';

export { UnknownEnvironmentError } from './errors.ts';
export { EnvironmentOptionError } from './options.ts';

/** Every environment there is, superseded ones too, one line each. */
export const environmentFamilies: readonly EnvironmentFamily[] = [
  ...mazeKinds.map(mazeFamily),
  wordleFamily,
  ...babyaiFamilies,
  textCraft,
  searchqa,
];

/** The environments that are offered for something new. */
export const offeredFamilies: readonly EnvironmentFamily[] = environmentFamilies.filter(
  ({ supersededBy }) => supersededBy === undefined,
);

/** The family with this id, or undefined where none is registered. */
export function familyOf(id: string): EnvironmentFamily | undefined {
  return environmentFamilies.find((family) => family.id === id);
}

/** A family's title; of an unknown one, its id. */
export function titleOf(id: string): string {
  return familyOf(id)?.title ?? id;
}

/** What a config says of the environment: one, or a mixture in its place. */
export interface EnvironmentSettings {
  readonly id: string;
  readonly options: EnvironmentOptions;
  /** Empty for a single environment. */
  readonly mixture: readonly {
    readonly id: string;
    readonly options: EnvironmentOptions;
    readonly share: number;
    readonly imitation_weight: number;
  }[];
}

/**
 * The environment, or the mixture of environments, that a config names.
 *
 * Throws as `createEnvironment`, and `MixtureError` where a mixture names an environment twice.
 */
export function environmentFor({ id, options, mixture }: EnvironmentSettings): Environment {
  if (mixture.length === 0) return createEnvironment(id, options);
  return createMixture(
    mixture.map((part) => ({
      environment: createEnvironment(part.id, part.options),
      share: part.share,
      imitationWeight: part.imitation_weight,
    })),
  );
}

/**
 * Makes an environment by its id, e.g. `maze/double-t-v1`.
 *
 * Throws `UnknownEnvironmentError` for an id that is not registered and `EnvironmentOptionError`
 * for an option that the family does not have or a value out of its bounds.
 */
export function createEnvironment(id: string, options?: EnvironmentOptions): Environment {
  const family = familyOf(id);
  if (family === undefined) {
    throw new UnknownEnvironmentError(
      id,
      environmentFamilies.map((family) => family.id),
    );
  }
  return family.create(options);
}
