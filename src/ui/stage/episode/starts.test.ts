import { describe, expect, it } from 'vitest';
import type { EpisodeSummary } from '../../../runs/kept-episodes.ts';
import type { Reenactment } from '../../shell/episode/reenact.ts';
import {
  iterationsToRead,
  lengthOf,
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
    expect(nextInLapse(kept, { place: 3, turn: 1 }, true)).toEqual({ place: 3, turn: 2 });
    expect(nextInLapse(kept, { place: 3, turn: 2 }, true)).toEqual({ place: 8, turn: 0 });
  });

  it('loops over a finished run from first to last', () => {
    const kept = upTo(31);
    const met = [];
    let at = { place: 30, turn: 2 };
    for (let i = 0; i < 7; i++) {
      at = nextInLapse(kept, { ...at, turn: 2 }, false);
      met.push(at.place);
    }
    expect(met).toEqual([0, 6, 12, 18, 24, 30, 0]);
    expect(nextInLapse(upTo(1), { place: 0, turn: 2 }, false)).toEqual({ place: 0, turn: 0 });
  });

  it('follows a run map by map, and loops over a finished one', () => {
    const kept = upTo(3);
    expect(nextMap(kept, 0, true)).toBe(2);
    expect([0, 1, 2].map((place) => nextMap(kept, place, false))).toEqual([1, 2, 0]);
    expect(nextMap([], 0, false)).toBe(0);
  });

  it('keeps the first and the newest iteration of a long run, and few in between', () => {
    const kept = upTo(500);
    expect(kept.length).toBeLessThanOrEqual(40);
    expect(kept.length).toBeGreaterThanOrEqual(20);
    expect([kept[0]?.iteration, kept.at(-1)?.iteration]).toEqual([1, 500]);
  });

  it('restarts if the run went back', () => {
    expect(withStarts(upTo(5), starts(3)).map(({ iteration }) => iteration)).toEqual([1, 2, 3]);
  });
});

it('reads the newest iteration, and at first also the first one', () => {
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
  // The first iteration has lost episodes.
  expect(numbers(list.slice(1), [])).toEqual([[2, 3, 4]]);
});

it('takes one episode per task', () => {
  const [late, early, again] = [
    episode(['c'], 'maze_2'),
    episode(['a'], 'maze_1'),
    episode(['d'], 'maze_2'),
  ];
  expect(onePerTask([late, early, again])).toEqual([early, late]);
});
