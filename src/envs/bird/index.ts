import type { EnvironmentFamily } from '../types.ts';
import { birdCard } from './card.ts';
import { deskFor } from './desks.ts';
import { createBird } from './environment.ts';
import type { BirdState } from './episode.ts';

export { startSqlite as prepare } from './sqlite.ts';

/** The family with its implementation. */
export const bird: EnvironmentFamily<BirdState> = {
  ...birdCard,
  create: (options) => createBird(deskFor(options)),
};

export const families: readonly EnvironmentFamily[] = [bird];
