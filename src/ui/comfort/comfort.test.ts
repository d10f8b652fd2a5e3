import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../config/check.ts';
import { receive } from '../lab/entering.ts';
import { beginRun, useLab } from '../lab/store.ts';
import { milestone } from './milestones.ts';
import { iconOf, tabTitle } from './tab.ts';

function train(iterations: number, horizon: (iteration: number) => number): string[] {
  const told: string[] = [];
  for (let iteration = 1; iteration <= iterations; iteration++) {
    receive({
      type: 'iteration',
      runId: 'told',
      iteration,
      metrics: {
        iteration,
        'rollout/success_rate': iteration / 100,
        'rollout/horizon': horizon(iteration),
      },
      details: { updates: [], staleness: [] },
      episodes: [],
      milliseconds: 100,
    });
    told.push(milestone(useLab.getState()));
  }
  return told;
}

describe('what is told of a run', () => {
  it('changes at every tenth of it, when the horizon grows, and at its end', () => {
    beginRun('told', parseConfig({ stopping: { iterations: 50 } }), 'maze');
    expect(milestone(useLab.getState())).toBe('');
    const told = train(50, (iteration) => (iteration < 23 ? 10 : 20));
    expect(told.slice(0, 4)).toEqual(['', '', '', '']);
    expect(told[4]).toMatch(/^Iteration 5 of 50\. \d+% of the episodes succeed\.$/);
    expect(told[8]).toBe(told[4]);
    expect(told[22]).toBe('Iteration 23: a new phase, episodes may now take 20 turns.');
    expect(told[23]).toBe(told[22]);
    // Ten parts and the phase; a listener hears no more than these.
    expect(new Set(told.filter((text) => text !== '')).size).toBe(11);
    receive({ type: 'status', runId: 'told', status: 'finished' });
    expect(milestone(useLab.getState())).toContain('Finished after 50 iterations');
  });

  it('stands on the tab', () => {
    beginRun('told', parseConfig({}), 'maze');
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
