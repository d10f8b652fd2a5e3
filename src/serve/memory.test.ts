import { beforeAll, expect, it } from 'vitest';
import { heapRows } from '../../bench/serve.ts';
import { thorough } from '../../scripts/tier.mjs';
import { loadEnvironments } from '../envs/registry.ts';

beforeAll(() => loadEnvironments());

/** One environment in ten is left open, and closed after being idle for 200 episodes. */
it(`leaks nothing over ${thorough ? '100,000' : '2,000'} episodes`, { timeout: 1_800_000 }, () => {
  const rows = [...heapRows(thorough ? 100_000 : 2000, 10, 200)];
  expect(rows).toHaveLength(10);
  // By then every environment has been played, and idle ones are being closed.
  const settled = rows.slice(3);
  const heap = settled.map(({ megabytes }) => megabytes);
  expect(Math.max(...heap) - (heap[0] ?? 0)).toBeLessThan(4);
  for (const { open } of settled) expect(open).toBeLessThanOrEqual(22);
});
