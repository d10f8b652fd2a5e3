import { describe, expect, it } from 'vitest';
import { keptEntropy } from './kept-entropy.ts';

const trial = (change: number, rule: number, batchRule: number) => ({
  ...{ step: 'all' as const, share: 1 },
  ...{ change, rule, batchRule },
});

describe('keptEntropy', () => {
  it('counts rises and predicted directions, and correlates both forms of the rule', () => {
    const trials = [trial(0.1, 1, -1), trial(-0.1, -1, 1), trial(0.3, 3, -3)];
    expect(keptEntropy(0.01, trials)).toEqual({
      rate: 0.01,
      steps: [
        {
          ...{ step: 'all', updates: 3, share: 1, rises: 2, change: 0.1 },
          rule: { predicted: 3, correlation: 1 },
          batchRule: { predicted: 0, correlation: -1 },
        },
      ],
    });
  });

  it('has no correlation if the rule is constant', () => {
    const [steps] = keptEntropy(0.01, [trial(0.1, 1, 0), trial(0.2, 1, 0)]).steps;
    expect(steps?.rule).toEqual({ predicted: 2, correlation: null });
  });
});
