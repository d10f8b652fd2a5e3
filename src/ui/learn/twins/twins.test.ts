import { describe, expect, it } from 'vitest';
import { presetConfig } from '../../../config/presets.ts';
import { row } from '../../../runs/testing/rows.ts';
import { newestOfBoth } from './pair.ts';
import { partingInWords } from './parting.ts';
import { planTwins } from './plan.ts';

const maze = presetConfig('maze');

describe('planTwins', () => {
  it('compares two methods on the same tasks', () => {
    const [bapo, grpo] = planTwins('bapo,grpo', maze);
    expect([bapo.name, grpo.name]).toEqual(['BAPO', 'GRPO']);
    expect(bapo.config.algorithm.objective).toBe('bapo');
    expect(grpo.config.algorithm.objective).not.toBe('bapo');
    expect(bapo.config.seed).toBe(grpo.config.seed);
    expect(bapo.config.env).toEqual(grpo.config.env);
  });

  it('compares two values of a setting, and names the agents after setting and value', () => {
    const [cold, hot] = planTwins('agent.temperature:0.5,1.5', maze);
    expect([cold.name, hot.name]).toEqual(['Temperature 0.5', 'Temperature 1.5']);
    expect([cold.config.agent.temperature, hot.config.agent.temperature]).toEqual([0.5, 1.5]);
    expect({ ...hot.config, agent: cold.config.agent }).toEqual(cold.config);
  });

  it.each([
    ['bapo', 'compare takes two methods'],
    ['bapo,grpo,ppo', 'compare takes two methods'],
    ['bapo,bapo', 'names the same agent twice'],
    ['bapo,nothing', 'no method is called "nothing"'],
    ['agent.temperature:0,1', 'agent.temperature: must be a number'],
    ['agent.nothing:0,1', 'agent.nothing: unknown key'],
  ])('rejects %s with a reason', (compare, why) => {
    expect(() => planTwins(compare, maze)).toThrow(why);
  });
});

const rows = (share: (iteration: number) => number, length = 40) =>
  Array.from({ length }, (_, i) => row(i + 1, { 'rollout/success_rate': share(i + 1) }));

describe('partingInWords', () => {
  const names = ['One', 'Other'] as const;
  const even = rows(() => 0.5);

  it('finds no difference within chance', () => {
    const near = rows((i) => 0.5 + (i % 2 === 0 ? 0.04 : -0.04));
    expect(partingInWords(names, even, near, 64, false)).toBe(
      'No clear difference up to iteration 40: One solves 50%, Other 51%.',
    );
  });

  it('finds the iteration from which one run stays ahead', () => {
    const rises = rows((i) => (i <= 20 ? 0.5 : 0.9));
    expect(partingInWords(names, even, rises, 64, false)).toMatch(
      /^Other has been ahead since about iteration 2[1-4]: it solves 90%, One 50%\.$/,
    );
  });

  it('ignores a temporary lead', () => {
    const spell = rows((i) => (i > 10 && i < 20 ? 0.9 : 0.5));
    expect(partingInWords(names, even, spell, 64, false)).toMatch(/^No clear difference/);
  });

  it('waits until both runs have enough iterations', () => {
    expect(partingInWords(names, even, [], 64, false)).toBe('Too early to compare.');
    expect(partingInWords(names, even, [], 64, true)).toBe('Too early to compare.');
  });

  it('states the last success of runs that end early', () => {
    const short = rows((i) => i / 4, 3);
    expect(partingInWords(names, short, even, 64, false)).toBe('Too early to compare.');
    expect(partingInWords(names, short, even, 64, true)).toBe(
      'After 3 iterations: One solves 75%, Other 50%.',
    );
  });
});

describe('newestOfBoth', () => {
  const record = (taskId: string) => ({
    environment: { id: 'maze/double-t-v1', options: {} },
    ...{ taskId, turns: [], finalObservation: '', success: false, truncated: true, score: 0 },
  });
  const past = (iteration: number, taskId: string) => ({
    ...{ iteration, latest: record(taskId), success: null, failure: null, evaluation: null },
  });

  it('returns the newest iteration with the same task in both runs', () => {
    const own = [past(1, 'a'), past(2, 'b'), past(3, 'c')];
    const beside = [
      { iteration: 1, record: record('a') },
      { iteration: 2, record: record('b') },
    ];
    expect(newestOfBoth(own, beside)?.iteration).toBe(2);
    expect(newestOfBoth(own, [...beside, { iteration: 3, record: record('z') }])?.iteration).toBe(
      2,
    );
    expect(newestOfBoth([], beside)).toBeNull();
  });
});
