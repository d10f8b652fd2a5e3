import { zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { sweepLimits } from '../../files/sweep-limits.ts';
import type { MetricRow } from '../../runs/metrics.ts';
import { readSweep } from '../../sweep/file.ts';
import { runName } from '../../sweep/plan.ts';
import { formatRecord, makeRecord } from '../../sweep/record.ts';
import { randomTrial } from '../../sweep/samplers.ts';
import { trialConfig } from '../../sweep/settings.ts';
import { openSweep, readSweepRun } from './read-sweep.ts';
import { holdSweep, type SweepFile } from './recognize.ts';

const { sweep } = readSweep(
  `method: random
metric: {name: rollout/score, goal: maximize}
run_cap: 8
parameters:
  preset: {value: maze}
  seed: {values: [1, 2]}
  optimizer.learning_rate: {distribution: log_uniform_values, min: 0.0001, max: 0.01}
  algorithm.objective: {values: [ppo_clip, bapo]}`,
  'rates',
);

const file = (path: string, text: string): SweepFile => ({ path, file: new Blob([text]) });

/** Trial N with seed s has the score N + s / 10. */
function record(trial: number, seed: number): string {
  const { values } = { values: randomTrial(sweep.parameters, trial) };
  const rows: MetricRow[] = [1, 2, 3].map((iteration) => ({
    ...{ iteration, 'progress/turns': 10 * iteration, 'rollout/success_rate': 0.5 },
    'rollout/score': (trial + seed / 10) * (iteration / 3),
  }));
  const config = trialConfig(values, seed);
  return formatRecord(
    makeRecord(
      { ...{ run: runName(trial, seed), trial, seed, values }, config, device: 'test' },
      { rows, rungs: [] },
      { outcome: 'finished', reason: 'iterations', value: trial + seed / 10, evaluation: null },
    ),
  );
}

const kept = (path = '') =>
  file(
    `${path}sweep.json`,
    `${JSON.stringify({ palestra_sweep: 1, id: 'a', digest: 'b', sweep, ahead: 4 }, null, 1)}\n`,
  );
const trial = (number: number) =>
  file(
    `trials/000${number}.json`,
    JSON.stringify({ number, values: randomTrial(sweep.parameters, number) }),
  );
const runs = [1, 2, 3].flatMap((number) =>
  sweep.seeds.map((seed) => file(`runs/${runName(number, seed)}.json`, record(number, seed))),
);
const others = [
  file('README.md', '# rates'),
  file('trials.csv', 'trial\n1\n'),
  file('work/trial-0004-seed-1/kept-000000001-0001.json', '{"iteration":1}\n'),
];
const folder = [kept(), ...[1, 2, 3, 4].map(trial), ...runs, ...others];

describe('a sweep folder', () => {
  it('is recognized by the first bytes of its files', async () => {
    expect(await holdSweep(folder)).toBe(true);
    expect(await holdSweep(runs.map((one, at) => ({ ...one, path: `${at}.json` })))).toBe(true);
    expect(await holdSweep(others)).toBe(false);
    expect(await holdSweep([file('log.json', '{"step": 1, "number": 2}')])).toBe(false);
  });

  it('lists finished trials best first, then running ones', async () => {
    const { summary, runs: opened, notes, sweep: read } = await openSweep(folder);
    expect(notes).toEqual([]);
    expect(read).toEqual(sweep);
    expect(summary.trials.map(({ number, standing }) => [number, standing])).toEqual([
      [3, 'finished'],
      [2, 'finished'],
      [1, 'finished'],
      [4, 'running'],
    ]);
    expect(summary.trials[0]?.estimate?.mean).toBeCloseTo(3.15);
    expect(summary.trials[0]?.bySeed).toEqual([3.1, 3.2]);
    expect(opened.get('trial-0002-seed-1')).toEqual({
      ...{ run: 'trial-0002-seed-1', trial: 2, seed: 1, outcome: 'finished' },
      ...{ reason: 'iterations', value: 2.1, iterations: 3, turns: 30, drawable: true },
      path: 'runs/trial-0002-seed-1.json',
    });
  });

  it('can be a zip', async () => {
    const parts = await Promise.all(
      folder.map(async ({ path, file: blob }) => [
        `rates/${path}`,
        new Uint8Array(await blob.arrayBuffer()),
      ]),
    );
    const zip = [{ path: 'rates.zip', file: new Blob([zipSync(Object.fromEntries(parts))]) }];
    expect(await holdSweep(zip)).toBe(true);
    const { summary } = await openSweep(zip);
    expect(summary).toEqual((await openSweep(folder)).summary);
    expect((await readSweepRun(zip, 'rates/runs/trial-0001-seed-2.json')).config.seed).toBe(2);
  });

  it('can lack sweep.json: the sweep is inferred from its runs', async () => {
    const { sweep: derived, summary, notes } = await openSweep(runs);
    expect(notes).toEqual([expect.stringMatching(/^There is no sweep.json/)]);
    expect(derived.metric).toEqual(sweep.metric);
    expect(derived.seeds).toEqual([1, 2]);
    expect(derived.parameters.map(({ path, dimension }) => [path, dimension.kind])).toEqual([
      ['preset', 'choice'],
      ['optimizer.learning_rate', 'span'],
      ['algorithm.objective', 'choice'],
    ]);
    expect(summary.trials.map(({ number }) => number)).toEqual([3, 2, 1]);
  });

  it('contains runs with rows and a config', async () => {
    const { config, preset, rows, replaced } = await readSweepRun(
      folder,
      'runs/trial-0002-seed-1.json',
    );
    expect(config).toEqual(trialConfig(randomTrial(sweep.parameters, 2), 1));
    expect([preset, replaced, rows.length]).toEqual(['maze', [], 3]);
    expect(rows[2]).toEqual({
      ...{ iteration: 3, 'progress/turns': 30, 'rollout/success_rate': 0.5, 'rollout/score': 2.1 },
    });
    await expect(readSweepRun(folder, 'runs/none.json')).rejects.toThrow('no longer exists');
  });

  it('is read without damaged files and other sweeps’ files, with a note for each', async () => {
    const half = record(3, 1).slice(0, 2000);
    const stranger = record(3, 1).replace('"optimizer.learning_rate"', '"optimizer.rate"');
    const { summary, notes } = await openSweep([
      kept(),
      file('runs/a.json', record(1, 1)),
      file('runs/b.json', half),
      file('runs/c.json', record(1, 1)),
      file('runs/d.json', record(2, 1).replace('"trial-0002', '"trial-0009')),
      file('runs/e.json', record(2, 2).replace('"outcome": "finished"', '"outcome": "won"')),
      file('runs/f.json', stranger),
      file(
        'runs/g.json',
        record(2, 1).replace('"seed": 1,', '"seed": 7,').replace('seed-1', 'seed-7'),
      ),
    ]);
    expect(summary.trials.map(({ number }) => number)).toEqual([1, 2]);
    expect(notes).toEqual([
      expect.stringMatching(/^runs\/b.json is left out: it is not JSON: /),
      'runs/c.json is left out: it is a second record of trial-0001-seed-1.',
      'runs/d.json is left out: it has a run name that does not match its trial and seed.',
      expect.stringMatching(/^runs\/e.json is left out: it has an invalid outcome: /),
      'Records of another sweep are left out (2).',
    ]);
  });

  it('is rejected with one sentence if nothing can be opened', async () => {
    const refused = (files: readonly SweepFile[]) =>
      openSweep(files).then(
        () => 'opened',
        (error: Error) => `${error.name}: ${error.message}`,
      );
    expect(await refused(others)).toBe(
      'SweepFilesError: This sweep cannot be opened: no file could be read. The files contain neither a sweep.json nor a run record.',
    );
    expect(await refused([kept('a/'), kept('b/')])).toMatch(
      /a\/sweep.json and b\/sweep.json are two/,
    );
    expect(await refused([file('sweep.zip', 'PK\u0003\u0004 and nothing')])).toMatch(
      /it is not a zip file/,
    );
    expect(await refused(Array(sweepLimits.files + 1).fill(kept()))).toMatch(/the limit is 25000/);
    const odd = record(1, 1).replaceAll(/"value": [\d.]+/g, '"value": 0.123');
    expect(await refused([file('a.json', odd)])).toMatch(/do not name the sweep’s metric/);
  });
});
