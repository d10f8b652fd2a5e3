import type { Agent } from '../../agents/agent.ts';
import type { Config } from '../../config/schema.ts';
import type { RandomStream } from '../random.ts';
import type { TrainingEpisode } from './batch.ts';
import { lengthOf, microBatchLimits, packMicroBatches } from './batch.ts';
import {
  type EarlyStop,
  type FittedLoss,
  fittedLoss,
  type OnPhaseProgress,
  runsOf,
} from './fit.ts';
import { learningRate } from './learning-rate.ts';
import { imitationObjective } from './objective-settings.ts';
import type { Updater } from './updates.ts';

interface LikelihoodRequest {
  readonly config: Config;
  readonly agent: Pick<Agent, 'policy'>;
  readonly updater: Updater;
  /** A token's advantage is its weight. */
  readonly episodes: readonly TrainingEpisode[];
  readonly epochs: number;
  /** Shuffles the episodes in every epoch. */
  readonly stream: RandomStream;
  /** Names the updates in error messages. */
  readonly where: string;
  readonly onProgress: OnPhaseProgress;
  /** The learning-rate decay assumes that the fit is not stopped early. */
  readonly stop?: EarlyStop;
}

/**
 * Maximizes Σ w·log π over the generated tokens of episodes, with the config's imitation settings.
 * An update's loss is divided by its number of tokens.
 *
 * @returns mean over the tokens of the last epoch of w·(−log π), in nats
 * @throws {NonFiniteError} after too many consecutive skipped updates
 */
export async function maximiseLikelihood(request: LikelihoodRequest): Promise<FittedLoss> {
  const { config, agent, updater, episodes, epochs, stream, where, onProgress, stop } = request;
  const { batch_episodes, weight_decay } = config.imitation;
  const objective = imitationObjective(config);
  const limits = microBatchLimits(agent.policy);
  const optimizer = fallingOver(config, epochs * Math.ceil(episodes.length / batch_episodes));
  onProgress(0);

  return fittedLoss(
    {
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
      where,
      onProgress,
      ...(stop === undefined ? {} : { stop }),
    },
    ({ done }) => done.stats.rows,
  );
}

/** AdamW's settings: after the warm-up the learning rate decays linearly over all updates. */
function fallingOver({ optimizer, imitation }: Config, updates: number): Config['optimizer'] {
  return {
    ...optimizer,
    learning_rate: imitation.learning_rate || optimizer.learning_rate,
    schedule: 'linear',
    decay_updates: Math.max(1, updates - optimizer.warmup_updates),
    final_share: imitation.final_share,
  };
}
