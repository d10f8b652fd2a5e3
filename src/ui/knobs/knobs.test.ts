import { describe, expect, it } from 'vitest';
import { withChanges } from '../../config/changes.ts';
import { parseConfig } from '../../config/check.ts';
import { withMethod } from '../../config/methods.ts';
import { presetConfig } from '../../config/presets.ts';
import { asFromTheStart, changeList, knobsOf, placesOf, shownAt, valuesAt } from './knobs.ts';

const maze = presetConfig('maze');
const titles = (config = maze) => knobsOf(config).map(({ title }) => title);
const knob = (title: string, config = maze) => {
  const found = knobsOf(config).find((one) => one.title === title);
  if (found === undefined) throw new Error(`there is no knob ${title}`);
  return found;
};

describe('knobs', () => {
  it('are those that move something under the method', () => {
    const all = ['Learning rate', 'Entropy bonus', 'Horizon', 'KL penalty', 'Temperature'];
    expect(titles(withMethod(maze, 'grpo', 'adapted'))).toEqual([
      ...all.slice(0, 1),
      'Clip bounds',
      ...all.slice(1),
    ]);
    expect(titles(withMethod(maze, 'bapo', 'adapted'))).toContain('Share of positive tokens');
    expect(titles(parseConfig({ recipe: 'self_improvement' }))).not.toContain('KL penalty');
  });

  it('stand where the settings are, and give them back', () => {
    for (const method of ['grpo', 'bapo', 'ppo']) {
      const config = withMethod(maze, method, 'adapted');
      for (const one of knobsOf(config)) {
        const values = Object.entries(valuesAt(one, placesOf(one, config)));
        const changed = withChanges(config, 5, Object.fromEntries(values));
        const paths = changed.changes === '' ? [] : changed.changes.split(', ');
        // A schedule of horizons ends where the knob is touched.
        expect(paths.filter((text) => !text.includes('horizon.'))).toEqual([]);
      }
    }
  });

  it('take a schedule of horizons over', () => {
    const config = parseConfig({ horizon: { schedule: 'scaling_inter' } });
    expect(valuesAt(knob('Horizon', config), [12])).toEqual({
      'horizon.schedule': 'fixed',
      'horizon.turns': 12,
    });
  });

  it('show two digits of a learning rate', () => {
    const rate = knob('Learning rate');
    expect(shownAt(rate, [-3.5])).toBe('0.00032');
    expect(valuesAt(rate, [-3.5])).toEqual({ 'optimizer.learning_rate': 0.00032 });
  });

  it('tell what was changed, the newest first, and what another run would begin with', () => {
    const config = parseConfig({
      changes: '3:horizon.turns=9, 3:agent.temperature=2, 7:horizon.turns=8',
    });
    expect(changeList(config).map(({ iteration }) => iteration)).toEqual([7, 3]);
    const again = asFromTheStart(config);
    expect(again.differences).toBe(2);
    expect(again.config).toEqual(parseConfig({ horizon: { turns: 8 }, agent: { temperature: 2 } }));
  });
});
