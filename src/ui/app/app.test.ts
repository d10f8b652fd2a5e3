import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../config/check.ts';
import { row } from '../../runs/testing/rows.ts';
import { receive } from '../shell/lab/entering.ts';
import { beginRun, useLab } from '../shell/lab/store.ts';
import { milestone } from './milestones.ts';
import { iconOf, tabTitle } from './tab.ts';

function train(iterations: number, horizon: (iteration: number) => number): string[] {
  const announced: string[] = [];
  for (let iteration = 1; iteration <= iterations; iteration++) {
    receive({
      type: 'row',
      runId: 'run',
      row: row(iteration, {
        'rollout/success_rate': iteration / 100,
        'rollout/horizon': horizon(iteration),
      }),
      episodes: [],
      evaluated: [],
    });
    announced.push(milestone(useLab.getState()));
  }
  return announced;
}

describe('run status', () => {
  it('announces each tenth of the run, a longer horizon, and the end', () => {
    beginRun('run', parseConfig({ stopping: { iterations: 50 } }), 'maze');
    expect(milestone(useLab.getState())).toBe('');
    const announced = train(50, (iteration) => (iteration < 23 ? 10 : 20));
    expect(announced.slice(0, 4)).toEqual(['', '', '', '']);
    expect(announced[4]).toMatch(/^Iteration 5 of 50\. \d+% of the episodes succeed\.$/);
    expect(announced[8]).toBe(announced[4]);
    expect(announced[22]).toBe('Iteration 23: new phase. Episodes may now take up to 20 turns.');
    expect(announced[23]).toBe(announced[22]);
    // The ten tenths of the run and the new phase; nothing else is announced.
    expect(new Set(announced.filter((text) => text !== '')).size).toBe(11);
    receive({ type: 'status', runId: 'run', status: 'finished' });
    expect(milestone(useLab.getState())).toContain('It trained for 50 iterations');
  });

  it('does not present the verdicts of Critique-RL as success', () => {
    const config = {
      ...parseConfig({ stopping: { iterations: 10 } }),
      recipe: 'critique',
    } as const;
    beginRun('run', config, 'maze');
    const [announced] = train(1, () => 10);
    expect(announced).toBe(
      'Iteration 1 of 10. In training, the critic judges 1% of the answers correctly.',
    );
    expect(tabTitle(useLab.getState(), 'Training')).toBe('Training · Palestra');
  });

  it('updates the tab title and icon', () => {
    beginRun('run', parseConfig({}), 'maze');
    expect(tabTitle(useLab.getState(), 'Starting')).toBe('Starting · Palestra');
    train(1, () => 10);
    expect(tabTitle(useLab.getState(), 'Training')).toBe('1% · Training · Palestra');
    const icons = (['running', 'paused', 'finished', 'failed'] as const).map((status) =>
      iconOf({ status, pausing: false, cannotTrain: false }),
    );
    expect(new Set(icons).size).toBe(4);
    for (const icon of icons) {
      expect(icon).toMatch(/^data:image\/svg\+xml,/);
      expect(decodeURIComponent(icon)).toMatch(/<svg .*<\/svg>$/);
    }
  });
});
