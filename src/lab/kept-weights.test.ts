import { describe, expect, it } from 'vitest';
import type { PolicyShape, TokenPolicy, WeightTensor } from '../policy/types.ts';
import { WeightsHistory } from './kept-weights.ts';

const small: PolicyShape = {
  ...{ vocabulary: 8, layers: 1, width: 8, heads: 2, kvHeads: 2, ffnWidth: 8 },
  ...{ tiedEmbeddings: true, valueHead: false },
};
/** Has 4 MB of weights; 12 copies fill the memory. */
const large: PolicyShape = { ...small, vocabulary: 4096, width: 256, heads: 4, kvHeads: 4 };

/** A policy whose weights contain the number of reads so far, and a clock that advances with each read. */
function policyOf(shape: PolicyShape, cost = 0) {
  const clock = { now: 0, reads: 0 };
  const policy = {
    shape,
    readWeights: async () => {
      clock.now += cost;
      clock.reads += 1;
      const tensor: WeightTensor = { shape: [1], values: Float32Array.of(clock.reads) };
      return new Map([['embedding', tensor]]);
    },
  };
  return { policy: policy as unknown as TokenPolicy, clock };
}

const iterationsOf = (history: WeightsHistory) => history.entries.map((one) => one.iteration);

describe('WeightsHistory', () => {
  it('keeps the first and the newest two iterations when memory is full', async () => {
    const { policy } = policyOf(large);
    const history = new WeightsHistory(() => 0);
    for (let i = 0; i <= 40; i++) await history.keep(policy, i);
    const kept = iterationsOf(history);
    expect(kept.length).toBeLessThanOrEqual(12);
    expect(kept.length).toBeGreaterThan(4);
    expect(kept[0]).toBe(0);
    expect(kept.slice(-2)).toEqual([39, 40]);
    expect(kept).toEqual(kept.toSorted((a, b) => a - b));
  });

  it('skips iterations until reading weights has taken less than 2% of the time', async () => {
    const { policy, clock } = policyOf(small, 4);
    const history = new WeightsHistory(() => clock.now);
    for (let i = 1; i <= 50; i++) {
      clock.now += 10;
      await history.offer(policy, i);
    }
    // Each read takes 4 ms and is followed by a pause of 200 ms.
    expect(iterationsOf(history)).toEqual([1, 21, 41]);
    await history.keep(policy, 50);
    await history.keep(policy, 50);
    expect([clock.reads, iterationsOf(history).at(-1)]).toEqual([4, 50]);
  });

  it('keeps only the newest weights of a network if few copies fit', async () => {
    const { policy, clock } = policyOf({ ...large, vocabulary: 32_768 });
    const history = new WeightsHistory(() => 0);
    await history.offer(policy, 1);
    expect(clock.reads).toBe(0);
    await history.keep(policy, 2);
    await history.keep(policy, 3);
    expect(iterationsOf(history)).toEqual([3]);
  });
});
