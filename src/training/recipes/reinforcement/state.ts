import { z } from 'zod';
import type { Config } from '../../../config/schema.ts';
import type { Environment } from '../../../envs/types.ts';
import { runLimits } from '../../../files/limits.ts';
import { list } from '../../../files/schema.ts';
import { checkDeck, deckSchema } from '../../deck-state.ts';
import { taskPiles } from '../../environments.ts';
import {
  type Author,
  checkEpisode,
  checkTask,
  checkTurns,
  packPaused,
  pausedSchema,
  playedAgain,
  trainingEpisodeSchema,
  trajectorySchema,
} from '../../episode-state.ts';
import type { Unfinished } from '../../play/groups.ts';
import type { TrainingGroup } from '../../play/replay.ts';
import { fault, parseState } from '../../state.ts';

/** State of reinforcement learning between iterations. */
interface ReinforcementState extends Unfinished {
  /** The replay buffer, iteration by iteration, oldest first. */
  readonly replay: readonly (readonly TrainingGroup[])[];
}

const episodes = { max: runLimits.episodes };
const schema = z.strictObject({
  replay: list(list(list(trainingEpisodeSchema, episodes), episodes), episodes),
  paused: list(pausedSchema, episodes),
  finished: list(trajectorySchema, episodes),
  deck: deckSchema,
});

/** The state in its saved form. */
export function packReinforcement(state: ReinforcementState): unknown {
  return { ...state, paused: state.paused.map(packPaused) };
}

/**
 * Parses a saved state.
 *
 * @throws {CheckpointError} if no run of this config could have saved it
 */
export function unpackReinforcement(
  data: unknown,
  config: Config,
  environment: Environment,
  agent: Author,
): ReinforcementState {
  const state = parseState(schema, data);
  checkDeck(state.deck, taskPiles(environment, 'rollout'));
  if (state.replay.length > config.replay.capacity) {
    throw fault('it replays more iterations than its config keeps');
  }
  for (const episode of state.replay.flat(2)) checkEpisode(episode, agent);
  for (const { turns } of [...state.finished, ...state.paused]) checkTurns(turns, agent);
  for (const { task } of state.finished) checkTask(environment, task);
  return { ...state, paused: state.paused.map((episode) => playedAgain(episode, environment)) };
}
