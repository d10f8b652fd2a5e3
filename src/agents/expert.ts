import type { Environment } from '../envs/types.ts';
import type { Agent } from './agent.ts';
import { contextStart } from './dialogue.ts';
import { writeTurn } from './format.ts';
import { guard } from './rollout.ts';
import type { Trajectory, Turn } from './trajectory.ts';

/** The part of an agent that an expert writes for. */
type Reader = Pick<Agent, 'tokenizer' | 'window' | 'format'> & {
  readonly policy: { readonly version: number };
};

/**
 * Follows the expert to the end of a task, or to the environment's turn limit. Its turns are
 * written as the agent would write them, with an end token wherever there is room for one. No policy
 * wrote them: their log-probabilities and entropies are 0, and the agent's version dates them.
 *
 * @throws {EnvironmentFault} when the environment throws.
 * @throws {RangeError} when a turn has more tokens than an agent may write in a turn.
 */
export function expertTrajectory(
  { policy: { version }, tokenizer, window, format }: Reader,
  environment: Environment,
  task: string,
): Trajectory {
  const turns: Turn[] = [];
  let { state, observation } = guard(environment, task, null, () => environment.reset(task));
  let terminated = false;
  while (!terminated && turns.length < environment.turnLimit) {
    const present = state;
    const demonstration = guard(environment, task, turns.at(-1)?.action ?? null, () =>
      environment.expert(present),
    );
    const { action } = demonstration;
    const thought = format === 'bare' ? '' : demonstration.thought;
    const written = writeTurn({ thought, action }, format);
    const actionTokens = tokenizer.encode(written);
    if (actionTokens.length > window.maxActionTokens) {
      throw new RangeError(
        `the expert's "${written}" has ${actionTokens.length} tokens, and a turn may have ${window.maxActionTokens}; raise agent.max_action_tokens`,
      );
    }
    if (actionTokens.length < window.maxActionTokens) actionTokens.push(tokenizer.end);
    const observationTokens = tokenizer.encode(observation);
    const transition = guard(environment, task, action, () => environment.step(present, action));
    turns.push({
      observation,
      thought,
      action,
      observationTokens,
      actionTokens,
      logps: actionTokens.map(() => 0),
      entropies: actionTokens.map(() => 0),
      version,
      contextStart: contextStart([...turns, { observationTokens }], window),
      reward: transition.reward,
      understood: transition.understood,
    });
    ({ state, observation, terminated } = transition);
  }
  const last = state;
  return {
    iteration: 0,
    episode: 0,
    task,
    group: 0,
    horizon: environment.turnLimit,
    taskKept: window.keepTask,
    turns,
    finalObservation: observation,
    score: turns.reduce((sum, { reward }) => sum + reward, 0),
    success: guard(environment, task, turns.at(-1)?.action ?? null, () =>
      environment.success(last),
    ),
    terminated,
    truncated: !terminated,
  };
}
