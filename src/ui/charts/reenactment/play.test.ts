import { describe, expect, it } from 'vitest';
import type { ShownLog } from '../../../exchange/logs/shown-log.ts';
import { row } from '../../../runs/testing/rows.ts';
import { foreignOfLog, foreignOfRows } from './foreign-of.ts';

describe('an external run', () => {
  it('contains the series of a log that are metrics, in their own unit, without non-finite values', () => {
    const log: ShownLog = {
      entry: {
        ...{ id: 'a', name: 'train.log', tool: 'verl', format: 'verl’s console' },
        ...{ count: 'iteration', rows: 3, end: 30, success: null, notes: [], updated: 0 },
        axis: { key: null, unit: 'iterations', iterations: true },
        findings: { findings: [], past: [], notComputable: [] },
        spans: [{ text: 'It fell.', at: 10, to: 20 }],
      },
      series: [
        {
          ...{ key: 'actor/ppo_kl', metric: 'policy/approx_kl', differs: null },
          ...{ x: Float64Array.of(10, 20, 30), y: Float64Array.of(0.1, Number.NaN, 0.3) },
        },
        {
          ...{ key: 'mfu', metric: null, differs: null },
          ...{ x: Float64Array.of(10), y: Float64Array.of(1) },
        },
      ],
    };
    const { name, unit, series, spans } = foreignOfLog(log);
    expect([name, unit, [...series.keys()]]).toEqual([
      'train.log',
      'iterations',
      ['policy/approx_kl'],
    ]);
    expect(series.get('policy/approx_kl')).toEqual({
      x: Float64Array.of(10, 30),
      y: Float64Array.of(0.1, 0.3),
    });
    expect(spans).toMatchObject([{ at: 10, to: 20 }]);
  });

  it('can be created from the rows of a run on this page', () => {
    const rows = [
      row(1, { 'policy/entropy': 2 }),
      row(2, { 'policy/entropy': 1, 'eval/score': 3 }),
    ];
    const { series, spans } = foreignOfRows('Maze', rows, [1, 2]);
    expect(series.get('eval/score')).toEqual({ x: Float64Array.of(2), y: Float64Array.of(3) });
    expect(series.get('policy/entropy')?.x).toHaveLength(2);
    expect(spans).toEqual([{ at: 1, to: 2 }]);
  });
});
