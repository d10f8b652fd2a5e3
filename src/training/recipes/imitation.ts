import type { Agent } from '../../agents/agent.ts';
import { expertTrajectory } from '../../agents/expert.ts';
import type { Config } from '../../config/schema.ts';
import type { Environment } from '../../envs/types.ts';
import { drawnTasks } from '../environments.ts';
import type { TrainingEpisode } from '../learn/batch.ts';
import { lengthOf, microBatchLimits, packMicroBatches, writtenEpisode } from '../learn/batch.ts';
import { fitEpochs, runsOf } from '../learn/fit.ts';
import { learningRate } from '../learn/learning-rate.ts';
import { imitationObjective } from '../learn/objective-settings.ts';
import type { Updater } from '../learn/updates.ts';
import type { RandomStream } from '../random.ts';

/**
 * Imitation: supervised learning of the tokens that the expert would write in a dialogue, with the
 * window and the format of rollouts.
 *
 * @returns mean negative log-probability over the tokens of the last epoch, nats
 */
export async function imitate(
  config: Config,
  environment: Environment,
  agent: Agent,
  updater: Updater,
  stream: RandomStream,
  onProgress: (fraction: number) => void,
): Promise<number> {
  onProgress(0);
  const { epochs, task_share, most_tasks, batch_episodes, weight_decay } = config.imitation;
  const tasks = drawnTasks(environment, stream, task_share, most_tasks);
  const episodes = tasks.map((task) => expertEpisode(agent, environment, task));
  const objective = imitationObjective(config);
  const limits = microBatchLimits(agent.policy);
  const optimizer = imitationOptimizer(
    config,
    epochs * Math.ceil(episodes.length / batch_episodes),
  );

  let [loss, tokens] = [0, 0];
  for await (const { epoch, done } of fitEpochs({
    items: episodes,
    epochs,
    stream,
    cut: runsOf(batch_episodes),
    prepare: ({ batch, index }) => {
      const weight = 1 / batch.reduce((sum, episode) => sum + lengthOf(episode), 0);
      return {
        packed: packMicroBatches(
          batch,
          batch.map(() => weight),
          limits,
        ),
        objective,
        learningRate: learningRate(optimizer, index),
        weightDecay: weight_decay,
      };
    },
    updater,
    where: 'imitation',
    onProgress,
    wait: 'epoch',
  })) {
    if (epoch < epochs - 1 || done.stats.skipped) continue;
    loss += done.stats.loss * done.stats.rows;
    tokens += done.stats.rows;
  }
  return loss / tokens;
}

/** AdamW's settings while imitating: after the warm-up the learning rate falls along a line. */
function imitationOptimizer(
  { optimizer, imitation }: Config,
  updates: number,
): Config['optimizer'] {
  return {
    ...optimizer,
    learning_rate: imitation.learning_rate || optimizer.learning_rate,
    schedule: 'linear',
    decay_updates: Math.max(1, updates - optimizer.warmup_updates),
    final_share: imitation.final_share,
  };
}

/** A dialogue in which the expert acts, every token as good as any other. */
function expertEpisode(agent: Agent, environment: Environment, task: string): TrainingEpisode {
  const written = writtenEpisode(expertTrajectory(agent, environment, task), agent.tokenizer);
  return { ...written, advantages: written.targets.map(() => 1) };
}
