import type { Agent } from '../../../agents/agent.ts';
import { rollout, triesOf } from '../../../agents/rollout.ts';
import { agentTokens, type Trajectory } from '../../../agents/trajectory.ts';
import type { Config } from '../../../config/schema.ts';
import type { Environment } from '../../../envs/types.ts';
import { taskPiles } from '../../environments.ts';
import { MixedDeck } from '../../play/deck.ts';
import { expectFiniteLogps } from '../../play/finite.ts';
import type { RandomStream } from '../../random.ts';
import { total } from '../../sums.ts';
import { firstOf, type RoundPlace, shareOf } from './round.ts';

/** The exploration result of one iteration of a round. */
export interface Explored {
  readonly place: RoundPlace;
  /** Maximum turns of an episode. */
  readonly horizon: number;
  readonly tasks: number;
  /** K attempts at each task, one task after the other. */
  readonly trajectories: readonly Trajectory[];
  readonly turns: number;
  readonly tokens: number;
}

/**
 * Deals a round's tasks: all training tasks by the environments' shares, or only the base set's.
 */
export function explorationTasks(
  { evolution: { tasks, task_set } }: Config,
  environment: Environment,
  base: readonly string[],
  stream: RandomStream,
): readonly string[] {
  if (tasks === 0) return [];
  const shown = new Set(base);
  const piles = taskPiles(environment, 'rollout')
    .map((pile) => ({
      ...pile,
      tasks: task_set === 'wider' ? pile.tasks : pile.tasks.filter((task) => shown.has(task)),
    }))
    .filter((pile) => pile.tasks.length > 0);
  return new MixedDeck(piles, stream).deal(tasks);
}

/**
 * Plays an iteration's share of a round's tasks, K times each.
 *
 * @throws {EnvironmentFault} if the environment fails
 * @throws {NonFiniteError} if a token's log-probability is not finite
 */
export async function explore(
  { evolution: { samples } }: Config,
  iteration: number,
  agent: Agent,
  environment: Environment,
  tasks: readonly string[],
  place: RoundPlace,
  horizon: number,
  onProgress: (fraction: number) => void,
): Promise<Explored> {
  onProgress(0);
  const own = shareOf(tasks, place);
  const { trajectories } = await rollout({
    agent,
    environment,
    episodes: triesOf(own, samples, {
      iteration,
      horizon,
      group: firstOf(tasks, place.part, place.of),
      episode: 0,
    }),
    onProgress,
  });
  expectFiniteLogps(trajectories, `the exploration of iteration ${iteration}`);
  onProgress(1);
  return {
    place,
    horizon,
    tasks: own.length,
    trajectories,
    turns: total(trajectories, ({ turns }) => turns.length),
    tokens: total(trajectories, agentTokens),
  };
}
