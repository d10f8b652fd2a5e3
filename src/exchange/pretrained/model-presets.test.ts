import { expect, it } from 'vitest';
import { iterationTime } from './model-presets.ts';

it.each([
  [1e10, 'less than 0.1 minutes'],
  [1.2e14, 'up to 1 minute'],
  [1.2e17, 'up to 1,000 minutes'],
])('states the time of %d operations', (operations, time) => {
  expect(iterationTime({ operations })).toBe(
    `${time} per iteration on a laptop GPU with 2 TFLOP/s`,
  );
});
