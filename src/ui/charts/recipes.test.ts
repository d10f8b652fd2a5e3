import { expect, it } from 'vitest';
import type { ConfigInput } from '../../config/schema.ts';
import type { Row } from '../../runs/row.ts';
import { corridorRun, iterate } from '../../training/testing/corridor-run.ts';
import { drawn } from './charts.tsx';

const runs: Readonly<Record<keyof typeof drawn, ConfigInput>> = {
  reinforcement: {},
  evolution: {
    horizon: { schedule: 'fixed', turns: 6 },
    imitation: { epochs: 1, task_share: 0.5 },
    evolution: { tasks: 4, samples: 4 },
  },
};
const recipes = Object.keys(runs) as (keyof typeof drawn)[];

it.each(recipes)('every chart of a run of %s has something to draw and to say', async (recipe) => {
  const { run } = await corridorRun({ ...runs[recipe], recipe });
  const { config } = run;
  const rows: readonly Row[] = (await iterate(run, 2)).map((result) => ({
    ...result,
    milliseconds: 1,
  }));
  const { success, details } = drawn[recipe];
  for (const { title, series, why } of [success, ...details]) {
    const evidence = { rows, evaluations: rows.slice(1), facts: config };
    expect(why(evidence), title).not.toBeNull();
    const curves = typeof series === 'function' ? series({ ...evidence, config }) : series;
    for (const { name, read } of curves) {
      expect(
        rows.some((row) => Number.isFinite(read(row))),
        `${name} of ${title}`,
      ).toBe(true);
    }
  }
});
