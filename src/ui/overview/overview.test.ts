import { describe, expect, it } from 'vitest';
import { row } from '../../runs/testing/rows.ts';
import { imitationLevel } from '../charts/charts.tsx';
import { useLab } from '../lab/store.ts';
import { storyOf } from './story.ts';

describe('the story', () => {
  it('says what the lab does before the first row, and marks what imitation had come to', () => {
    const lab = { ...useLab.getState(), rows: [], status: 'running' as const };
    expect(storyOf({ ...lab, phase: 'imitate' }).headline).toMatch(/by heart/);
    expect(storyOf({ ...lab, status: 'asked' }).detail).toMatch(/large run/);
    expect(storyOf({ ...lab, status: 'paused' }).detail).toMatch(/Press Start/);
    expect(storyOf({ ...lab, status: 'failed' }).detail).toBe('Nothing had been computed yet.');
    const rows = [row(1, { 'rollout/success_rate': 0.2 })];
    expect(imitationLevel(rows)).toEqual([]);
    const copied = [row(1, { 'imitation/success_rate': 0.4, 'rollout/success_rate': 0.3 })];
    expect(imitationLevel(copied)).toEqual([
      { value: 0.4, name: 'after imitation 40%', above: true },
    ]);
    expect(storyOf({ ...lab, rows: copied }).detail).toMatch(/40% of the evaluation tasks/);
    expect(storyOf({ ...lab, rows: copied, status: 'failed' }).detail).toMatch(/1 iterations/);
  });
});
