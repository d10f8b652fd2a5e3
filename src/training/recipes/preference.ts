import type { Agent } from '../../agents/agent.ts';
import { rollout, triesOf } from '../../agents/rollout.ts';
import type { Trajectory } from '../../agents/trajectory.ts';
import { agentTokens } from '../../agents/trajectory.ts';
import { equalRewards } from '../../algorithms/grpo.ts';
import type { Config } from '../../config/schema.ts';
import type { Environment } from '../../envs/types.ts';
import type { TrainingEpisode } from '../learn/batch.ts';
import { microBatchLimits, packMicroBatches, writtenEpisode } from '../learn/batch.ts';
import { type FittedLoss, fittedLoss, type OnPhaseProgress, runsOf } from '../learn/fit.ts';
import { warmUp } from '../learn/learning-rate.ts';
import { preferenceObjective } from '../learn/objective-settings.ts';
import type { Updater } from '../learn/updates.ts';
import type { RandomStream } from '../random.ts';
import { total } from '../sums.ts';

/** Result of preference learning. */
export interface Preferred {
  /** Mean loss over the pairs of the last epoch, in nats; NaN if no task yields a pair. */
  readonly loss: number;
  /** Turns and tokens of the played episodes. */
  readonly turns: number;
  readonly tokens: number;
}

/** Maximum number of tasks from which pairs are made. */
const MOST_TASKS = 256;

/**
 * Direct preference optimization (arXiv:2305.18290) on the agent's own episodes: each task is
 * attempted several times; the best and the worst attempt form a pair. The reference is the policy
 * that played them, whose log-probabilities are stored with every token.
 *
 * @param horizon maximum turns of an episode
 */
export async function learnPreferences(
  config: Config,
  environment: Environment,
  agent: Agent,
  updater: Updater,
  stream: RandomStream,
  horizon: number,
  onProgress: OnPhaseProgress,
): Promise<Preferred> {
  onProgress(0);
  const { epochs, tries } = config.preference;
  const tasks = stream.shuffled(environment.trainTasks).slice(0, MOST_TASKS);
  // Playing accounts for half of the progress, learning for the other half.
  const { trajectories } = await rollout({
    agent,
    environment,
    // An iteration number that training never uses, so that draws do not repeat.
    episodes: triesOf(tasks, tries, { iteration: 0, horizon, group: 0, episode: 0 }),
    onProgress: (fraction) => onProgress(fraction / 2),
  });
  const pairs = tasks.flatMap((_, task) => {
    const pair = bestAndWorst(trajectories.filter(({ group }) => group === task));
    return pair === null ? [] : [pair];
  });
  const { loss } = await learnPairs({
    config,
    agent,
    updater,
    pairs,
    epochs,
    stream,
    where: 'preference learning',
    onProgress: (fraction, loss) => onProgress((1 + fraction) / 2, loss),
  });
  onProgress(1);
  return {
    loss,
    turns: total(trajectories, ({ turns }) => turns.length),
    tokens: total(trajectories, agentTokens),
  };
}

/** Two episodes of the same task. */
export type Pair = readonly [better: Trajectory, worse: Trajectory];

interface PairsRequest {
  readonly config: Config;
  /** The reference log-probabilities, at the rollout temperature. */
  readonly agent: Agent;
  readonly updater: Updater;
  readonly pairs: readonly Pair[];
  readonly epochs: number;
  /** Shuffles the pairs in every epoch. */
  readonly stream: RandomStream;
  /** Names the updates in error messages. */
  readonly where: string;
  readonly onProgress: OnPhaseProgress;
}

/**
 * Raises the probability of each pair's better episode relative to the worse one.
 *
 * @returns mean over the pairs of the last epoch, in nats
 * @throws {NonFiniteError} after too many consecutive skipped updates
 */
export async function learnPairs(request: PairsRequest): Promise<FittedLoss> {
  const { config, agent, updater, epochs, stream, where, onProgress } = request;
  const { batch_pairs } = config.preference;
  const pairs = request.pairs.map((pair) =>
    pair.map((trajectory, k) => preferenceEpisode(agent, trajectory, k === 0 ? 1 : -1)),
  );
  // Stored log-probabilities use the rollout temperature.
  const objective = { ...preferenceObjective(config), temperature: agent.temperature };
  const limits = microBatchLimits(agent.policy);
  return fittedLoss(
    {
      items: pairs,
      epochs,
      stream,
      cut: runsOf(batch_pairs),
      prepare: ({ batch, index }) => {
        const episodes = batch.flat();
        return {
          packed: packMicroBatches(
            episodes,
            episodes.map(() => 1 / batch.length),
            limits,
          ),
          objective,
          learningRate: warmUp(config.optimizer, index),
        };
      },
      updater,
      where,
      onProgress,
    },
    ({ batch }) => batch.length,
  );
}

/**
 * The better and the worse of a task's episodes: the higher score is better; at equal scores, fewer
 * turns. Null if all scores are equal.
 */
export function bestAndWorst(episodes: readonly Trajectory[]): Pair | null {
  const ranked = [...episodes].sort((a, b) => b.score - a.score || a.turns.length - b.turns.length);
  const [best] = ranked;
  const worst = ranked.at(-1);
  if (best === undefined || worst === undefined || equalRewards([best.score, worst.score]))
    return null;
  return [best, worst];
}

function preferenceEpisode(
  { tokenizer }: Agent,
  trajectory: Trajectory,
  advantage: 1 | -1,
): TrainingEpisode {
  const written = writtenEpisode(trajectory, tokenizer);
  return {
    ...written,
    advantages: written.targets.map(() => advantage),
    referenceLogps: written.behaviorLogps,
  };
}
