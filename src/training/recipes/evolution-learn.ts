import type { Agent } from '../../agents/agent.ts';
import type { Trajectory } from '../../agents/trajectory.ts';
import type { Config } from '../../config/schema.ts';
import type { Environment } from '../../envs/types.ts';
import type { TrainingEpisode } from '../learn/batch.ts';
import { writtenEpisode } from '../learn/batch.ts';
import { maximiseLikelihood } from '../learn/likelihood.ts';
import type { DoneUpdate } from '../learn/updates.ts';
import type { RandomStream } from '../random.ts';
import type { Student } from '../student.ts';
import type { EvolutionState, RoundPlace } from './evolution-round.ts';
import type { Sifted } from './evolution-sift.ts';
import { expertEpisodes } from './imitation.ts';
import { learnPairs } from './preference.ts';

/** What a round learned. */
export interface LearnedRound {
  readonly place: RoundPlace;
  /** Mean of the last epoch, nats: over tokens of w·(−log π), or over pairs; NaN where nothing was learned. */
  readonly loss: number;
  readonly done: readonly DoneUpdate[];
  /** What the round kept, to be merged with later. */
  readonly fresh: readonly TrainingEpisode[];
  /** Episodes that it was learned together with: of the expert, and of earlier rounds. */
  readonly expert: number;
  readonly earlier: number;
  /** Pairs that were learned; 0 by likelihood. */
  readonly pairs: number;
}

/** A round that is about to learn. */
export interface RoundToLearn {
  readonly config: Config;
  readonly environment: Environment;
  readonly student: Student;
  /** The agent as it explored. */
  readonly explorer: Agent;
  readonly state: EvolutionState;
  readonly sifted: Sifted;
  readonly place: RoundPlace;
  /** Shuffles what is learned from. */
  readonly stream: RandomStream;
}

/**
 * Learns what a round kept, on the union with what is merged; a round that kept nothing leaves the
 * agent as it is.
 *
 * @throws {NonFiniteError} after too many skipped updates in a row.
 */
export async function learnRound(
  round: RoundToLearn,
  onProgress: (fraction: number) => void,
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
  if (start === 'base') await student.startAnew();
  else agent.policy.restartOptimizer();
  const episodes = [...fresh, ...earlier, ...expert];
  const learned = await maximiseLikelihood({ ...how, agent, episodes });
  return { ...nothing, ...learned, fresh, expert: expert.length, earlier: earlier.length };
}

/** What a round's own episodes are learned together with. */
function merged({ config, environment, student, state }: RoundToLearn) {
  const { base, earlier } = state;
  // Before the first round there were only the expert's dialogues.
  const withExpert = config.evolution.merge !== 'previous' || earlier.length === 0;
  return {
    expert: withExpert ? expertEpisodes(student.agent, environment, base) : [],
    earlier: earlier.flat(),
  };
}

/** An episode whose tokens all count as much as the episode does. */
function weightedEpisode(
  { tokenizer }: Agent,
  trajectory: Trajectory,
  weight: number,
): TrainingEpisode {
  const written = writtenEpisode(trajectory, tokenizer);
  return { ...written, advantages: written.targets.map(() => weight) };
}
