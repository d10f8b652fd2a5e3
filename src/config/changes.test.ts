import { describe, expect, it } from 'vitest';
import { changesOf, configAt, withChanges } from './changes.ts';
import { parseConfig } from './check.ts';
import { settleValues } from './settle.ts';

const config = parseConfig({
  changes: '3:agent.temperature=0.5, 3:horizon.turns=9, 7:agent.temperature=2',
});

describe('the list of changes', () => {
  it('applies each change from its iteration on', () => {
    expect(changesOf(config)).toEqual([
      { iteration: 3, path: 'agent.temperature', value: 0.5 },
      { iteration: 3, path: 'horizon.turns', value: 9 },
      { iteration: 7, path: 'agent.temperature', value: 2 },
    ]);
    const temperatures = [1, 2, 3, 6, 7, 100].map((i) => configAt(config, i).agent.temperature);
    expect(temperatures).toEqual([1, 1, 0.5, 0.5, 2, 2]);
    expect(configAt(config, 3)).toEqual(
      parseConfig({ agent: { temperature: 0.5 }, horizon: { turns: 9 } }),
    );
  });

  it('leaves a config without changes unchanged', () => {
    const plain = parseConfig({});
    expect(configAt(plain, 5)).toBe(plain);
  });

  it('replaces an earlier change to the same setting in the same iteration, and drops changes without effect', () => {
    const twice = withChanges(withChanges(config, 9, { 'horizon.turns': 5 }), 9, {
      'horizon.turns': 6,
    });
    expect(twice.changes).toBe(`${config.changes}, 9:horizon.turns=6`);
    expect(withChanges(twice, 9, { 'horizon.turns': 9 }).changes).toBe(config.changes);
  });

  it('keeps a change that is scheduled for a later iteration, in order', () => {
    const earlier = withChanges(config, 5, { 'agent.temperature': 0.7, 'horizon.turns': 8 });
    expect(parseConfig(earlier).changes).toBe(
      '3:agent.temperature=0.5, 3:horizon.turns=9, 5:agent.temperature=0.7, 5:horizon.turns=8, 7:agent.temperature=2',
    );
  });

  it.each([
    ['5', 'each must be ITERATION:FIELD=VALUE'],
    ['5:policy.width=64', 'each must be ITERATION:FIELD=VALUE'],
    ['5:__proto__.x=1', 'each must be ITERATION:FIELD=VALUE'],
    ['0:horizon.turns=5', 'must begin at iteration 1'],
    ['5:horizon.turns=5, 4:horizon.turns=6', 'must begin at iteration 1 or later and be ordered'],
    ['5:horizon.turns=many', 'in iteration 5, horizon.turns: must be'],
    ['5:agent.temperature=0', 'in iteration 5, agent.temperature: must be'],
    ['5:horizon.schedule=none', 'in iteration 5, horizon.schedule: must be'],
  ])('rejects invalid changes: %s', (changes, message) => {
    expect(() => parseConfig({ changes })).toThrow(`changes: ${message}`);
  });

  it('reports unusable changes in a link', () => {
    const { config: settled, notes } = settleValues({}, [['changes', '5:x=1']], 'in the address');
    expect(settled.changes).toBe('');
    expect(notes).toEqual([expect.stringContaining('changes was “5:x=1” in the address')]);
  });
});
