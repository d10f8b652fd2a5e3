import { describe, expect, it } from 'vitest';
import { counterpart, isMetricKey, metric, metrics, type Tool } from './metrics.ts';

describe('metric registry', () => {
  it('describes every key once, and only registered keys', () => {
    expect(new Set(metrics.map(({ key }) => key)).size).toBe(metrics.length);
    for (const { key, title, meaning, range } of metrics) {
      expect(metric(key).title).toBe(title);
      expect(meaning).toMatch(/\.$/);
      const [low, high] = range;
      if (low !== null && high !== null) expect(high).toBeGreaterThan(low);
      if (key.startsWith('time/')) expect(low).toBe(0);
    }
    expect(isMetricKey('rollout/score')).toBe(true);
    expect(isMetricKey('rollout/scores')).toBe(false);
  });

  it('maps metrics to the names of other tools, and flags names with another meaning', () => {
    const tools: readonly Tool[] = ['verl', 'agentgym_rl', 'bapo', 'trl', 'sb3', 'cleanrl'];
    let named = 0;
    for (const tool of tools) {
      const same = new Map<string, string>();
      for (const one of metrics) {
        const theirs = counterpart(one, tool);
        if (theirs === undefined) continue;
        named += 1;
        expect(theirs.key).toMatch(/^\S+$/);
        expect(theirs.factor).not.toBe(0);
        if (theirs.differs !== undefined) continue;
        // A column of a log maps to only one metric.
        expect(same.get(theirs.key), `${tool} ${theirs.key}`).toBeUndefined();
        same.set(theirs.key, one.key);
      }
    }
    expect(named).toBe(metrics.flatMap(({ elsewhere = {} }) => Object.keys(elsewhere)).length);
    // SB3 logs minus the entropy, and twice our value loss.
    expect(counterpart(metric('policy/entropy'), 'sb3')?.factor).toBe(-1);
    expect(counterpart(metric('value/loss'), 'sb3')?.factor).toBe(0.5);
    expect(counterpart(metric('policy/approx_kl'), 'verl')?.differs).toMatch(/negative/);
    expect(counterpart(metric('rollout/paused'), 'verl')).toBeUndefined();
  });
});
