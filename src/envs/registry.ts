/**
 * The environment families. Their cards (names and options) are available at once; their code loads with
 * `loadEnvironments`, so that only environments in use are downloaded.
 */

import { cardOf, levels } from './babyai/levels.ts';
import { birdCard } from './bird/card.ts';
import { drawnCard } from './drawn/card.ts';
import { EnvironmentNotLoadedError, UnknownEnvironmentError } from './errors.ts';
import { householdCards } from './household/cards.ts';
import { mazeCards } from './maze/cards.ts';
import { createMixture } from './mixture.ts';
import { pagesCards } from './pages/cards.ts';
import { reasoningCards } from './reasoning/cards.ts';
import { openEnvCard } from './remote/card.ts';
import { searchqaCard } from './searchqa/card.ts';
import { strictChainCard } from './strict-reasoning/card.ts';
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
import { pythonCard, writtenCard } from './written/card.ts';

export { UnknownEnvironmentError } from './errors.ts';
export { EnvironmentOptionError } from './options.ts';

/** The exports of a folder's `index.ts`. */
interface World {
  readonly families: readonly EnvironmentFamily[];
  /** Loads what the families need in addition to code. */
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
      if (family === undefined)
        throw new Error(`${card.id} is not exported by the index.ts of its folder`);
      return family;
    },
  }));
}

/** All environments, one line per folder, including superseded ones. */
export const environmentFamilies: readonly RegisteredFamily[] = [
  ...registered(mazeCards, () => import('./maze/index.ts')),
  ...registered([drawnCard], () => import('./drawn/index.ts')),
  ...registered([wordleCard], () => import('./wordle/index.ts')),
  ...registered(levels.map(cardOf), () => import('./babyai/index.ts')),
  ...registered([textCraftCard], () => import('./textcraft/index.ts')),
  ...registered([searchqaCard], () => import('./searchqa/index.ts')),
  ...registered(reasoningCards, () => import('./reasoning/index.ts')),
  ...registered([strictChainCard], () => import('./strict-reasoning/index.ts')),
  ...registered(toolsCards, () => import('./tools/index.ts')),
  ...registered([birdCard], () => import('./bird/index.ts')),
  ...registered(pagesCards, () => import('./pages/index.ts')),
  ...registered(householdCards, () => import('./household/index.ts')),
  ...registered([writtenCard], () => import('./written/index.ts')),
];

/** Environments that run only in the page. They are not in the lists that other programs iterate over. */
const pageFamilies = registered([pythonCard], () => import('./written/python/index.ts'));

/** Ids of all environments that can be created. */
export const creatableIds: readonly string[] = [...environmentFamilies, ...pageFamilies].map(
  ({ id }) => id,
);

/** The environments offered for new runs. */
export const offeredFamilies: readonly RegisteredFamily[] = environmentFamilies.filter(
  ({ supersededBy }) => supersededBy === undefined,
);

/** Environments on servers. A program connects to one only if a config names it. */
export const remoteFamilies: readonly FamilyCard[] = [openEnvCard];

export const isRemote = (id: string): boolean => remoteFamilies.some((family) => family.id === id);

/** The family with this id, or undefined if there is none. */
export function familyOf(id: string): RegisteredFamily | undefined {
  return [...environmentFamilies, ...pageFamilies].find((family) => family.id === id);
}

/** Description of a family, available before its code is loaded; remote ones included. */
export function familyCard(id: string): FamilyCard | undefined {
  return familyOf(id) ?? remoteFamilies.find((family) => family.id === id);
}

/** A family's title, or the id if the family is unknown. */
export function titleOf(id: string): string {
  return familyCard(id)?.title ?? id;
}

/** The environment part of a config: a single environment, or a mixture that replaces it. */
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

/** Ids of all registered environments that occur anywhere in the settings. */
export function namedEnvironments(settings: unknown): readonly string[] {
  const text = JSON.stringify(settings) ?? '';
  return creatableIds.filter((id) => text.includes(id));
}

const loaded = new Map<string, EnvironmentFamily>();

/** Whether the code of these families is loaded. Unregistered ids are ignored. */
export function areLoaded(ids: readonly string[]): boolean {
  return ids.every((id) => loaded.has(id) || familyOf(id) === undefined);
}

/**
 * Loads the code of these families, or of all families if none are given. Each is loaded once. Unregistered
 * ids are ignored here; `createEnvironment` reports them.
 */
export async function loadEnvironments(
  ids: readonly string[] = environmentFamilies.map(({ id }) => id),
): Promise<void> {
  await Promise.all(
    [...new Set(ids)].map(async (id) => {
      const family = familyOf(id);
      if (family !== undefined && !loaded.has(id)) loaded.set(id, await family.load());
    }),
  );
}

/**
 * The environment or mixture that a config names. Throws like `createEnvironment`, and `MixtureError` if a
 * mixture names an environment twice.
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
 * Like `environmentFor`, after loading the code it needs or connecting to its server. Throws `RemoteFault` if
 * the server cannot be reached.
 */
export async function loadedEnvironment(settings: EnvironmentSettings): Promise<Environment> {
  if (settings.mixture.length === 0 && isRemote(settings.id)) {
    const { connectOpenEnv } = await import('./remote/index.ts');
    return connectOpenEnv(settings.options);
  }
  await loadEnvironments(environmentIds(settings));
  return environmentFor(settings);
}

/**
 * Creates an environment by id, e.g. `maze/double-t-v1`.
 * Throws `UnknownEnvironmentError` for an unregistered id, `EnvironmentNotLoadedError` if `loadEnvironments`
 * has not loaded the family, and `EnvironmentOptionError` for an unknown option or an invalid value.
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
