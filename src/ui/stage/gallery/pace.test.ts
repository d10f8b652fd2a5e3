import { describe, expect, it } from 'vitest';
import { presetConfig, presets } from '../../../config/presets.ts';
import { expectedSeconds, paceOf, presetCosts } from './pace.ts';

const costs = { maze: { startSeconds: 2, iterationSeconds: 0.5 } };
const rows = (count: number, milliseconds: number) =>
  Array.from({ length: count }, () => ({ milliseconds }));

describe('the pace of this machine', () => {
  it('is the duration of the newest iterations relative to the measured duration', () => {
    const config = presetConfig('maze');
    const run = { preset: 'maze', config, rows: [...rows(5, 9000), ...rows(8, 1500)] };
    expect(paceOf(run, costs)).toBeCloseTo(3);
    expect(paceOf({ ...run, config: { ...config, seed: 99 } }, costs)).toBeCloseTo(3);
  });

  it('is null if the run is too short or modified, or if its preset is unmeasured', () => {
    const config = presetConfig('maze');
    expect(paceOf({ preset: 'maze', config, rows: rows(7, 1500) }, costs)).toBeNull();
    const changed = { ...config, policy: { ...config.policy, width: 128 } };
    expect(paceOf({ preset: 'maze', config: changed, rows: rows(9, 1500) }, costs)).toBeNull();
    const wordle = { preset: 'wordle', config: presetConfig('wordle'), rows: rows(9, 1500) };
    expect(paceOf(wordle, costs)).toBeNull();
  });
});

describe('the expected time', () => {
  it('equals start-up time plus iterations at the pace', () => {
    const { iterations } = presetConfig('maze').stopping;
    expect(expectedSeconds('maze', 2, costs)).toBeCloseTo(2 * (2 + iterations * 0.5));
    expect(expectedSeconds('wordle', 2, costs)).toBeUndefined();
  });

  it('is based on measured costs for every preset', () => {
    expect(Object.keys(presetCosts).sort()).toEqual(presets.map(({ name }) => name).sort());
    for (const { startSeconds, iterationSeconds } of Object.values(presetCosts)) {
      expect(startSeconds).toBeGreaterThan(0);
      expect(iterationSeconds).toBeGreaterThan(0);
    }
  });
});
