import type { Trajectory, Turn } from '../../agents/trajectory.ts';
import type { Config } from '../../config/schema.ts';
import type { RandomStream } from '../random.ts';
import { total } from '../sums.ts';
import type { Group } from './groups.ts';

type Faults = Config['faults'];

/**
 * Injects the config's faults into played episodes from their iteration on: deliberate versions of
 * failures seen in other systems, to demonstrate them and to test diagnosis.
 *
 * In this order: episodes fail, rewards change, rewards are delayed, groups are mixed, stored
 * log-probabilities get noise.
 *
 * @returns the same groups, without drawing random numbers, if no fault is active
 */
export function withFaults(
  faults: Faults,
  iteration: number,
  groups: readonly Group[],
  random: RandomStream,
): readonly Group[] {
  if (iteration < faults.from_iteration) return groups;
  const spoilt = [failures, otherRewards, lateRewards, mixedGroups, otherLogps];
  return spoilt.reduce((played, spoil) => spoil(faults, played, random), groups);
}

/** The config of an iteration: a fault may multiply its learning rate. */
export function faultyConfig(config: Config, iteration: number): Config {
  const { faults, optimizer } = config;
  if (iteration < faults.from_iteration || faults.learning_rate_factor === 1) return config;
  const learning_rate = optimizer.learning_rate * faults.learning_rate_factor;
  return { ...config, optimizer: { ...optimizer, learning_rate } };
}

type Spoil = (faults: Faults, groups: readonly Group[], random: RandomStream) => readonly Group[];

const failures: Spoil = ({ failing_share }, groups, random) => {
  if (failing_share === 0) return groups;
  return eachEpisode(groups, (trajectory) => {
    if (uniform(random) >= failing_share) return trajectory;
    return { ...withRewards(trajectory, () => 0), success: false };
  });
};

const otherRewards: Spoil = ({ reward_factor, understood_reward, token_reward }, groups) => {
  if (reward_factor === 1 && understood_reward === 0 && token_reward === 0) return groups;
  return eachEpisode(groups, (trajectory) =>
    withRewards(
      trajectory,
      ({ reward, understood, actionTokens }) =>
        reward * reward_factor +
        (understood ? understood_reward : 0) +
        token_reward * actionTokens.length,
    ),
  );
};

/** Rewards delayed beyond the last turn are dropped. */
const lateRewards: Spoil = ({ reward_delay }, groups) => {
  if (reward_delay === 0) return groups;
  return eachEpisode(groups, (trajectory) =>
    withRewards(trajectory, (_turn, t) => trajectory.turns[t - reward_delay]?.reward ?? 0),
  );
};

/** Shuffles the episodes across groups. Every group keeps its size. */
const mixedGroups: Spoil = ({ mixed_groups }, groups, random) => {
  if (mixed_groups === 'off') return groups;
  const deck = random.shuffled(groups.flatMap(({ trajectories }) => trajectories));
  return groups.map((group) => ({
    ...group,
    trajectories: deck.splice(0, group.trajectories.length),
  }));
};

/** Adds normal noise to log-probabilities, capped at 0. */
const otherLogps: Spoil = ({ logp_noise }, groups, random) => {
  if (logp_noise === 0) return groups;
  return eachEpisode(groups, (trajectory) => ({
    ...trajectory,
    turns: trajectory.turns.map((turn) => ({
      ...turn,
      logps: turn.logps.map((logp) => Math.min(0, logp + logp_noise * normal(random))),
    })),
  }));
};

function eachEpisode(
  groups: readonly Group[],
  spoil: (trajectory: Trajectory) => Trajectory,
): readonly Group[] {
  return groups.map((group) => ({ ...group, trajectories: group.trajectories.map(spoil) }));
}

function withRewards(
  trajectory: Trajectory,
  rewardOf: (turn: Turn, t: number) => number,
): Trajectory {
  const turns = trajectory.turns.map((turn, t) => ({ ...turn, reward: rewardOf(turn, t) }));
  return { ...trajectory, turns, score: total(turns, ({ reward }) => reward) };
}

/** A random number in [0, 1). */
function uniform(random: RandomStream): number {
  return random.seed() / 2 ** 32;
}

/** Standard normal (Box–Muller). */
function normal(random: RandomStream): number {
  return Math.sqrt(-2 * Math.log(1 - uniform(random))) * Math.cos(2 * Math.PI * uniform(random));
}
