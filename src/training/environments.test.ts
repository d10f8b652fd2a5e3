import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Trajectory } from '../agents/trajectory.ts';
import { createMixture } from '../envs/mixture.ts';
import { createEnvironment } from '../envs/registry.ts';
import { byEnvironment, drawnTasks, evaluationTasks, taskPiles } from './environments.ts';
import { MixedDeck } from './play/deck.ts';
import { splitSeed } from './random.ts';

const doubleT = createEnvironment('maze/double-t-v1');
const generated = createEnvironment('maze/generated-v2');
const mixture = createMixture([
  { environment: doubleT, share: 1 },
  { environment: generated, share: 3 },
]);

describe('task selection in a mixture', () => {
  it('deals tasks by share, to within one task, for any pile size', () => {
    const shares = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(shares, fc.array(fc.integer({ min: 1, max: 40 })), (weights, counts) => {
        const deck = new MixedDeck(
          weights.map((share, pile) => ({ tasks: [`${pile}a`, `${pile}b`], share })),
          splitSeed(3).tasks,
        );
        const dealt = counts.flatMap((count) => deck.deal(count));
        const sum = weights.reduce((a, b) => a + b, 0);
        for (const [pile, share] of weights.entries()) {
          const own = dealt.filter((task) => task.startsWith(String(pile))).length;
          expect(Math.abs(own - (dealt.length * share) / sum)).toBeLessThanOrEqual(1 + 1e-9);
        }
      }),
    );
  });

  it('uses one pile per part, and a single pile without a mixture', () => {
    expect(taskPiles(doubleT, 'rollout')).toEqual([{ tasks: doubleT.trainTasks, share: 1 }]);
    expect(taskPiles(mixture, 'rollout').map(({ tasks, share }) => [tasks.length, share])).toEqual([
      [doubleT.trainTasks.length, 1],
      [generated.trainTasks.length, 3],
    ]);
  });

  it('picks tasks to imitate by share, repeating them if there are too few', () => {
    const drawn = drawnTasks(mixture, splitSeed(3).warmStart, 1, 400);
    const ofDoubleT = drawn.filter((task) => task.startsWith('maze/double-t-v1:'));
    expect(drawn).toHaveLength(400);
    expect(ofDoubleT).toHaveLength(100);
    // 25 tasks, four times each.
    expect(new Set(ofDoubleT).size).toBe(25);
    const more = createMixture([
      { environment: doubleT, share: 1, imitationWeight: 9 },
      { environment: generated, share: 3 },
    ]);
    const weighed = drawnTasks(more, splitSeed(3).warmStart, 1, 400);
    expect(weighed.filter((task) => task.startsWith('maze/double-t-v1:'))).toHaveLength(300);
    expect(taskPiles(more, 'rollout')).toEqual(taskPiles(mixture, 'rollout'));
    expect(drawnTasks(generated, splitSeed(3).warmStart, 0.5, 10_000)).toHaveLength(512);
  });

  it('picks tasks to imitate only from those the expert may demonstrate, but tasks to play from all', () => {
    const partly = { ...generated, shownTasks: generated.trainTasks.slice(0, 40) };
    expect(drawnTasks(partly, splitSeed(3).warmStart, 0.5, 10_000)).toHaveLength(20);
    const mixed = createMixture([
      { environment: doubleT, share: 1 },
      { environment: partly, share: 3 },
    ]);
    const drawn = drawnTasks(mixed, splitSeed(3).warmStart, 1, 400);
    const shown = drawn.filter((task) => task.startsWith('maze/generated-v2:'));
    expect([shown.length, new Set(shown).size]).toEqual([49, 40]);
    expect(taskPiles(partly, 'rollout')).toEqual([{ tasks: generated.trainTasks, share: 1 }]);
  });

  it('picks the same number of evaluation tasks per environment if not all are evaluated', () => {
    expect(evaluationTasks(mixture, 0)).toBe(mixture.evalTasks);
    expect(evaluationTasks(mixture, 4)).toEqual([
      'maze/double-t-v1:maze_0',
      'maze/double-t-v1:maze_1',
      'maze/generated-v2:maze_100000',
      'maze/generated-v2:maze_100001',
    ]);
    expect(evaluationTasks(doubleT, 2)).toEqual(['maze_0', 'maze_1']);
  });
});

describe('the report by environment', () => {
  const played = (task: string, success: boolean): Trajectory => ({
    ...{ iteration: 1, episode: 0, task, group: 0, horizon: 9, taskKept: false, turns: [] },
    ...{ finalObservation: '', score: success ? 1 : 0.5, success },
    ...{ terminated: success, truncated: !success },
  });

  it("averages over each environment's episodes and is absent without a mixture", () => {
    const episodes = [
      played('maze/generated-v2:maze_1', true),
      played('maze/double-t-v1:maze_1', false),
      played('maze/generated-v2:maze_2', false),
    ];
    expect(byEnvironment(mixture, episodes).environments).toEqual([
      { id: 'maze/double-t-v1', episodes: 1, successRate: 0, score: 0.5, turns: 0 },
      { id: 'maze/generated-v2', episodes: 2, successRate: 0.5, score: 0.75, turns: 0 },
    ]);
    expect(byEnvironment(doubleT, episodes)).toEqual({});
  });
});
