import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type KernelRow, sharesOverLimit } from '../../../bench/speed/kernels.ts';
import { speedPages } from '../../../bench/speed/pages.ts';

const root = join(import.meta.dirname, '../../..');

describe('docs/SPEED.md', () => {
  const files = speedPages(root);
  const page = files.get('docs/SPEED.md') ?? '';
  const reports = readdirSync(join(root, 'bench/results')).filter((name) => name.endsWith('.json'));

  it('has two tables and one chart for each machine', () => {
    const machines = page.split(/^## /m).slice(1);
    expect(machines.length).toBe(reports.length);
    for (const machine of machines) {
      expect(machine.match(/^\| --- /gm)?.length).toBe(2);
      expect(machine.match(/^!\[/gm)?.length).toBe(1);
    }
  });

  it('has at most 150 lines', () => {
    expect(page.split('\n').length).toBeLessThanOrEqual(150);
  });
});

describe('sharesOverLimit', () => {
  const row = (share: number): KernelRow => ({
    name: 'matmul.nn',
    part: 'step S',
    sizes: '4×4×4',
    count: 1,
    time: { median: 1, least: 1, greatest: 1 },
    flops: 1,
    bytes: 1,
    share,
  });

  it('lists only kernels above 105% of the limit', () => {
    expect(sharesOverLimit([row(0.5), row(1.05), row(1.06)])).toEqual([
      'matmul.nn (step S, 4×4×4): 106% of the limit',
    ]);
  });
});
