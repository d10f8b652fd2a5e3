import { describe, expect, it } from 'vitest';
import { presetConfig } from '../../../config/presets.ts';
import type { LabState } from '../../shell/lab/store.ts';
import { nothingMoves } from './pace.ts';
import { waitingFor } from './waiting.ts';

const film = (observations: readonly string[], finalObservation: string) => ({
  turns: observations.map((observation) => ({
    observation,
    thought: '',
    action: 'move up',
    understood: true,
    reward: 0,
    tokens: [],
  })),
  finalObservation,
});

describe('nothingMoves', () => {
  it('is true from the turn on after which observations are equal', () => {
    const stuck = film(['a', 'b', 'b', 'b'], 'b');
    expect([0, 1, 2, 3].map((turn) => nothingMoves(stuck, turn))).toEqual([
      false,
      true,
      true,
      true,
    ]);
  });

  it('is false if the end differs or the agent comes back', () => {
    expect(nothingMoves(film(['a', 'a'], 'Success'), 0)).toBe(false);
    expect(nothingMoves(film(['a', 'b', 'a'], 'a'), 0)).toBe(false);
  });
});

describe('waitingFor', () => {
  it('says what happens instead of playing', () => {
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
