/**
 * The families of environments. What each is called and which options it has is known at once; its
 * world comes when `loadEnvironments` is awaited, so that nobody loads what is not played.
 */

import { cardOf, levels } from './babyai/levels.ts';
import { birdCard } from './bird/card.ts';
import { EnvironmentNotLoadedError, UnknownEnvironmentError } from './errors.ts';
import { householdCards } from './household/cards.ts';
import { mazeCards } from './maze/cards.ts';
import { createMixture } from './mixture.ts';
import { pagesCards } from './pages/cards.ts';
import { reasoningCards } from './reasoning/cards.ts';
import { searchqaCard } from './searchqa/card.ts';
import { textCraftCard } from './textcraft/card.ts';
import { toolsCards } from './tools/cards.ts';
import type {
  Environment,
  EnvironmentFamily,
  EnvironmentOptions,
  FamilyCard,
  RegisteredFamily,
} from './types.ts';
import { wordleCard } from './wordle/card.ts';

export { UnknownEnvironmentError } from './errors.ts';
export { EnvironmentOptionError } from './options.ts';

/** What a folder's `index.ts` exports. */
interface World {
  readonly families: readonly EnvironmentFamily[];
  /** Brings what the families need beside code, once and for all. */
  readonly prepare?: () => Promise<void>;
}

function registered(
  cards: readonly FamilyCard[],
  load: () => Promise<World>,
): readonly RegisteredFamily[] {
  return cards.map((card) => ({
    ...card,
    load: async () => {
      const { families, prepare } = await load();
      await prepare?.();
      const family = families.find(({ id }) => id === card.id);
      if (family === undefined) throw new Error(`the world of ${card.id} is not in its folder`);
      return family;
    },
  }));
}

/** Every environment there is, superseded ones too, a line for each folder. */
export const environmentFamilies: readonly RegisteredFamily[] = [
  ...registered(mazeCards, () => import('./maze/index.ts')),
  ...registered([wordleCard], () => import('./wordle/index.ts')),
  ...registered(levels.map(cardOf), () => import('./babyai/index.ts')),
  ...registered([textCraftCard], () => import('./textcraft/index.ts')),
  ...registered([searchqaCard], () => import('./searchqa/index.ts')),
  ...registered(reasoningCards, () => import('./reasoning/index.ts')),
  ...registered(toolsCards, () => import('./tools/index.ts')),
  ...registered([birdCard], () => import('./bird/index.ts')),
  ...registered(pagesCards, () => import('./pages/index.ts')),
  ...registered(householdCards, () => import('./household/index.ts')),
];

/** The environments that are offered for something new. */
export const offeredFamilies: readonly RegisteredFamily[] = environmentFamilies.filter(
  ({ supersededBy }) => supersededBy === undefined,
);

/** The family with this id, or undefined where none is registered. */
export function familyOf(id: string): RegisteredFamily | undefined {
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

/** Ids of the environments that a config names. */
export function environmentIds({
  id,
  mixture,
}: Pick<EnvironmentSettings, 'id'> & {
  readonly mixture: readonly { readonly id: string }[];
}): readonly string[] {
  return mixture.length === 0 ? [id] : mixture.map((part) => part.id);
}

/** Ids of the registered environments that stand anywhere in settings, whoever wrote them. */
export function namedEnvironments(settings: unknown): readonly string[] {
  const text = JSON.stringify(settings) ?? '';
  return environmentFamilies.map(({ id }) => id).filter((id) => text.includes(id));
}

const loaded = new Map<string, EnvironmentFamily>();

/** Whether the worlds of these families are there, as far as they are registered. */
export function areLoaded(ids: readonly string[]): boolean {
  return ids.every((id) => loaded.has(id) || familyOf(id) === undefined);
}

/**
 * Loads the worlds of these families, of all where none are named; each once. Ids that are not
 * registered are passed over: making one says so.
 */
export async function loadEnvironments(
  ids: readonly string[] = environmentFamilies.map(({ id }) => id),
): Promise<void> {
  await Promise.all(
    ids.map(async (id) => {
      const family = familyOf(id);
      if (family !== undefined && !loaded.has(id)) loaded.set(id, await family.load());
    }),
  );
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

/** As `environmentFor`, once the worlds that it needs have come. */
export async function loadedEnvironment(settings: EnvironmentSettings): Promise<Environment> {
  await loadEnvironments(environmentIds(settings));
  return environmentFor(settings);
}

/**
 * Makes an environment by its id, e.g. `maze/double-t-v1`.
 *
 * Throws `UnknownEnvironmentError` for an id that is not registered, `EnvironmentNotLoadedError` for one
 * whose world `loadEnvironments` has not brought, and `EnvironmentOptionError`
 * for an option that the family does not have or a value out of its bounds.
 */
export function createEnvironment(id: string, options?: EnvironmentOptions): Environment {
  if (familyOf(id) === undefined) {
    throw new UnknownEnvironmentError(
      id,
      environmentFamilies.map((family) => family.id),
    );
  }
  const family = loaded.get(id);
  if (family === undefined) throw new EnvironmentNotLoadedError(id);
  return family.create(options);
}
