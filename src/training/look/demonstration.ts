import type { Agent } from '../../agents/agent.ts';
import { expertTrajectory } from '../../agents/expert.ts';
import type { Environment } from '../../envs/types.ts';
import type { DemonstrationReading } from '../../runs/policy-reading.ts';
import { alternativesOf } from './inspect.ts';

/**
 * How well an agent predicts the expert's dialogue on a task.
 *
 * @throws {UnknownTaskError} for a task that the environment does not have
 */
export async function readDemonstration(
  agent: Agent,
  environment: Environment,
  task: string,
): Promise<DemonstrationReading> {
  const trajectory = expertTrajectory(agent, environment, task);
  const { tokens } = await alternativesOf(agent, trajectory, 0);
  let t = 0;
  return {
    turns: trajectory.turns.map(({ actionTokens }) =>
      actionTokens.map((token) => {
        const { probability = Number.NaN, rank } = tokens[t++] ?? {};
        return { text: agent.tokenizer.label(token), probability, first: rank === 1 };
      }),
    ),
  };
}
