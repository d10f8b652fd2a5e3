import { describe, expect, it } from 'vitest';
import { thresholdAlarm } from './threshold-alarm.ts';

const steady = (value: number, count: number) => Array.from({ length: count }, () => value);

describe('the threshold alarm', () => {
  it('is raised once the mean of five values is below half of the best level', () => {
    // Means of five after the drop: 0.64, 0.48, 0.32 < 0.4.
    expect(thresholdAlarm([...steady(0.8, 20), ...steady(0, 10)])).toBe(22);
    expect(thresholdAlarm([...steady(0.8, 20), ...steady(0.41, 10)])).toBeNull();
  });

  it('is not raised for a run that never succeeds, nor for fewer than fifteen values', () => {
    expect(thresholdAlarm(steady(0, 40))).toBeNull();
    expect(thresholdAlarm([...steady(0.8, 10), ...steady(0, 4)])).toBeNull();
  });

  it('is not raised before the given index', () => {
    const twice = [...steady(0.8, 20), ...steady(0, 10), ...steady(0.8, 10), ...steady(0, 10)];
    expect(thresholdAlarm(twice, 35)).toBe(42);
  });
});
