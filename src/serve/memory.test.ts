import { beforeAll, expect, it } from 'vitest';
import { heapRows } from '../../bench/serve.ts';
import { thorough } from '../../scripts/tier.mjs';
import { loadEnvironments } from '../envs/registry.ts';
import { heapGrowth } from '../testing/heap-growth.ts';
import { createService } from './service.ts';
import { settle } from './settle.ts';

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

/** The maze has few tasks, which are all cached after the warm-up. */
it('uses no more memory after more maze episodes', () => {
  let now = 0;
  const service = createService({
    served: settle({ manner: 'original', environments: [], options: [] }),
    limits: { most: 1000, idle: 100 },
    now: () => now,
    log: () => {},
  });
  const ask = (verb: string, asked: object) => {
    const body = Buffer.from(JSON.stringify(asked));
    const answer = service.answer({ method: 'POST', target: `/maze/${verb}`, body });
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
    return answer.body;
  };
  const growth = heapGrowth(1000, (episodes) => {
    for (let i = 0; i < episodes; i++) {
      now++;
      const { id } = ask('create', {}) as { readonly id: number };
      ask('reset', { game: i % 25, id });
      ask('step', { action: 'move up', id });
      if (i % 10 > 0) ask('close', { id });
    }
  });
  expect(service.open).toBe(10);
  // Bytes per episode; a kept environment takes about 320.
  expect(growth).toBeLessThan(100);
});
