import { describe, expect, it } from 'vitest';
import type { DrawnTasks } from '../../../runs/test-time.ts';
import { atSamples, curvesOf, read, taskSamples, wantedDraws } from './test-time-curves.ts';

const right = (tokens: number) => ({ answer: '4', right: true, tokens });
const wrong = (answer: string, tokens: number) => ({ answer, right: false, tokens });

/**
 * Plain answers and rounds. The critic fixes the answer to the first task, but not to the second.
 */
const drawn: DrawnTasks = {
  tasks: ['one', 'two'],
  draws: [
    {
      plan: { how: 'answers', samples: 3 },
      sampled: [
        { cluster: 'one', samples: [right(2), wrong('5', 2), right(2)] },
        { cluster: 'two', samples: [wrong('6', 2), wrong('7', 2), wrong('6', 2)] },
      ],
    },
    {
      plan: { how: 'rounds', samples: 2 },
      sampled: [
        { cluster: 'one', samples: [wrong('5', 2), right(4)] },
        { cluster: 'two', samples: [wrong('6', 2), wrong('6', 4)] },
      ],
    },
  ],
};

describe('test-time sampling on the page', () => {
  it('requests three plain answers per chain, because a chain has three texts', () => {
    expect(wantedDraws(4).map(({ how, samples }) => [how, samples])).toEqual([
      ['answers', 12],
      ['chains', 4],
      ['rounds', 4],
      ['retries', 4],
    ]);
  });

  it('uses the majority of independent samples and the last of dependent ones', () => {
    const [answers, rounds] = curvesOf(drawn);
    const given = (points: NonNullable<typeof answers>['points']) =>
      points.map((point) => [point.samples, point.tokens, read(point, 'chosen').mean]);
    // Of the first task's answers, one pair in three is correct and two pairs tie: 1/3 · 1 + 2/3 ·
    // 1/2.
    expect(given(answers?.points ?? [])).toEqual([
      [1, 2, expect.closeTo(1 / 3, 9)],
      [2, 4, expect.closeTo(1 / 3, 9)],
      [3, 6, 0.5],
    ]);
    expect(given(rounds?.points ?? [])).toEqual([
      [1, 2, 0],
      [2, 6, 0.5],
    ]);
    expect(rounds?.points.map((point) => read(point, 'any').mean)).toEqual([0, 0.5]);
  });

  it('compares a draw with plain answers that use the same number of tokens, if enough were drawn', () => {
    const [answers, rounds] = atSamples(drawn, curvesOf(drawn), 2, 'chosen');
    expect(answers?.gain).toBeNull();
    expect(rounds?.gain).toBeCloseTo(0, 9);
    const few = { ...drawn, draws: drawn.draws.map((draw, i) => (i === 0 ? cut(draw) : draw)) };
    expect(atSamples(few, curvesOf(few), 2, 'chosen')[1]?.gain).toBeNull();
  });

  it('shows the final answer for each task, including ties', () => {
    const [answers, rounds] = drawn.draws;
    if (answers === undefined || rounds === undefined) throw new Error('two draws');
    expect(taskSamples(drawn, answers, 2).map(({ given, right }) => [given, right])).toEqual([
      [['4', '5'], 0.5],
      [['6', '7'], 0],
    ]);
    expect(taskSamples(drawn, rounds, 2).map(({ given, right }) => [given, right])).toEqual([
      [['4'], 1],
      [['6'], 0],
    ]);
  });
});

/** A draw with only the first two samples of each task. */
function cut(draw: DrawnTasks['draws'][number]): DrawnTasks['draws'][number] {
  return {
    plan: { ...draw.plan, samples: 2 },
    sampled: draw.sampled.map((task) => ({ ...task, samples: task.samples.slice(0, 2) })),
  };
}
