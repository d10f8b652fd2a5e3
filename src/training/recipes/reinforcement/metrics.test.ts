import { describe, expect, it } from 'vitest';
import { diversity } from './metrics.ts';

const episode = (task: string, ...actions: (readonly number[])[]) => ({
  task,
  turns: actions.map((actionTokens) => ({ actionTokens })),
});

describe('the diversity metric', () => {
  it('averages the share of distinct action sequences over tasks', () => {
    const alike = [episode('a', [1], [2]), episode('a', [1], [2])];
    const apart = [episode('b', [1], [2]), episode('b', [1, 2])];
    expect(diversity(alike)).toBe(1 / 2);
    expect(diversity(apart)).toBe(1);
    expect(diversity([...alike, ...apart])).toBe(3 / 4);
  });

  it('ignores the order in which tasks are played', () => {
    const [a, b, c] = [episode('a', [1]), episode('b', [1]), episode('a', [1])];
    expect(diversity([a, b, c])).toBe(diversity([a, c, b]));
    expect(diversity([a, b, c])).toBe(3 / 4);
  });
});
