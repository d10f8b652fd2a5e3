import { expect, it } from 'vitest';
import { readZip } from '../../files/zip.ts';
import type { MetricRow } from '../../runs/metrics.ts';
import { type LogFormat, logFormats } from './formats.ts';
import { type Files, readAll } from './testing/read.ts';
import { type WrittenRun, writeLog } from './write.ts';

/** Non-finite numbers, and numbers that a shorter format would change. */
const rows: readonly MetricRow[] = [
  { iteration: 1, 'rollout/success_rate': 0.1, 'policy/entropy': 1 / 3, 'time/seconds': 0.5 },
  { iteration: 2, 'rollout/success_rate': 0.30000000000000004, 'policy/entropy': Number.NaN },
  {
    iteration: 4,
    'rollout/success_rate': 5e-324,
    'policy/grad_norm': Number.POSITIVE_INFINITY,
    'rollout/score': -1e300,
    'eval/success_rate': 1,
  },
];
const run = (name: string, began: number): WrittenRun => ({ name, rows, began });

function filesIn(runs: readonly WrittenRun[], format: LogFormat): Files {
  const { bytes, extension } = writeLog(runs, format);
  if (format !== 'events') return { [`log${extension}`]: bytes };
  return Object.fromEntries(readZip(bytes, () => 2 ** 20, 2 ** 24));
}

it.each(logFormats)('round-trips every number as %s', async (format) => {
  const [read, ...others] = await readAll(filesIn([run('Maze, seed 1', 1.7e9)], format));
  expect(others).toEqual([]);
  expect([read?.tool, read?.axis.unit]).toEqual(['palestra', 'iterations']);
  const expected = new Map<string, Map<number, number>>();
  for (const { iteration = 0, ...row } of rows) {
    for (const [key, value] of Object.entries(row)) {
      // JSON uses null for all non-finite numbers.
      const known = format === 'jsonl' && !Number.isFinite(value) ? Number.NaN : value;
      expected.set(key, (expected.get(key) ?? new Map()).set(iteration, known));
    }
  }
  const found = new Map(
    read?.series.map(({ key, x, y }) => [key, new Map([...x].map((at, i) => [at, y[i]]))]),
  );
  expect(found).toEqual(expected);
});

it('writes several runs separately', async () => {
  const runs = [run('a', 1.7e9), run('=b', 1.7e9 + 5)];
  expect((await readAll(filesIn(runs, 'events'))).map(({ name }) => name)).toEqual(['1-a', '2-b']);
  const [head, first, , , fourth] = new TextDecoder()
    .decode(writeLog(runs, 'csv').bytes)
    .split('\n');
  expect(head).toMatch(/^run,iteration,rollout\/success_rate,/);
  expect([first, fourth].map((line) => line?.split(',').slice(0, 2))).toEqual([
    ['a', '1'],
    // A spreadsheet must not interpret a name as a formula.
    ["'=b", '1'],
  ]);
  const lines = new TextDecoder().decode(writeLog(runs, 'jsonl').bytes).trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line).run)).toEqual(['a', 'a', 'a', '=b', '=b', '=b']);
});
