import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { batch } from './arrivals.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

it('handles the first message at once, then batches those that arrive while the page is busy', () => {
  const handled: (readonly number[])[] = [];
  /** Render time of a batch, in milliseconds. */
  let cost = 0;
  const add = batch<number>((items) => {
    handled.push(items);
    vi.advanceTimersByTime(cost);
  });
  add(1);
  expect(handled).toEqual([[1]]);
  for (let i = 2; i <= 9; i++) add(i);
  expect(handled).toHaveLength(1);
  vi.advanceTimersByTime(50);
  expect(handled).toEqual([[1], [2, 3, 4, 5, 6, 7, 8, 9]]);

  // Half of the time is left to the page.
  vi.advanceTimersByTime(1000);
  cost = 200;
  add(10);
  add(11);
  vi.advanceTimersByTime(150);
  expect(handled).toHaveLength(3);
  vi.advanceTimersByTime(60);
  expect(handled).toHaveLength(4);
  expect(handled.flat()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
});
