import { describe, expect, it } from 'vitest';
import type { Cure } from '../../../autopsy/cures.ts';
import type { AutopsyPlan } from '../../../autopsy/plan.ts';
import { presetConfig } from '../../../config/presets.ts';
import { forkCurves, pointsOf } from './curves.ts';

const cure: Cure = { name: 'a cure', mode: 'setback', set: [], freshOptimizer: false };
const plan: AutopsyPlan = {
  ...{ mode: 'setback', config: presetConfig('maze'), after: 4, to: 6, seeds: [1, 2] },
  cures: [cure],
};

const row = (iteration: number, success?: number) => ({
  iteration,
  metrics: { iteration, ...(success === undefined ? {} : { 'rollout/success_rate': success }) },
});

describe('the chart of an autopsy', () => {
  it('leaves out missing measurements', () => {
    expect(pointsOf([row(1, 0.5), row(2), row(3, Number.NaN), row(4, 0)])).toEqual([
      { iteration: 1, success: 0.5 },
      { iteration: 4, success: 0 },
    ]);
  });

  it('averages over the seeds that reached an iteration, with the unchanged fork first', () => {
    const fork = (...rows: ReturnType<typeof row>[]) => ({ rows, end: null });
    const curves = forkCurves(plan, {
      shared: [],
      forks: [fork(row(5, 0.2), row(6, 0.4)), fork(row(5, 1)), fork(row(5, 0.4)), fork()],
    });
    expect(curves.map(({ name, points }) => [name, points])).toEqual([
      [
        'unchanged',
        [
          { iteration: 5, success: expect.closeTo(0.3) },
          { iteration: 6, success: 0.4 },
        ],
      ],
      ['a cure', [{ iteration: 5, success: 1 }]],
    ]);
    expect(new Set(curves.map(({ color }) => color)).size).toBe(2);
  });
});
