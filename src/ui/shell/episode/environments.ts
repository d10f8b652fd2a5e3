/** The environments shown on the stage. */

import type { Config } from '../../../config/schema.ts';
import { splitTask } from '../../../envs/mixture.ts';
import { type EnvironmentSettings, environmentFor, isRemote } from '../../../envs/registry.ts';
import type { Environment } from '../../../envs/types.ts';
import type { EnvironmentRef } from '../../../runs/episode.ts';

/** The environments of a run: the parts of its mixture, or its single one. */
export function environmentsOf({ id, options, mixture }: Config['env']): readonly EnvironmentRef[] {
  if (mixture.length === 0) return [{ id, options }];
  return mixture.map((part) => ({ id: part.id, options: part.options }));
}

/** The environment of a run's task, and the task's id in that environment. */
export function placeOfTask(
  { id, options, mixture }: EnvironmentSettings,
  task: string,
): { readonly environment: EnvironmentRef; readonly task: string } {
  const { environmentId, task: own } = splitTask(task);
  const part = mixture.find((one) => one.id === environmentId);
  return part === undefined
    ? { environment: { id, options }, task }
    : { environment: { id: part.id, options: part.options }, task: own };
}

/** Cache size; the oldest entry is dropped first. */
const MOST_MADE = 12;
const made = new Map<string, Environment>();

/** Clears the cache, because code may now run that was not allowed before. */
export const forgetEnvironments = (): void => made.clear();

/** Stands in for an environment on a server, whose texts the page shows but which it cannot play. */
function onServer(id: string): Environment {
  const unavailable = (): never => {
    throw new Error('the page does not play environments on servers');
  };
  return {
    ...{ id, trainTasks: [], evalTasks: [], turnLimit: 0, instruction: '' },
    holdout: {
      sentence: '',
      sameTasks: false,
      aspects: [{ name: 'tasks', apart: false, asks: (task) => task, shows: (task) => [task] }],
    },
    ...{ lexicon: [], thoughtLexicon: [], step: unavailable, expert: unavailable },
    ...{ success: () => false, admissibleActions: () => [] },
    reset: () => ({ state: null, observation: '' }),
  };
}

/** Creates an environment, which can be slow, and caches the newest ones. */
export function environmentOf({
  id,
  options,
  mixture = [],
}: EnvironmentRef & Partial<EnvironmentSettings>): Environment {
  const key = JSON.stringify(mixture.length === 0 ? [id, options] : mixture);
  const known: (Environment & { isBroken?(): boolean }) | undefined = made.get(key);
  // User code that has exceeded a limit answers no further call.
  if (known !== undefined && !known.isBroken?.()) return known;
  let environment: Environment;
  try {
    environment = isRemote(id) ? onServer(id) : environmentFor({ id, options, mixture });
  } catch (error) {
    // The interpreter of user code is still restarting.
    if (known !== undefined) return known;
    throw error;
  }
  made.delete(key);
  const oldest = made.keys().next().value;
  if (made.size >= MOST_MADE && oldest !== undefined) made.delete(oldest);
  made.set(key, environment);
  return environment;
}
