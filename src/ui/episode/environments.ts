/** The environments that the stage plays in. */

import type { Config } from '../../config/schema.ts';
import { createEnvironment } from '../../envs/registry.ts';
import type { Environment } from '../../envs/types.ts';
import type { EnvironmentRef } from '../../runs/episode.ts';

/** The environments of a run: the parts of its mixture, or the one it names. */
export function environmentsOf({ id, options, mixture }: Config['env']): readonly EnvironmentRef[] {
  if (mixture.length === 0) return [{ id, options }];
  return mixture.map((part) => ({ id: part.id, options: part.options }));
}

/** As many as a page meets in a while; the oldest is forgotten first. */
const MOST_MADE = 12;
const made = new Map<string, Environment>();

/** An environment by its reference. Some take a while to make, so that the newest ones are kept. */
export function environmentOf({ id, options }: EnvironmentRef): Environment {
  const key = JSON.stringify([id, options]);
  const known = made.get(key);
  if (known !== undefined) return known;
  const environment = createEnvironment(id, options);
  const oldest = made.keys().next().value;
  if (made.size >= MOST_MADE && oldest !== undefined) made.delete(oldest);
  made.set(key, environment);
  return environment;
}
