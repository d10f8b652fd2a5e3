import { describe, expect, it } from 'vitest';
import type { Trajectory, Turn } from '../../agents/trajectory.ts';
import { parseConfig } from '../../config/check.ts';
import type { Config } from '../../config/schema.ts';
import { splitSeed } from '../random.ts';
import { faultyConfig, withFaults } from './faults.ts';
import type { Group } from './groups.ts';

const turn = (reward: number, understood = true, tokens = 2): Turn => ({
  observation: 'o',
  thought: '',
  action: 'a',
  observationTokens: [1],
  actionTokens: Array.from({ length: tokens }, () => 3),
  logps: Array.from({ length: tokens }, () => -0.5),
  entropies: Array.from({ length: tokens }, () => 0.7),
  version: 0,
  contextStart: 0,
  reward,
  understood,
});

const episode = (task: string, number: number): Trajectory => ({
  iteration: 5,
  episode: number,
  task,
  group: 0,
  horizon: 3,
  taskKept: false,
  turns: [turn(0.25), turn(0, false), turn(1, true, 3)],
  finalObservation: '',
  score: 1.25,
  success: true,
  terminated: true,
  truncated: false,
});

const groups: readonly Group[] = ['a', 'b', 'c', 'd'].map((task, group) => ({
  iteration: 5,
  group,
  task,
  horizon: 3,
  trajectories: [0, 1, 2, 3, 4].map((i) => episode(task, 5 * group + i)),
}));

function played(set: Partial<Config['faults']>, iteration = 5): readonly Group[] {
  const { faults } = parseConfig({ faults: set });
  return withFaults(faults, iteration, groups, splitSeed(2).faults);
}

const episodes = (from: readonly Group[]) => from.flatMap(({ trajectories }) => trajectories);
const rewards = (from: readonly Group[]) =>
  episodes(from).map(({ turns }) => turns.map(({ reward }) => reward));

describe('withFaults', () => {
  it('returns the same groups and draws no random numbers if no fault is active', () => {
    const stream = splitSeed(1).faults;
    const before = stream.state();
    const { faults } = parseConfig({ faults: { from_iteration: 6, logp_noise: 1 } });
    expect(withFaults(faults, 5, groups, stream)).toBe(groups);
    expect(withFaults(parseConfig({}).faults, 5, groups, stream)).toBe(groups);
    expect(stream.state()).toEqual(before);
    expect(withFaults(faults, 6, groups, stream)).not.toBe(groups);
  });

  it('makes a share of the episodes fail without reward', () => {
    const half = episodes(played({ failing_share: 0.5 }));
    const failed = half.filter(({ success }) => !success);
    expect(failed.length).toBeGreaterThan(4);
    expect(failed.length).toBeLessThan(16);
    for (const { score, turns } of failed) {
      expect([score, ...turns.map(({ reward }) => reward)]).toEqual([0, 0, 0, 0]);
    }
    expect(half.filter(({ success }) => success).every(({ score }) => score === 1.25)).toBe(true);
    expect(episodes(played({ failing_share: 1 })).some(({ success }) => success)).toBe(false);
  });

  it('changes rewards and their sum, never success', () => {
    const other = played({ reward_factor: 10, understood_reward: 0.5, token_reward: -0.1 });
    for (const { turns, score, success } of episodes(other)) {
      expect(turns.map(({ reward }) => reward)).toEqual([
        2.5 + 0.5 - 0.2,
        -0.2,
        expect.closeTo(10 + 0.5 - 0.3, 12),
      ]);
      expect(score).toBeCloseTo(12.8, 12);
      expect(success).toBe(true);
    }
  });

  it('delays rewards and drops rewards delayed beyond the end', () => {
    expect(rewards(played({ reward_delay: 1 }))[0]).toEqual([0, 0.25, 0]);
    expect(rewards(played({ reward_delay: 2 }))[0]).toEqual([0, 0, 0.25]);
    expect(rewards(played({ reward_delay: 3 }))[0]).toEqual([0, 0, 0]);
  });

  it('shuffles episodes across groups without changing the group sizes', () => {
    const mixed = played({ mixed_groups: 'on' });
    expect(mixed.map(({ trajectories }) => trajectories.length)).toEqual([5, 5, 5, 5]);
    expect(new Set(episodes(mixed))).toEqual(new Set(episodes(groups)));
    expect(mixed.some(({ task, trajectories }) => trajectories.some((t) => t.task !== task))).toBe(
      true,
    );
  });

  it('adds normal noise to log-probabilities, capped at 0', () => {
    const logps = episodes(played({ logp_noise: 0.1 })).flatMap(({ turns }) =>
      turns.flatMap((one) => one.logps),
    );
    const mean = logps.reduce((sum, logp) => sum + logp, 0) / logps.length;
    const spread = Math.sqrt(logps.reduce((sum, l) => sum + (l - mean) ** 2, 0) / logps.length);
    expect(mean).toBeCloseTo(-0.5, 1);
    expect(spread).toBeGreaterThan(0.08);
    expect(spread).toBeLessThan(0.12);
    const wild = episodes(played({ logp_noise: 5 })).flatMap(({ turns }) =>
      turns.flatMap((one) => one.logps),
    );
    expect(Math.max(...wild)).toBe(0);
  });
});

describe('faultyConfig', () => {
  it("multiplies the learning rate from the fault's iteration on", () => {
    const config = parseConfig({
      optimizer: { learning_rate: 0.001 },
      faults: { from_iteration: 3, learning_rate_factor: 20 },
    });
    expect(faultyConfig(config, 2)).toBe(config);
    expect(faultyConfig(config, 3).optimizer.learning_rate).toBeCloseTo(0.02, 12);
  });
});
