import { describe, expect, it } from 'vitest';
import { createMixture, mixtureTask } from './mixture.ts';
import { createEnvironment, loadEnvironments } from './registry.ts';

await loadEnvironments();
const chain = createEnvironment('reasoning/chain-v1', { steps: 8 });
const ledger = createEnvironment('reasoning/ledger-v1');
const columns = createEnvironment('reasoning/columns-v1');
const part = (environment: typeof chain) => ({ environment, share: 1 });

describe('mixture criticism', () => {
  const { criticism, lexicon, evalTasks, reset } = createMixture([part(chain), part(ledger)]);

  it("matches the criticism of each task's own environment", () => {
    for (const environment of [chain, ledger]) {
      const own = environment.criticism;
      const task = environment.evalTasks.at(-1) ?? '';
      const name = mixtureTask(environment.id, task);
      const right = environment.expert(environment.reset(task).state).action;
      const begun = criticism?.flawed(name, 1, 'result', () => 0) ?? '';
      const wrong = criticism?.finish(name, begun) ?? '';
      const advice = { advice: 'value' } as const;
      const critique = criticism?.critique(name, wrong, advice) ?? '';
      expect(criticism?.judge(name, right)).toEqual(own?.judge(task, right));
      expect(criticism?.judge(name, wrong)).toMatchObject({ right: false, firstWrong: 1 });
      expect(critique).toBe(own?.critique(task, wrong, advice));
      expect(criticism?.read(critique)).toMatchObject({ right: false, step: 1 });
      expect(criticism?.refine(name, wrong, critique)).toBe(right);
      expect(criticism?.level(name)).toBe(own?.level(task));
      expect(criticism?.final(right)).toBe(own?.final(right));
    }
    expect(criticism?.final('s1')).toBeNull();
  });

  it('has as many levels as its part with the most levels, and no duplicate lexemes', () => {
    expect(criticism?.levels).toBe(7);
    const all = [...lexicon, ...(criticism?.lexicon ?? [])];
    expect(new Set(all).size).toBe(all.length);
    const known = new Set(all);
    const words = evalTasks.flatMap((task) => reset(task).observation.split(' '));
    expect(words.filter((word) => known.has(word)).length).toBeGreaterThan(words.length / 2);
  });

  it('is present only if all parts support criticism with the same result values', () => {
    expect(createMixture([part(chain), part(columns)]).criticism).toBeUndefined();
    const maze = createEnvironment('maze/double-t-v1');
    expect(createMixture([part(chain), part(maze)]).criticism).toBeUndefined();
  });
});
