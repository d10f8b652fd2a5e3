import { describe, expect, it } from 'vitest';
import { withChanges } from '../../../config/changes.ts';
import { parseConfig } from '../../../config/check.ts';
import { withMethod } from '../../../config/methods.ts';
import { presetConfig } from '../../../config/presets.ts';
import {
  asFromTheStart,
  changeList,
  isScheduled,
  knobsOf,
  placesOf,
  rangeOf,
  shownAt,
  valuesAt,
} from './knobs.ts';

const maze = presetConfig('maze');
const titles = (config = maze) => knobsOf(config).map(({ title }) => title);
const knob = (title: string, config = maze) => {
  const found = knobsOf(config).find((one) => one.title === title);
  if (found === undefined) throw new Error(`there is no knob ${title}`);
  return found;
};

describe('the knob panel', () => {
  it('includes only settings that have an effect under the method', () => {
    const all = ['Learning rate', 'Entropy bonus', 'Horizon', 'KL penalty', 'Temperature'];
    expect(titles(withMethod(maze, 'grpo', 'adapted'))).toEqual([
      ...all.slice(0, 1),
      'Clip bounds',
      ...all.slice(1),
    ]);
    expect(titles(withMethod(maze, 'bapo', 'adapted'))).toContain('Positive-advantage share');
    expect(titles(parseConfig({ recipe: 'self_improvement' }))).not.toContain('KL penalty');
  });

  it('shows the current settings and returns them unchanged', () => {
    for (const method of ['grpo', 'bapo', 'ppo']) {
      const config = withMethod(maze, method, 'adapted');
      for (const one of knobsOf(config)) {
        const values = Object.entries(valuesAt(one, placesOf(one, config)));
        const changed = withChanges(config, 5, Object.fromEntries(values));
        const paths = changed.changes === '' ? [] : changed.changes.split(', ');
        // Setting the horizon ends its schedule.
        expect(paths.filter((text) => !text.includes('horizon.'))).toEqual([]);
      }
    }
  });

  it('ends a horizon schedule when a fixed value is set', () => {
    const config = parseConfig({ horizon: { schedule: 'scaling_inter' } });
    expect(valuesAt(knob('Horizon', config), [12])).toEqual({
      'horizon.schedule': 'fixed',
      'horizon.turns': 12,
    });
  });

  it('shows the current limit of a horizon schedule', () => {
    const config = parseConfig({
      horizon: { schedule: 'scaling_inter', rounds: [10, 20], interval: 25, turns: 30 },
    });
    const horizon = knob('Horizon', config);
    expect(placesOf(horizon, config, 1)).toEqual([10]);
    expect(placesOf(horizon, config, 26)).toEqual([20]);
    expect(isScheduled(horizon, config)).toBe(true);
    expect(isScheduled(horizon, parseConfig({ horizon: { turns: 30 } }))).toBe(false);
    expect(isScheduled(knob('Learning rate', config), config)).toBe(false);
  });

  it('rounds a learning rate to two significant digits', () => {
    const rate = knob('Learning rate');
    expect(shownAt(rate, [-3.5])).toBe('0.00032');
    expect(valuesAt(rate, [-3.5])).toEqual({ 'optimizer.learning_rate': 0.00032 });
  });

  it('limits each thumb to the bounds of its setting', () => {
    const clip = knob('Clip bounds', withMethod(maze, 'grpo', 'adapted'));
    expect([rangeOf(clip, 0), rangeOf(clip, 1)]).toEqual([
      { min: 0, max: 1 },
      { min: 1, max: 3 },
    ]);
    expect(rangeOf(knob('Learning rate'), 0)).toEqual({ min: -6, max: -1 });
  });

  it('says why no run can start with the changes', () => {
    expect(asFromTheStart(maze).fault).toBeNull();
    const { fault, differences } = asFromTheStart({
      ...maze,
      changes: '5:algorithm.clip_low=1.5',
    });
    expect(differences).toBe(1);
    expect(fault).toContain('algorithm.clip_low: must be a number from 0 to 1');
  });

  it('lists changes, newest first, and counts the settings that differ from the start of the run', () => {
    const config = parseConfig({
      changes: '3:horizon.turns=9, 3:agent.temperature=2, 7:horizon.turns=8',
    });
    expect(changeList(config).map(({ iteration }) => iteration)).toEqual([7, 3]);
    const again = asFromTheStart(config);
    expect(again.differences).toBe(2);
    expect(again.config).toEqual(parseConfig({ horizon: { turns: 8 }, agent: { temperature: 2 } }));
  });
});
