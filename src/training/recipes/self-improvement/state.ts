import { z } from 'zod';
import type { Config } from '../../../config/schema.ts';
import { runLimits } from '../../../files/limits.ts';
import { list } from '../../../files/schema.ts';
import { type Author, checkEpisode, trainingEpisodeSchema } from '../../episode-state.ts';
import type { TrainingEpisode } from '../../learn/batch.ts';
import { fault, parseState } from '../../state.ts';

/** State carried into the next round. */
export interface SelfImprovementState {
  /** Training data of earlier rounds, if the actor trains on all rounds. */
  readonly earlier: readonly TrainingEpisode[];
}

const schema = z.strictObject({
  earlier: list(trainingEpisodeSchema, { max: runLimits.episodes }),
});

/**
 * Parses a saved state.
 *
 * @throws {CheckpointError} if no run of this config could have saved it
 */
export function unpackSelfImprovement(
  data: unknown,
  { self_improvement: { learn_from } }: Config,
  actor: Author,
): SelfImprovementState {
  const { earlier } = parseState(schema, data);
  if (learn_from === 'round' && earlier.length > 0) {
    throw fault('it holds rounds that its config does not learn from');
  }
  for (const episode of earlier) checkEpisode(episode, actor);
  return { earlier };
}
