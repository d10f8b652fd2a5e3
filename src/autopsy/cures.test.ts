import { describe, expect, it } from 'vitest';
import { configAt } from '../config/changes.ts';
import { presetConfig } from '../config/presets.ts';
import type { Config } from '../config/schema.ts';
import { setConfigValues } from '../config/text.ts';
import { diagnose } from '../diagnosis/diagnose.ts';
import type { Remedy } from '../diagnosis/finding.ts';
import { configOf, findProvocation } from '../diagnosis/testing/provocations.ts';
import { readRecorded, rowsOf } from '../diagnosis/testing/recorded.ts';
import { cured, curesOf } from './cures.ts';
import { planAutopsy } from './plan.ts';

const maze = presetConfig('maze');
const tried = (remedies: readonly Remedy[], config: Config = maze, after = 0) =>
  curesOf({ mode: 'setback', remedies, rivals: [] }, config, after).map(({ name }) => name);
const remedy = (setting: string, value?: number | string): Remedy => ({
  ...{ setting, text: '' },
  ...(value === undefined ? {} : { value }),
});

describe('curesOf', () => {
  it('includes the remedies that change how the run learns', () => {
    expect(tried([remedy('algorithm.gamma', 0.9)])).toEqual(['algorithm.gamma = 0.9']);
    // No value, the current value, not a cure, no effect, out of bounds.
    expect(
      tried([
        remedy('algorithm.gamma'),
        remedy('algorithm.gamma', maze.algorithm.gamma),
        remedy('stopping.success', 0.5),
        remedy('horizon.turns', 7),
        remedy('algorithm.gamma', 2),
      ]),
    ).toEqual([]);
    const fixed = {
      ...remedy('horizon.turns', 7),
      also: [{ setting: 'horizon.schedule', value: 'fixed' }],
    };
    expect(tried([fixed])).toEqual(['horizon.turns = 7, horizon.schedule = fixed']);
  });

  it('tries warm-up only in forks from the start, and an optimizer reset only in later forks', () => {
    const warmUp = [remedy('optimizer.warmup_updates', 20)];
    expect(tried(warmUp)).toEqual(['optimizer.warmup_updates = 20']);
    expect(tried(warmUp, maze, 5)).toEqual(['a fresh optimizer']);
  });

  it('overrides later changes to the same field and keeps changes to other fields', () => {
    const turned = setConfigValues(maze, [
      ['changes', '8:optimizer.learning_rate=0.02, 9:algorithm.entropy_coef=0.02'],
    ]);
    const [cure, ...others] = curesOf(
      {
        mode: 'learning_rate_too_high',
        remedies: [remedy('optimizer.learning_rate', 0.002)],
        rivals: [],
      },
      turned,
      0,
    );
    if (cure === undefined) throw new Error('there is no cure');
    expect(others).toEqual([]);
    const fork = configAt(cured(turned, cure), 20);
    expect(fork.optimizer.learning_rate).toBe(0.002);
    expect(fork.algorithm.entropy_coef).toBe(0.02);
    expect(configAt(turned, 20).optimizer.learning_rate).toBe(0.02);
  });

  it('can reset a changed setting to its initial value', () => {
    const rate = maze.optimizer.learning_rate;
    const turned = setConfigValues(maze, [['changes', '8:optimizer.learning_rate=0.02']]);
    const back = [remedy('optimizer.learning_rate', rate)];
    for (const after of [0, 5, 7, 10]) {
      expect(tried(back, turned, after)[0]).toBe(`optimizer.learning_rate = ${rate}`);
    }
    expect(tried(back, maze)).toEqual([]);
  });

  it('includes a cure only once if several modes propose it', () => {
    const twice = curesOf(
      {
        mode: 'setback',
        remedies: [remedy('algorithm.gamma', 0.9)],
        rivals: [
          { mode: 'nothing_moves', separatedBy: '', remedies: [remedy('algorithm.gamma', 0.9)] },
        ],
      },
      maze,
      0,
    );
    expect(twice).toEqual([
      {
        ...{ name: 'algorithm.gamma = 0.9', mode: 'setback', freshOptimizer: false },
        set: [['algorithm.gamma', '0.9']],
      },
    ]);
    expect(twice.map((cure) => cured(maze, cure))).toEqual([
      setConfigValues(maze, [['algorithm.gamma', '0.9']]),
    ]);
  });
});

describe('plan of a finding', () => {
  it('forks the run before the finding’s onset, and includes the cures of its rivals', () => {
    const config = configOf(findProvocation('gamma-1'), 1);
    const rows = rowsOf(readRecorded('gamma-1.1'));
    const [finding] = diagnose({ rows, evaluations: [], facts: config }).findings;
    if (finding === undefined) throw new Error('nothing was found');
    const plan = planAutopsy(finding, config, 55);
    expect(plan).toMatchObject({ mode: 'bootstrapping_at_horizon', after: 25, to: 65, seeds: [1] });
    expect(plan.cures.map(({ name, mode }) => [name, mode])).toEqual([
      ['algorithm.gamma = 0.95', 'bootstrapping_at_horizon'],
      ['horizon.schedule = fixed, horizon.turns = 20', 'bootstrapping_at_horizon'],
      ['horizon.turns = 100, horizon.schedule = fixed', 'horizon_too_short'],
      ['optimizer.learning_rate = 0.0005', 'setback'],
      ['a fresh optimizer', null],
    ]);
    expect(planAutopsy(finding, config, 95)).toMatchObject({ to: 95 });
    expect(planAutopsy(finding, config, 900)).toMatchObject({ to: 145 });
    expect(planAutopsy(finding, config, 55, { iterations: 7, seeds: 3 })).toMatchObject({
      ...{ to: 32, seeds: [1, 2, 3] },
    });
    expect(structuredClone(plan)).toEqual(plan);
  });
});
