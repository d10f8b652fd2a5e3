import { describe, expect, it } from 'vitest';
import { presetConfig } from '../../../config/presets.ts';
import { row } from '../../../runs/testing/rows.ts';
import { groupRuns } from '../../charts/chart-data.ts';
import { Tracks } from '../../charts/curve.ts';
import { linesOf } from '../../charts/lines.ts';
import {
  flat,
  iterationOf,
  POINTS,
  sketchAt,
  sketchedIterations,
  verdict,
  withPoint,
  withStroke,
} from './sketch.ts';

const rising = flat.map((_, point) => point / (POINTS - 1));

describe('a sketch', () => {
  it('covers the first and the last iteration', () => {
    expect(iterationOf(0, 80)).toBe(1);
    expect(iterationOf(POINTS - 1, 80)).toBe(80);
  });

  it('interpolates linearly between its points', () => {
    expect(sketchAt(rising, 30, 100)).toBeCloseTo(0.3);
    expect(sketchAt(rising, 37, 100)).toBeCloseTo(0.37);
    expect(sketchAt(rising, 500, 100)).toBeCloseTo(1);
  });

  it('clamps a moved point to 0 and 1', () => {
    expect(withPoint(flat, 3, 1.4)[3]).toBe(1);
    expect(withPoint(flat, 3, -1)[3]).toBe(0);
  });

  it('moves all points under a stroke, even if the pointer jumps', () => {
    const drawn = withStroke(flat, { x: 0, y: 0 }, { x: 1, y: 1 });
    expect(drawn.map((share) => Number(share.toFixed(6)))).toEqual(
      rising.map((share) => Number(share.toFixed(6))),
    );
    expect(withStroke(flat, { x: 0.52, y: 0.9 }, { x: 0.52, y: 0.9 })).toEqual(flat.with(5, 0.9));
  });

  it('reports its mean error once the run has enough iterations', () => {
    const rows = Array.from({ length: 10 }, (_, i) => row(i + 1, { 'rollout/success_rate': 0.2 }));
    expect(verdict(flat, rows.slice(0, 4), 20)).toBeNull();
    expect(verdict(flat, rows, 20)).toBe(
      'For iteration 10 you drew 50%; the run solves 20%. So far you are 30 points off on average.',
    );
  });

  it('is charted without smoothing', () => {
    const steep = [0, 1, 0, 1].map((share, i) => row(i + 1, { 'rollout/success_rate': share }));
    const run = {
      ...{ id: 'prediction', name: 'Your prediction', seed: 0, markers: [], rows: steep },
      ...{ configKey: 'prediction', tracks: new Tracks(), exact: true as const },
    };
    const success = {
      ...{ name: 'Training', color: 'red' },
      read: ({ metrics }: (typeof steep)[number]) => metrics['rollout/success_rate'],
    };
    const [line] = linesOf(groupRuns([run]), [success], 'iteration', 0.6);
    expect([...(line?.curve.y.slice(0, 4) ?? [])]).toEqual([0, 1, 0, 1]);
  });

  it('covers the typical length of a preset that stops early', () => {
    const maze = presetConfig('maze');
    expect(maze.stopping.success).toBeGreaterThan(0);
    expect(sketchedIterations(maze, 'maze')).toBe(32);
    const endless = { ...maze, stopping: { ...maze.stopping, success: 0 } };
    expect(sketchedIterations(endless, 'maze')).toBe(maze.stopping.iterations);
  });
});
