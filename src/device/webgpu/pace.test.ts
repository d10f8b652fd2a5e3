import { expect, it, vi } from 'vitest';
import { Pace } from './pace.ts';

/** Submits work of a given duration and waits until the host is notified. */
async function submit(pace: Pace, work: number, milliseconds: number): Promise<void> {
  const done = new Promise<undefined>((resolve) => setTimeout(resolve, milliseconds));
  pace.submitted('update', work, () => done);
  await vi.advanceTimersByTimeAsync(milliseconds);
}

const clock = { toFake: ['setTimeout', 'performance'] as ('setTimeout' | 'performance')[] };

it('limits a submission to 200 ms of work at the measured rate', async () => {
  vi.useFakeTimers(clock);
  const pace = new Pace();
  expect(pace.budget('update')).toBe(0);
  await submit(pace, 500, 50);
  expect(pace.budget('update')).toBeCloseTo(200 * 10, 6);
  expect(pace.budget('generate')).toBe(0);
  vi.useRealTimers();
});

it('uses the highest of the most recent rates, because notifications may be late but never early', async () => {
  vi.useFakeTimers(clock);
  const pace = new Pace();
  await submit(pace, 500, 50);
  await submit(pace, 500, 500);
  expect(pace.budget('update')).toBeCloseTo(200 * 10, 6);
  // A lasting slowdown is recognized after a few measurements.
  for (let i = 0; i < 8; i++) await submit(pace, 500, 500);
  expect(pace.budget('update')).toBeCloseTo(200, 6);
  vi.useRealTimers();
});

it('measures queued submissions together', async () => {
  vi.useFakeTimers(clock);
  const pace = new Pace();
  const heard = new Promise<undefined>((resolve) => setTimeout(resolve, 100));
  // A busy host is notified of both at the same time, as if the second took no time.
  pace.submitted('update', 1000, () => heard);
  pace.submitted('update', 1000, () => heard);
  await vi.advanceTimersByTimeAsync(100);
  expect(pace.budget('update')).toBeCloseTo(200 * 20, 6);
  vi.useRealTimers();
});

it('measures nothing if queued submissions have different labels', async () => {
  vi.useFakeTimers(clock);
  const pace = new Pace();
  const heard = new Promise<undefined>((resolve) => setTimeout(resolve, 100));
  pace.submitted('update', 1000, () => heard);
  pace.submitted('generate', 5, () => heard);
  await vi.advanceTimersByTimeAsync(100);
  expect(pace.budget('update')).toBe(0);
  expect(pace.budget('generate')).toBe(0);
  vi.useRealTimers();
});
