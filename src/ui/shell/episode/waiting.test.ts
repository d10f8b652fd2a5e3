import { describe, expect, it } from 'vitest';
import { presetConfig } from '../../../config/presets.ts';
import type { LabState } from '../lab/store.ts';
import { waitingFor } from './waiting.ts';

describe('waitingFor', () => {
  it('says why there is no episode to show', () => {
    const config = presetConfig('maze');
    const first = (status: LabState['status'], phase: LabState['phase']) =>
      waitingFor('latest', { status, phase, rows: [], config });
    expect(first('running', 'rollout')).toBe('The first episodes are being played.');
    expect(first('running', 'imitate')).toMatch(/^The agent copies the expert/);
    expect(first('failed', null)).toMatch(/^The run stopped/);
    expect(first('paused', null)).toMatch(/paused/);
    const running = { status: 'running', phase: 'rollout', rows: [] } as const;
    expect(waitingFor('failure', { ...running, config })).toBe('No episode has failed yet.');
    const imitating = { ...running, status: 'starting', phase: null } as const;
    expect(waitingFor('latest', { ...imitating, config: presetConfig('alfworld') })).toMatch(
      /^The agent copies the expert/,
    );
  });
});
