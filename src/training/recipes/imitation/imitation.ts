import type { Agent } from '../../../agents/agent.ts';
import { expertTrajectory } from '../../../agents/expert.ts';
import type { Config } from '../../../config/schema.ts';
import type { Environment } from '../../../envs/types.ts';
import { drawnTasks } from '../../environments.ts';
import type { TrainingEpisode } from '../../learn/batch.ts';
import { writtenEpisode } from '../../learn/batch.ts';
import type { OnPhaseProgress } from '../../learn/fit.ts';
import { maximiseLikelihood } from '../../learn/likelihood.ts';
import type { Updater } from '../../learn/updates.ts';
import type { RandomStream } from '../../random.ts';

/**
 * Imitation: supervised learning of the expert's tokens in a dialogue, with the window and format
 * of rollouts.
 *
 * @returns mean negative log-probability over the tokens of the last epoch, in nats
 */
export async function imitate(
  config: Config,
  environment: Environment,
  agent: Agent,
  updater: Updater,
  stream: RandomStream,
  onProgress: OnPhaseProgress,
  tasks = imitatedTasks(config, environment, stream),
): Promise<number> {
  const { loss } = await maximiseLikelihood({
    config,
    agent,
    updater,
    episodes: expertEpisodes(agent, environment, tasks),
    epochs: config.imitation.epochs,
    stream,
    where: 'imitation',
    onProgress,
  });
  return loss;
}

/** Draws the tasks whose expert dialogues are imitated. */
export function imitatedTasks(
  { imitation }: Config,
  environment: Environment,
  stream: RandomStream,
): readonly string[] {
  return drawnTasks(environment, stream, imitation.task_share, imitation.most_tasks);
}

/** Dialogues of the expert, with equal token weights. */
export function expertEpisodes(
  agent: Agent,
  environment: Environment,
  tasks: readonly string[],
): TrainingEpisode[] {
  return tasks.map((task) => expertEpisode(agent, environment, task));
}

/** A dialogue on a task in which the expert gives this answer. */
export function toldEpisode(
  agent: Agent,
  environment: Environment,
  task: string,
  words: string,
): TrainingEpisode {
  const expert = () => ({ thought: '', action: words });
  return expertEpisode(agent, { ...environment, expert }, task);
}

function expertEpisode(agent: Agent, environment: Environment, task: string): TrainingEpisode {
  const written = writtenEpisode(expertTrajectory(agent, environment, task), agent.tokenizer);
  return { ...written, advantages: written.targets.map(() => 1) };
}
