import type { Agent } from '../../agents/agent.ts';
import { expertTrajectory } from '../../agents/expert.ts';
import type { Config } from '../../config/schema.ts';
import type { Environment } from '../../envs/types.ts';
import { drawnTasks } from '../environments.ts';
import type { TrainingEpisode } from '../learn/batch.ts';
import { lengthOf, microBatchLimits, packMicroBatches, writtenEpisode } from '../learn/batch.ts';
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

  let updates = 0;
  let loss = Number.NaN;
  for (let epoch = 0; epoch < epochs; epoch++) {
    const shuffled = stream.shuffled(episodes);
    const queued = [];
    for (let start = 0; start < shuffled.length; start += batch_episodes) {
      const batch = shuffled.slice(start, start + batch_episodes);
      const weight = 1 / batch.reduce((sum, episode) => sum + lengthOf(episode), 0);
      const packed = packMicroBatches(
        batch,
        batch.map(() => weight),
        limits,
      );
      queued.push(
        updater.queue(packed, objective, learningRate(optimizer, ++updates), {
          weightDecay: weight_decay,
        }),
      );
    }
    const done = await updater.finish(queued, 'imitation');
    const stats = done.map((update) => update.stats).filter(({ skipped }) => !skipped);
    loss =
      stats.reduce((sum, s) => sum + s.loss * s.rows, 0) /
      stats.reduce((sum, s) => sum + s.rows, 0);
    onProgress((epoch + 1) / epochs);
  }
  return loss;
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
