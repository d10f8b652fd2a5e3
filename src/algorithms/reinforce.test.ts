import { describe, expect, it } from 'vitest';
import { reinforce } from './reinforce.ts';
import { episode } from './testing/signals.ts';

describe('reinforce', () => {
  it('gives every token the episode’s reward, independently of its group', () => {
    // γ = 1/2: 0 + 1/2 + 4/4 = 3/2 and an episode with reward 0.
    const A = reinforce([episode(0, 0, 1, 4), episode(0, 0)], { gamma: 0.5, lambda: 1 });
    expect(A).toEqual([{ advantages: [1.5, 1.5, 1.5] }, { advantages: [0] }]);
  });
});
