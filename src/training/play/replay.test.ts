import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TrainingEpisode } from '../learn/batch.ts';
import { splitSeed } from '../random.ts';
import { ReplayBuffer } from './replay.ts';

/** A group of one-token episodes written by a policy version. */
function group(size: number, version: number): TrainingEpisode[] {
  return Array.from({ length: size }, () => ({
    sequences: [{ tokens: [1], rows: [0], first: 0 }],
    targets: [2],
    behaviorLogps: [-1],
    versions: [version],
    turns: [0],
    advantages: [1],
  }));
}

function buffer(capacity: number, seed = 1): ReplayBuffer {
  return new ReplayBuffer({ share: 0.5, capacity, max_age: 1000 }, splitSeed(seed).replay);
}

const everything = Number.NEGATIVE_INFINITY;

describe('ReplayBuffer', () => {
  it('fills the share of the batch as closely as whole groups allow', () => {
    const filled = buffer(4);
    filled.add(Array.from({ length: 20 }, () => group(4, 0)));
    const drawn = (fresh: number, share: number) => filled.draw(fresh, share, everything).length;
    // For half of a batch with 16 fresh episodes, 16 replayed ones: four groups of four.
    expect(drawn(16, 0.5)).toBe(4);
    // A quarter: 16·¼/¾ = 5⅓ episodes; one group (4) is closer than two (8).
    expect(drawn(16, 0.25)).toBe(1);
    // 40%: 16·0.4/0.6 = 10⅔ episodes; three groups (12) are closer than two (8).
    expect(drawn(16, 0.4)).toBe(3);
    expect(drawn(16, 0)).toBe(0);
    expect(drawn(0, 0.5)).toBe(0);
  });

  it('draws no group twice, and all groups if there are too few', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 5 }), { maxLength: 6 }),
        fc.integer({ min: 1, max: 40 }),
        fc.double({ min: 0.01, max: 0.95, noNaN: true }),
        (iterations, fresh, share) => {
          const filled = buffer(3);
          const kept = iterations.map((sizes) => sizes.map((size) => group(size, 0)));
          for (const groups of kept) filled.add(groups);
          const present = kept.slice(-3).flat();
          const drawn = filled.draw(fresh, share, everything);
          expect(new Set(drawn).size).toBe(drawn.length);
          for (const one of drawn) expect(present).toContain(one);
          const wanted = (fresh * share) / (1 - share);
          const episodes = drawn.flat().length;
          // Off by at most half a group, unless the groups run out.
          if (drawn.length < present.length) expect(wanted - episodes).toBeLessThan(2.5 + 1e-9);
          expect(episodes - wanted).toBeLessThanOrEqual(2.5 + 1e-9);
        },
      ),
    );
  });

  it('drops the oldest iteration and skips groups with a token that is too old', () => {
    const filled = buffer(2);
    const [first, second, third] = [group(2, 1), group(2, 5), [...group(1, 9), ...group(1, 4)]];
    for (const one of [first, second, third]) filled.add([one]);
    const drawn = (oldest: number) => filled.draw(1000, 0.5, oldest);
    expect(new Set(drawn(everything))).toEqual(new Set([second, third]));
    expect(drawn(5)).toEqual([second]);
    expect(drawn(6)).toEqual([]);
  });

  it('draws from its own stream: deterministic for a seed, different between seeds', () => {
    const draw = (seed: number) => {
      const filled = buffer(1, seed);
      filled.add(Array.from({ length: 50 }, (_, i) => group(1, i)));
      return filled.draw(10, 0.5, everything).map(([episode]) => episode?.versions[0]);
    };
    expect(draw(1)).toEqual(draw(1));
    expect(draw(2)).not.toEqual(draw(1));
    expect(draw(1)).toHaveLength(10);
  });
});
