import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../config/check.ts';
import type { ConfigInput } from '../../config/schema.ts';
import { learningRate, warmUp } from './learning-rate.ts';

function rates(optimizer: ConfigInput['optimizer'], updates: readonly number[]): number[] {
  const config = parseConfig({ optimizer: { learning_rate: 0.8, ...optimizer } });
  return updates.map((update) => learningRate(config.optimizer, update));
}

describe('learningRate', () => {
  it('rises linearly during warm-up, then stays constant', () => {
    expect(rates({ warmup_updates: 4 }, [1, 2, 3, 4, 5, 1000])).toEqual([
      // Quarters of 0.8.
      0.2,
      0.4,
      0.75 * 0.8,
      0.8,
      0.8,
      0.8,
    ]);
    expect(rates({ warmup_updates: 0 }, [1, 2])).toEqual([0.8, 0.8]);
  });

  it('decays linearly to its final share, then stays constant', () => {
    const falling = { warmup_updates: 2, schedule: 'linear', decay_updates: 4, final_share: 0.5 };
    // Warm-up: 1/2, 1. Then each of the four decay updates lowers the rate by 1/8 of the full rate.
    const shares = [1 / 2, 1, 7 / 8, 6 / 8, 5 / 8, 4 / 8, 4 / 8];
    const found = rates(falling as ConfigInput['optimizer'], [1, 2, 3, 4, 5, 6, 60]);
    for (const [i, share] of shares.entries()) expect(found[i]).toBeCloseTo(0.8 * share, 12);
  });

  it('decays along a half cosine to its final share, then stays constant', () => {
    const falling = { warmup_updates: 0, schedule: 'cosine', decay_updates: 3, final_share: 0.2 };
    // cos of 60°, 120° and 180° is 1/2, −1/2 and −1: (1 + cos)/2 is 3/4, 1/4 and 0 of the decay of
    // 0.8.
    const shares = [0.2 + 0.8 * 0.75, 0.2 + 0.8 * 0.25, 0.2, 0.2];
    const found = rates(falling as ConfigInput['optimizer'], [1, 2, 3, 9]);
    for (const [i, share] of shares.entries()) expect(found[i]).toBeCloseTo(0.8 * share, 12);
  });

  it('does not decay in preference learning', () => {
    const { optimizer } = parseConfig({
      optimizer: { learning_rate: 0.8, warmup_updates: 2, schedule: 'linear', decay_updates: 4 },
    });
    expect([1, 2, 3, 100].map((update) => warmUp(optimizer, update))).toEqual([0.4, 0.8, 0.8, 0.8]);
  });
});
