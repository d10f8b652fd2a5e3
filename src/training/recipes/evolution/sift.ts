import type { Trajectory } from '../../../agents/trajectory.ts';
import { NegativeRewardError, rewardWeights } from '../../../algorithms/reward-weights.ts';
import type { Config } from '../../../config/schema.ts';
import type { Environment } from '../../../envs/types.ts';
import type { ThrownWhy } from '../../../runs/phase-facts.ts';
import { environmentOf } from '../../environments.ts';
import { bestAndWorst, type Pair } from '../preference.ts';

/** An episode with its weight in the loss. */
export interface Weighed {
  readonly trajectory: Trajectory;
  /** Its reward, shifted if its environment has negative rewards. */
  readonly reward: number;
  readonly weight: number;
}

/** The episodes of a round so far, split by their use. */
export interface Sifted {
  readonly kept: readonly Weighed[];
  readonly thrown: readonly (Weighed & { readonly why: ThrownWhy })[];
  /** Pairs of a success and a failure on the same task; empty unless training uses pairs. */
  readonly pairs: readonly Pair[];
  /** Reward shift of each environment that had negative rewards. */
  readonly shifts: ReadonlyMap<string, number>;
}

/**
 * Weights the episodes of a round by their rewards and keeps those with a positive weight.
 *
 * @throws {NegativeRewardError} for a negative reward used as a weight, unless rewards are shifted
 */
export function sift(
  config: Config,
  environment: Environment,
  found: readonly Trajectory[],
): Sifted {
  return config.evolution.learn === 'pairs' ? paired(found) : weighed(config, environment, found);
}

function weighed(
  { evolution: { weights, threshold, successes, negative } }: Config,
  environment: Environment,
  found: readonly Trajectory[],
): Sifted {
  const shifts = new Map<string, number>();
  if (weights !== 'threshold') {
    for (const { task, score } of found) {
      if (score >= 0) continue;
      if (negative === 'refuse') throw new NegativeRewardError(task, score);
      const id = environmentOf(environment, task);
      shifts.set(id, Math.max(shifts.get(id) ?? 0, -score));
    }
  }
  const rewardOf = ({ task, score }: Trajectory) =>
    score + (shifts.get(environmentOf(environment, task)) ?? 0);

  const all = byGroup(found).flatMap((tries): Weighed[] => {
    const rewards = tries.map(rewardOf);
    const own = rewardWeights(rewards, weights, threshold);
    return tries.map((trajectory, k) => ({
      trajectory,
      reward: rewards[k] ?? 0,
      weight: own[k] ?? 0,
    }));
  });
  const kept: Weighed[] = [];
  const thrown: (Weighed & { why: ThrownWhy })[] = [];
  const succeeded = new Set<string>();
  for (const one of all) {
    const { task } = one.trajectory;
    if (one.weight === 0) thrown.push({ ...one, why: 'unrewarded' });
    else if (successes === 'one' && succeeded.has(task)) thrown.push({ ...one, why: 'another' });
    else {
      succeeded.add(task);
      kept.push(one);
    }
  }
  return { kept, thrown, pairs: [], shifts };
}

function paired(found: readonly Trajectory[]): Sifted {
  const pairs = byGroup(found).flatMap((tries) => {
    const pair = bestAndWorst(tries);
    return pair?.[0].success === true && !pair[1].success ? [pair] : [];
  });
  const used = new Set(pairs.flat());
  const all = found.map((trajectory) => ({
    trajectory,
    reward: trajectory.score,
    weight: used.has(trajectory) ? 1 : 0,
  }));
  return {
    kept: all.filter(({ weight }) => weight > 0),
    thrown: all
      .filter(({ weight }) => weight === 0)
      .map((one) => ({ ...one, why: 'unpaired' as const })),
    pairs,
    shifts: new Map(),
  };
}

/** The attempts at each task, in the order in which tasks were dealt. */
function byGroup(found: readonly Trajectory[]): readonly (readonly Trajectory[])[] {
  const groups = new Map<number, Trajectory[]>();
  for (const trajectory of found) {
    const group = groups.get(trajectory.group);
    if (group === undefined) groups.set(trajectory.group, [trajectory]);
    else group.push(trajectory);
  }
  return [...groups.values()];
}
