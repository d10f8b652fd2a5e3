import { z } from 'zod';
import type { Config } from '../../../config/schema.ts';
import type { Environment } from '../../../envs/types.ts';
import { runLimits } from '../../../files/limits.ts';
import { list } from '../../../files/schema.ts';
import {
  type Author,
  checkEpisode,
  checkTurns,
  trainingEpisodeSchema,
  trajectorySchema,
} from '../../episode-state.ts';
import { fault, parseState } from '../../state.ts';
import type { EvolutionState } from './round.ts';

const tasks = list(z.string(), { max: runLimits.tasks });
const schema = z.strictObject({
  base: tasks,
  tasks,
  found: list(trajectorySchema, { max: runLimits.episodes }),
  earlier: list(list(trainingEpisodeSchema, { max: runLimits.episodes }), {
    max: runLimits.episodes,
  }),
});

/**
 * Parses a saved state.
 *
 * @throws {CheckpointError} if no run of this config could have saved it
 */
export function unpackEvolution(
  data: unknown,
  { evolution: { merge } }: Config,
  environment: Environment,
  agent: Author,
): EvolutionState {
  const state = parseState(schema, data);
  const known = new Set(environment.trainTasks);
  const unknown = [...state.base, ...state.tasks].find((task) => !known.has(task));
  if (unknown !== undefined) {
    throw fault(`its environment has no training task ${JSON.stringify(unknown.slice(0, 60))}`);
  }
  const most = { base: 0, previous: 1, all: Number.POSITIVE_INFINITY }[merge];
  if (state.earlier.length > most) throw fault('it holds more rounds than its config merges');
  for (const { turns, task, group } of state.found) {
    if (state.tasks[group] !== task)
      throw fault('an explored episode does not belong to its round');
    checkTurns(turns, agent);
  }
  for (const episode of state.earlier.flat()) checkEpisode(episode, agent);
  return state;
}
