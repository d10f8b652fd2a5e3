import type { Agent } from '../../../agents/agent.ts';
import type { Trajectory } from '../../../agents/trajectory.ts';
import type { Config } from '../../../config/schema.ts';
import type { Environment } from '../../../envs/types.ts';
import type { TrainingEpisode } from '../../learn/batch.ts';
import { writtenEpisode } from '../../learn/batch.ts';
import type { OnPhaseProgress } from '../../learn/fit.ts';
import { maximiseLikelihood } from '../../learn/likelihood.ts';
import type { DoneUpdate } from '../../learn/updates.ts';
import type { RandomStream } from '../../random.ts';
import type { Student } from '../../student.ts';
import { expertEpisodes } from '../imitation/imitation.ts';
import { learnPairs } from '../preference.ts';
import type { EvolutionState, RoundPlace } from './round.ts';
import type { Sifted } from './sift.ts';

/** Result of a round's learning step. */
export interface LearnedRound {
  readonly place: RoundPlace;
  /**
   * Mean of the last epoch, in nats: over tokens of w·(−log π), or over pairs; NaN without an
   * update.
   */
  readonly loss: number;
  readonly done: readonly DoneUpdate[];
  /** The round's kept episodes, for later merging. */
  readonly fresh: readonly TrainingEpisode[];
  /** Numbers of merged episodes: the expert's, and those kept in earlier rounds. */
  readonly expert: number;
  readonly earlier: number;
  /** Number of preference pairs; 0 when learning by likelihood. */
  readonly pairs: number;
}

/** A round before its learning step. */
interface RoundToLearn {
  readonly config: Config;
  readonly environment: Environment;
  readonly student: Student;
  /** The agent that explored. */
  readonly explorer: Agent;
  readonly state: EvolutionState;
  readonly sifted: Sifted;
  readonly place: RoundPlace;
  /** Shuffles the training items. */
  readonly stream: RandomStream;
}

/**
 * Trains on a round's kept episodes together with the merged ones. Without kept episodes the agent
 * does not change.
 *
 * @throws {NonFiniteError} after too many consecutive skipped updates
 */
export async function learnRound(
  round: RoundToLearn,
  onProgress: OnPhaseProgress,
): Promise<LearnedRound> {
  const { config, student, explorer, sifted, place, stream } = round;
  const { learn, start, epochs } = config.evolution;
  const { agent, updater } = student;
  const nothing = { place, loss: Number.NaN, done: [], fresh: [], expert: 0, earlier: 0, pairs: 0 };
  onProgress(0);
  if (sifted.kept.length === 0) return nothing;
  const how = { config, updater, epochs, stream, where: `round ${place.round}`, onProgress };
  if (learn === 'pairs') {
    agent.policy.restartOptimizer();
    const { pairs } = sifted;
    const learned = await learnPairs({ ...how, agent: explorer, pairs });
    return { ...nothing, ...learned, pairs: pairs.length };
  }
  const fresh = sifted.kept.map(({ trajectory, weight }) =>
    weightedEpisode(agent, trajectory, weight),
  );
  const { expert, earlier } = merged(round);
  if (start === 'base') await student.restoreStart();
  else agent.policy.restartOptimizer();
  const episodes = [...fresh, ...earlier, ...expert];
  const learned = await maximiseLikelihood({ ...how, agent, episodes });
  return { ...nothing, ...learned, fresh, expert: expert.length, earlier: earlier.length };
}

/** The episodes merged with a round's own. */
function merged({ config, environment, student, state }: RoundToLearn) {
  const { base, earlier } = state;
  // Before the first round only the expert's dialogues exist.
  const withExpert = config.evolution.merge !== 'previous' || earlier.length === 0;
  return {
    expert: withExpert ? expertEpisodes(student.agent, environment, base) : [],
    earlier: earlier.flat(),
  };
}

/** An episode that gives all its tokens the same weight. */
function weightedEpisode(
  { tokenizer }: Agent,
  trajectory: Trajectory,
  weight: number,
): TrainingEpisode {
  const written = writtenEpisode(trajectory, tokenizer);
  return { ...written, advantages: written.targets.map(() => weight) };
}
