import { describe, expect, it } from 'vitest';
import { isMetricKey, metric, metrics } from './metrics.ts';

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
});
