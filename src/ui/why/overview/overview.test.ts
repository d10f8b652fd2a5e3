import { describe, expect, it } from 'vitest';
import { row } from '../../../runs/testing/rows.ts';
import { imitationLevel } from '../../charts/charts.tsx';
import { useLab } from '../../shell/lab/store.ts';
import { secondsLeft } from './overview.tsx';
import { storyOf } from './story.ts';

describe('secondsLeft', () => {
  it('estimates the time to the iteration limit or the turn limit, whichever comes first', () => {
    const { config } = useLab.getState();
    const rows = [1, 2, 3, 4].map((iteration) => ({
      ...row(iteration, { 'progress/turns': 100 * iteration }),
      milliseconds: 2000,
    }));
    const left = (stopping: { readonly iterations: number; readonly turns: number }) =>
      secondsLeft({ rows, config: { ...config, stopping: { ...config.stopping, ...stopping } } });
    expect(left({ iterations: 10, turns: 0 })).toBe(12);
    expect(left({ iterations: 100_000, turns: 1000 })).toBe(12);
    expect(left({ iterations: 5, turns: 1000 })).toBe(2);
    expect(left({ iterations: 10, turns: 350 })).toBe(0);
    expect(secondsLeft({ rows: [], config })).toBeUndefined();
  });
});

describe('storyOf', () => {
  it('describes the phase before the first row, then success after imitation', () => {
    const lab = { ...useLab.getState(), rows: [], status: 'running' as const };
    expect(storyOf({ ...lab, phase: 'imitate' }).headline).toMatch(/imitation/);
    expect(storyOf({ ...lab, status: 'asked' }).detail).toMatch(/large run/);
    expect(storyOf({ ...lab, status: 'paused' }).detail).toMatch(/Press Start/);
    expect(storyOf(lab).headline).toBe('Training starts from random weights.');
    expect(storyOf({ ...lab, given: true }).headline).toBe('Training continues an agent.');
    expect(storyOf({ ...lab, status: 'failed' }).detail).toBe(
      'It stopped before its first iteration.',
    );
    const rows = [row(1, { 'rollout/success_rate': 0.2 })];
    expect(imitationLevel(rows)).toEqual([]);
    const copied = [row(1, { 'imitation/success_rate': 0.4, 'rollout/success_rate': 0.3 })];
    expect(imitationLevel(copied)).toEqual([
      { value: 0.4, name: 'after imitation 40%', above: true },
    ]);
    expect(storyOf({ ...lab, rows: copied }).detail).toMatch(/40% of the evaluation tasks/);
    expect(storyOf({ ...lab, rows: copied, status: 'failed' }).detail).toBe(
      'Its results up to iteration 1 are kept below.',
    );
  });
});
