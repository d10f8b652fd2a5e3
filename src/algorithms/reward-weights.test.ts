import { describe, expect, it } from 'vitest';
import { rewardWeights } from './reward-weights.ts';

describe('rewardWeights', () => {
  it('weights by raw rewards, normalized rewards, or a threshold', () => {
    const rewards = [0.5, 0, 1, 0.5];
    expect(rewardWeights(rewards, 'raw', 0.99)).toEqual([0.5, 0, 1, 0.5]);
    expect(rewardWeights(rewards, 'normalised', 0.99)).toEqual([0.25, 0, 0.5, 0.25]);
    expect(rewardWeights(rewards, 'threshold', 0.99)).toEqual([0, 0, 1, 0]);
    expect(rewardWeights(rewards, 'threshold', 0.5)).toEqual([0, 0, 1, 0]);
    expect(rewardWeights(rewards, 'threshold', 0.2)).toEqual([1, 0, 1, 1]);
  });

  it('gives the same weights with all three rules, up to normalization, for rewards of 0 or 1', () => {
    for (let bits = 0; bits < 16; bits++) {
      const rewards = [0, 1, 2, 3].map((k) => (bits >> k) & 1);
      const raw = rewardWeights(rewards, 'raw', 0.99);
      expect(rewardWeights(rewards, 'threshold', 0.99)).toEqual(raw);
      const sum = rewards.reduce((all, reward) => all + reward, 0);
      const normalized = rewardWeights(rewards, 'normalised', 0.99);
      expect(normalized.map((weight) => weight * sum)).toEqual(raw);
    }
  });

  it('gives zero weights if no attempt was rewarded', () => {
    expect(rewardWeights([0, 0], 'normalised', 0.99)).toEqual([0, 0]);
    expect(rewardWeights([], 'normalised', 0.99)).toEqual([]);
  });

  it('rejects a negative reward that would be a weight', () => {
    expect(() => rewardWeights([1, -0.5], 'raw', 0)).toThrow(/negative/);
    expect(() => rewardWeights([1, -0.5], 'normalised', 0)).toThrow(/negative/);
    expect(rewardWeights([1, -0.5], 'threshold', 0)).toEqual([1, 0]);
  });
});
