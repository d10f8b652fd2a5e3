import { beforeEach, describe, expect, it, vi } from 'vitest';
import { presetConfig } from '../../config/presets.ts';
import { nothingYet } from '../charts/beside/run.ts';
import { useTwins } from '../learn/twins/state.ts';
import { beginRun } from '../shell/lab/store.ts';
import { linkToRun } from './link-to-run.ts';

const maze = presetConfig('maze');

beforeEach(() => {
  vi.stubGlobal('location', new URL('http://localhost/lab/'));
  useTwins.setState({ playing: null });
});

describe('linkToRun', () => {
  it('includes the settings of the current run', () => {
    beginRun('run', { ...maze, seed: 7 }, 'maze');
    expect(linkToRun()).toBe('http://localhost/lab/?seed=7');
  });

  it('includes the comparison while two agents train', () => {
    beginRun('run', { ...maze, seed: 7 }, 'maze');
    const names = ['BAPO', 'GRPO'] as const;
    const base = { preset: 'maze', config: { ...maze, seed: 7 } };
    useTwins.setState({
      playing: { names, runId: 'run', beside: nothingYet, compare: 'bapo,grpo', base },
    });
    expect(linkToRun()).toBe('http://localhost/lab/?seed=7&compare=bapo,grpo');
  });
});
