import { describe, expect, it } from 'vitest';
import { row } from '../../runs/testing/rows.ts';
import { flat, iterationOf, POINTS, sketchAt, verdict, withPoint, withStroke } from './sketch.ts';

const rising = flat.map((_, point) => point / (POINTS - 1));

describe('a sketch', () => {
  it('has a point at the first iteration and one at the last', () => {
    expect(iterationOf(0, 80)).toBe(1);
    expect(iterationOf(POINTS - 1, 80)).toBe(80);
  });

  it('goes along straight lines between its points', () => {
    expect(sketchAt(rising, 30, 100)).toBeCloseTo(0.3);
    expect(sketchAt(rising, 37, 100)).toBeCloseTo(0.37);
    expect(sketchAt(rising, 500, 100)).toBeCloseTo(1);
  });

  it('is moved point by point, within its bounds', () => {
    expect(withPoint(flat, 3, 1.4)[3]).toBe(1);
    expect(withPoint(flat, 3, -1)[3]).toBe(0);
  });

  it('is drawn in one stroke, also where the pointer leaps', () => {
    const drawn = withStroke(flat, { x: 0, y: 0 }, { x: 1, y: 1 });
    expect(drawn.map((share) => Number(share.toFixed(6)))).toEqual(
      rising.map((share) => Number(share.toFixed(6))),
    );
    expect(withStroke(flat, { x: 0.52, y: 0.9 }, { x: 0.52, y: 0.9 })).toEqual(flat.with(5, 0.9));
  });

  it('is held against the run', () => {
    const rows = Array.from({ length: 10 }, (_, i) => row(i + 1, { 'rollout/success_rate': 0.2 }));
    expect(verdict(flat, rows.slice(0, 4), 20)).toBeNull();
    expect(verdict(flat, rows, 20)).toBe(
      'For iteration 10 you drew 50%; it solves 20%. So far you are 30 points off on average.',
    );
  });
});
