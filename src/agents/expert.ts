import { begin, expertOf, play, type Standing, solved } from '../envs/episode.ts';
import type { Environment } from '../envs/types.ts';
import type { Agent } from './agent.ts';
import { contextStart } from './dialogue.ts';
import { writeTurn } from './format.ts';
import type { Trajectory, Turn } from './trajectory.ts';

/** The parts of an agent that determine the form of the expert's turns. */
type Reader = Pick<Agent, 'tokenizer' | 'window' | 'format'> & {
  readonly policy: { readonly version: number };
};

/**
 * Follows the expert to the end of a task, or to the environment's turn limit. The turns have the
 * agent's format, with an end token if there is room. No policy generated them, so their
 * log-probabilities and entropies are 0, and `version` is the agent's.
 * @throws {EnvironmentFault} if the environment throws
 * @throws {RangeError} if a turn exceeds the agent's tokens per turn
 */
export function expertTrajectory(
  { policy: { version }, tokenizer, window, format }: Reader,
  environment: Environment,
  task: string,
): Trajectory {
  const turns: Turn[] = [];
  let at: Standing = begin(environment, task);
  for (const { before, choice, after } of play(environment, at, expertOf(environment))) {
    const { observation } = before;
    const { action } = choice;
    const thought = format === 'bare' ? '' : choice.thought;
    const written = writeTurn({ thought, action }, format);
    const actionTokens = tokenizer.encode(written);
    if (actionTokens.length > window.maxActionTokens) {
      throw new RangeError(
        `the expert's "${written}" has ${actionTokens.length} tokens, and a turn may have ${window.maxActionTokens}; raise agent.max_action_tokens`,
      );
    }
    if (actionTokens.length < window.maxActionTokens) actionTokens.push(tokenizer.end);
    const observationTokens = tokenizer.encode(observation);
    turns.push({
      observation,
      thought,
      action,
      observationTokens,
      actionTokens,
      logps: actionTokens.map(() => 0),
      entropies: actionTokens.map(() => 0),
      version,
      contextStart: contextStart([...turns, { observationTokens }], window, tokenizer),
      reward: after.reward,
      understood: after.understood,
    });
    at = after;
  }
  return {
    iteration: 0,
    episode: 0,
    task,
    group: 0,
    horizon: environment.turnLimit,
    taskKept: window.keepTask,
    turns,
    finalObservation: at.observation,
    score: turns.reduce((sum, { reward }) => sum + reward, 0),
    success: solved(environment, at),
    terminated: at.terminated,
    truncated: !at.terminated,
  };
}
