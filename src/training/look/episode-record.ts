import type { Trajectory } from '../../agents/trajectory.ts';
import type { Config } from '../../config/schema.ts';
import { splitTask } from '../../envs/mixture.ts';
import type { EpisodeRecord } from '../../runs/episode.ts';

/**
 * A trajectory in the form in which it is displayed and exported.
 *
 * @param textOf text of a token; null leaves the tokens out
 */
export function episodeRecord(
  { env }: Pick<Config, 'env'>,
  textOf: ((token: number) => string) | null,
  trajectory: Trajectory,
): EpisodeRecord {
  const { environmentId, task } = splitTask(trajectory.task);
  const part = env.mixture.find(({ id }) => id === environmentId) ?? env;
  return {
    environment: { id: part.id, options: part.options },
    taskId: task,
    turns: trajectory.turns.map(
      ({ observation, thought, action, actionTokens, logps, ...turn }) => ({
        observation,
        thought,
        action,
        tokens:
          textOf === null
            ? []
            : actionTokens.map((token, index) => ({
                text: textOf(token),
                probability: Math.exp(logps[index] ?? Number.NaN),
              })),
        understood: turn.understood,
        reward: turn.reward,
      }),
    ),
    finalObservation: trajectory.finalObservation,
    success: trajectory.success,
    truncated: trajectory.truncated,
    score: trajectory.score,
  };
}
