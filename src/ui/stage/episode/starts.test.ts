import { describe, expect, it } from 'vitest';
import type { EpisodeSummary } from '../../../runs/kept-episodes.ts';
import type { Reenactment } from '../../../runs/reenact.ts';
import {
  indexAt,
  iterationsToRead,
  lengthOf,
  mapTime,
  milestonesOf,
  nextInLapse,
  nextMap,
  onePerTask,
  type Starts,
  stateAt,
  withStarts,
} from './starts.ts';

const episode = (states: readonly string[], taskId = 'maze_0'): Reenactment => ({
  record: {
    environment: { id: 'maze/double-t-v1', options: {} },
    taskId,
    turns: [],
    finalObservation: '',
    success: false,
    truncated: false,
    score: 0,
  },
  states,
});

const starts = (iteration: number): Starts => ({
  iteration,
  episodes: [episode(['a', 'b']), episode(['a', 'b', 'c'])],
  played: 2,
  solved: 0,
  map: new Map(),
});

const upTo = (last: number) =>
  Array.from({ length: last }, (_, i) => starts(i + 1)).reduce(withStarts, [] as readonly Starts[]);

describe('a time-lapse', () => {
  it('lasts as long as its longest episode, while the others stay at their end', () => {
    const shown = starts(1);
    expect(lengthOf(shown)).toBe(2);
    expect(shown.episodes.map((one) => stateAt(one, 2))).toEqual(['b', 'c']);
  });

  it('follows a run to its newest iteration', () => {
    const kept = upTo(9);
    const next = (turn: number) => nextInLapse(kept, { iteration: 4, turn }, true);
    expect(next(1)).toEqual({ iteration: 4, turn: 2 });
    expect(next(2)).toEqual({ iteration: 9, turn: 0 });
  });

  it('loops over a finished run from the first iteration to the last', () => {
    const kept = upTo(31);
    const met = [];
    let at = { iteration: 31, turn: 2 };
    for (let i = 0; i < 7; i++) {
      at = nextInLapse(kept, { ...at, turn: 2 }, false);
      met.push(at.iteration);
    }
    expect(met).toEqual([1, 7, 13, 19, 25, 31, 1]);
    const only = { iteration: 1, turn: 2 };
    expect(nextInLapse(upTo(1), only, false)).toEqual({ iteration: 1, turn: 0 });
  });

  it('plays the maps in order, waits at the newest during training, and loops over a finished run', () => {
    const kept = upTo(3);
    const next = (iteration: number, running: boolean) =>
      nextMap(kept, { iteration, turn: 0 }, running)?.iteration;
    expect([0, 1, 2, 3].map((iteration) => next(iteration, true))).toEqual([2, 2, 3, undefined]);
    expect([1, 2, 3].map((iteration) => next(iteration, false))).toEqual([2, 3, 1]);
    expect(nextMap([], { iteration: 0, turn: 0 }, false)).toBe(null);
  });

  it('keeps its position when iterations are dropped', () => {
    const at = { iteration: 7, turn: 0 };
    expect(upTo(40)[indexAt(upTo(40), at)]?.iteration).toBe(7);
    expect(upTo(41)[indexAt(upTo(41), at)]?.iteration).toBe(7);
    expect(upTo(90)[indexAt(upTo(90), at)]?.iteration).toBeLessThanOrEqual(7);
  });

  it('marks and keeps three milestones: first success, half solved, nearly all solved', () => {
    const of = (solved: number, iteration: number) => ({
      ...starts(iteration),
      ...{ episodes: [], played: 20, solved },
    });
    const run = (...solved: number[]) =>
      solved.map((one, i) => of(one, i + 1)).reduce(withStarts, [] as readonly Starts[]);
    const marks = (...solved: number[]) => Object.fromEntries(milestonesOf(run(...solved)));
    expect(marks(0, 2, 1, 10, 12, 19)).toEqual({
      ...{ 2: 'first success', 4: 'half solved', 6: 'nearly all' },
    });
    // A level that the first iteration already reaches is not a milestone.
    expect(marks(3, 2, 11)).toEqual({ 3: 'half solved' });
    expect(marks(0, 20)).toEqual({ 2: 'nearly all' });
    expect(marks(0, 0)).toEqual({});
    const long = Array.from({ length: 300 }, (_, i) => (i < 55 ? 0 : i < 121 ? 1 : 20));
    const kept = run(...long);
    expect(Object.fromEntries(milestonesOf(kept))).toEqual({
      ...{ 56: 'first success', 122: 'nearly all' },
    });
  });

  it('shows 40 maps in about 45 seconds and pauses at milestones', () => {
    const kept = upTo(40).map((one) => ({
      ...one,
      ...{ episodes: [], solved: one.iteration < 9 ? 0 : one.iteration < 20 ? 1 : 2 },
    }));
    const times = kept.map((one) => mapTime(kept, milestonesOf(kept), one, false));
    const seconds = times.reduce((sum, time) => sum + time) / 1000;
    expect(seconds).toBeGreaterThan(43);
    expect(seconds).toBeLessThan(50);
    expect(times[8]).toBeGreaterThan(2 * (times[7] ?? 0));
    expect(times[19]).toBe(times[8]);
  });

  it('keeps the first and the newest iteration of a long run, and at most 38 in between', () => {
    const kept = upTo(500);
    expect(kept.length).toBeLessThanOrEqual(40);
    expect(kept.length).toBeGreaterThanOrEqual(20);
    expect([kept[0]?.iteration, kept.at(-1)?.iteration]).toEqual([1, 500]);
  });

  it('drops later iterations if the run returns to an earlier one', () => {
    expect(withStarts(upTo(5), starts(3)).map(({ iteration }) => iteration)).toEqual([1, 2, 3]);
  });
});

it('reads the newest iteration, and initially also the first one', () => {
  const kept = (number: number, iteration: number, taskId: string, kind: 'train' | 'eval') => ({
    number,
    iteration,
    kind,
    environmentId: 'maze/double-t-v1',
    taskId,
    turns: 1,
    score: 0,
    success: false,
    truncated: true,
  });
  const list: EpisodeSummary[] = [
    kept(1, 1, 'maze_0', 'train'),
    kept(2, 2, 'maze_0', 'train'),
    kept(3, 2, 'maze_0', 'train'),
    kept(4, 2, 'maze_1', 'train'),
    kept(5, 2, 'maze_2', 'eval'),
  ];
  const numbers = (list: readonly EpisodeSummary[], kept: readonly Starts[]) =>
    iterationsToRead(list, kept).map((episodes) => episodes.map(({ number }) => number));
  expect(numbers(list, upTo(1))).toEqual([[2, 3, 4]]);
  expect(numbers(list, upTo(2))).toEqual([]);
  expect(numbers([], [])).toEqual([]);
  expect(numbers(list, [])).toEqual([[1], [2, 3, 4]]);
  // Some episodes of the first iteration have been dropped.
  expect(numbers(list.slice(1), [])).toEqual([[2, 3, 4]]);
});

it('keeps the first episode of each task', () => {
  const [late, early, again] = [
    episode(['c'], 'maze_2'),
    episode(['a'], 'maze_1'),
    episode(['d'], 'maze_2'),
  ];
  expect(onePerTask([late, early, again])).toEqual([early, late]);
});
