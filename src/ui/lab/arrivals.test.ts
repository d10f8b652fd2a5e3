import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { gather } from './arrivals.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

it('enters the first thing at once, and what comes while the page is busy together, in order', () => {
  const entered: (readonly number[])[] = [];
  /** What the page takes to show a list, in milliseconds. */
  let cost = 0;
  const take = gather<number>((things) => {
    entered.push(things);
    vi.advanceTimersByTime(cost);
  });
  take(1);
  expect(entered).toEqual([[1]]);
  for (let i = 2; i <= 9; i++) take(i);
  expect(entered).toHaveLength(1);
  vi.advanceTimersByTime(50);
  expect(entered).toEqual([[1], [2, 3, 4, 5, 6, 7, 8, 9]]);

  // Half of the page's time is left to the page.
  vi.advanceTimersByTime(1000);
  cost = 200;
  take(10);
  take(11);
  vi.advanceTimersByTime(150);
  expect(entered).toHaveLength(3);
  vi.advanceTimersByTime(60);
  expect(entered).toHaveLength(4);
  expect(entered.flat()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
});
