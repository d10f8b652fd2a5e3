import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createEnvironment, environmentFamilies } from '../envs/registry.ts';
import type { WorkerMessage } from '../lab/protocol.ts';
import { ConfigError, describeConfig, parseConfig } from '../runs/config.ts';
import type { MetricRow } from '../runs/metrics.ts';
import { presetConfig, presets, UnknownPresetError } from '../runs/presets.ts';
import { readAddress, writeAddress } from './address.ts';
import { iterationTicks, phasesOf } from './charts/metric-chart.tsx';
import { decimate } from './decimate.ts';
import { act, beginTask, expertEpisode, isOver, reenact } from './episode/reenact.ts';
import { duration, percent, significant, thousands } from './format.ts';
import { secondsLeft } from './overview.tsx';
import { horizonOf } from './settings-horizon.tsx';
import { beginRun, type IterationRow, receive, useLab } from './store.ts';
import { draft, errorOf, panelFields, textOf } from './store-settings.ts';
import { tell } from './story.ts';
import { browserOf, platformOf, webGpuAdvice } from './webgpu-advice.ts';
import { recentMean, trend, whyEntropy, whyHorizon, whySuccess } from './why.ts';

const row = (iteration: number, metrics: MetricRow): IterationRow => ({
  iteration,
  metrics,
  milliseconds: 500,
});
const config = presetConfig('maze');

describe('decimate', () => {
  it('keeps a subsequence with the ends and every extreme', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ noNaN: true, min: -1e6, max: 1e6 }), { minLength: 1, maxLength: 400 }),
        fc.integer({ min: 1, max: 40 }),
        (values, buckets) => {
          const rows = values.map((value, index) => ({ index, value }));
          const kept = decimate(rows, [({ value }) => value], buckets);
          const indices = kept.map(({ index }) => index);
          expect(indices).toEqual([...new Set(indices)].sort((a, b) => a - b));
          expect(kept[0]).toBe(rows[0]);
          expect(kept.at(-1)).toBe(rows.at(-1));
          expect(Math.max(...kept.map(({ value }) => value))).toBe(Math.max(...values));
          expect(Math.min(...kept.map(({ value }) => value))).toBe(Math.min(...values));
          expect(kept.length).toBeLessThanOrEqual(Math.max(2 * buckets + 2, 1));
        },
      ),
    );
  });

  it('skips missing values and keeps short series whole', () => {
    const rows = [1, undefined, Number.NaN, 4].map((value) => ({ value }));
    expect(decimate(rows, [({ value }) => value], 10)).toBe(rows);
    const long = Array.from({ length: 100 }, (_, i) => ({ value: i === 50 ? 9 : undefined }));
    expect(decimate(long, [({ value }) => value], 4).map(({ value }) => value)).toEqual([
      undefined,
      9,
      undefined,
    ]);
  });
});

describe('numbers as people read them', () => {
  it('writes shares, counts and times', () => {
    expect([0, 0.004, 0.5, 0.999, 1, undefined].map(percent)).toEqual([
      '0%',
      '<1%',
      '50%',
      '>99%',
      '100%',
      '–',
    ]);
    expect([950, 1234, 12_400, 3_140_000].map(thousands)).toEqual([
      '950',
      '1,234',
      '12.4k',
      '3.14M',
    ]);
    expect([8, 75, 700, 3900, Number.NaN].map(duration)).toEqual([
      '8 s',
      '1 min 15 s',
      '12 min',
      '1 h 05 min',
      '–',
    ]);
    expect([0, 2.71234, 0.00123, 0.00000123].map(significant)).toEqual([
      '0',
      '2.71',
      '0.0012',
      '1.2e−6',
    ]);
  });

  it('marks round iterations', () => {
    expect(iterationTicks(100, 500)).toEqual([1, 20, 40, 60, 80, 100]);
    expect(iterationTicks(10, 300)[0]).toBe(1);
  });
});

describe('the store', () => {
  const runId = 'run-test';
  const iteration = (number: number): WorkerMessage => ({
    type: 'iteration',
    runId,
    iteration: number,
    metrics: { iteration: number, 'rollout/success_rate': 0.5 },
    episodes: [],
    milliseconds: 100,
  });

  it('keeps one row per iteration, puts evaluations into it and drops other runs', () => {
    beginRun(runId, config, 'maze');
    receive(iteration(1));
    receive({ ...iteration(9), runId: 'run-before' });
    receive({
      type: 'evaluation',
      runId,
      iteration: 1,
      metrics: { 'eval/success_rate': 0.75 },
      episodes: [],
    });
    receive(iteration(2));
    const { rows, evaluations } = useLab.getState();
    expect(rows.map((kept) => kept.iteration)).toEqual([1, 2]);
    expect(rows[0]?.metrics['eval/success_rate']).toBe(0.75);
    expect(evaluations).toHaveLength(1);
    expect(secondsLeft({ rows, config })).toBeCloseTo((config.stopping.iterations - 2) * 0.1);
  });

  it('keeps the record of a run that failed', () => {
    beginRun(runId, config, 'maze');
    receive(iteration(1));
    receive({ type: 'error', runId, name: 'DeviceLostError', message: 'gone', advice: 'again' });
    receive({ type: 'status', runId, status: 'failed' });
    const lab = useLab.getState();
    expect(lab.status).toBe('failed');
    expect(lab.error?.name).toBe('DeviceLostError');
    expect(lab.rows).toHaveLength(1);
    expect(tell(lab).detail).toContain('kept');
  });
});

describe('explanations', () => {
  const evidence = (rows: readonly IterationRow[]) => ({
    rows,
    evaluations: [],
    config,
    vocabulary: 57,
  });
  const series = (length: number, metrics: (i: number) => MetricRow) =>
    Array.from({ length }, (_, i) => row(i + 1, metrics(i)));

  it('tells a clear move from scatter', () => {
    const noise = series(20, (i) => ({ 'policy/entropy': i % 2 === 0 ? 1 : 1.4 }));
    expect(trend(noise, 'policy/entropy')?.clear).toBe(false);
    const fall = series(20, (i) => ({ 'policy/entropy': 3 - 0.1 * i }));
    const moved = trend(fall, 'policy/entropy');
    expect(moved?.clear).toBe(true);
    expect(moved?.change).toBeCloseTo(-0.5);
    expect(trend(fall.slice(0, 1), 'policy/entropy')).toBeUndefined();
    expect(recentMean(fall, 'policy/entropy')).toBeCloseTo(1.3);
    expect(recentMean(fall, 'policy/loss')).toBeUndefined();
  });

  it('explains entropy by chance, by advantage and by lost exploration', () => {
    expect(whyEntropy(evidence([]))).toMatch(/first iteration/);
    expect(whyEntropy(evidence(series(3, () => ({ 'policy/entropy': 4 }))))).toMatch(/ln 57/);
    expect(whyEntropy(evidence(series(12, (i) => ({ 'policy/entropy': 3 - 0.1 * i }))))).toMatch(
      /positive advantage/,
    );
    const dead = series(12, () => ({ 'policy/entropy': 0.01, 'rollout/success_rate': 0.1 }));
    expect(whyEntropy(evidence(dead))).toMatch(/stopped exploring/);
  });

  it('names a horizon that has just grown, and marks it on the charts', () => {
    const rows = series(12, (i) => ({
      'rollout/success_rate': 0.2,
      'rollout/turns': 9,
      'rollout/horizon': i < 10 ? 10 : 20,
    }));
    expect(whySuccess(evidence(rows))).toMatch(/from 10 to 20/);
    expect(whyHorizon(evidence(rows))).toMatch(/iteration 11/);
    expect(phasesOf(rows)).toEqual([{ iteration: 11, horizon: 20 }]);
  });

  it('says why nothing is learned when groups agree', () => {
    const rows = series(12, () => ({
      'rollout/success_rate': 0.02,
      'rollout/group_zero_std': 0.9,
      'rollout/horizon': 10,
    }));
    expect(whySuccess(evidence(rows))).toMatch(/90% of the groups/);
  });
});

describe('settings', () => {
  it('shows every field of the schema, with the options of the environment in place', () => {
    for (const { id, options } of environmentFamilies) {
      const paths = panelFields(id).map(({ path }) => path);
      for (const { path } of describeConfig()) {
        if (path !== 'env.options') expect(paths).toContain(path);
      }
      for (const name of Object.keys(options)) expect(paths).toContain(`env.options.${name}`);
    }
  });

  it('reads edits together and names every value at fault', () => {
    const good = draft(config, {
      'policy.width': '64',
      'policy.heads': '4',
      'policy.kv_heads': '4',
    });
    expect(good.errors).toEqual({});
    expect(good.config?.policy.heads).toBe(4);

    const bad = draft(config, {
      'rollout.group_size': '0',
      'horizon.rounds': '6, 4',
      seed: '7',
    });
    expect(bad.config).toBeNull();
    expect(Object.keys(bad.errors).sort()).toEqual(['horizon.rounds', 'rollout.group_size']);
    expect(errorOf(bad.errors, 'horizon.rounds')).toMatch(/never decrease/);
    expect(errorOf(bad.errors, 'seed')).toBeUndefined();
    expect(errorOf(draft(config, { 'horizon.rounds': '3, x' }).errors, 'horizon.rounds')).toMatch(
      /list/,
    );
  });

  it('drops the options of another environment', () => {
    const generated = presetConfig('maze-generated');
    const { config: next } = draft(generated, { 'env.id': 'maze/double-t-v1' });
    expect(next?.env.options).toEqual({});
    expect(textOf(generated, 'env.options.size')).toBe('7');
  });

  it('draws the schedule that trains', () => {
    const scaling = parseConfig({
      horizon: { schedule: 'scaling_inter', rounds: [4, 8], interval: 10 },
    });
    expect([1, 10, 11, 99].map(horizonOf(scaling))).toEqual([4, 4, 8, 8]);
  });
});

describe('the address', () => {
  it('gives back every preset and what was changed in it', () => {
    for (const { name } of presets) {
      const base = presetConfig(name);
      expect(readAddress(writeAddress({ preset: name, config: base }))).toEqual({
        preset: name,
        config: base,
      });
      const changed = parseConfig({
        ...base,
        seed: 9,
        horizon: { ...base.horizon, schedule: 'scaling_inter', rounds: [3, 7] },
      });
      const search = writeAddress({ preset: name, config: changed });
      expect(search).toContain('horizon.rounds=3,7');
      expect(readAddress(search)).toEqual({ preset: name, config: changed });
    }
    expect(writeAddress({ preset: 'maze', config })).toBe('');
  });

  it('names what it cannot read', () => {
    expect(() => readAddress('?preset=none')).toThrow(UnknownPresetError);
    expect(() => readAddress('?rollout.nothing=1')).toThrow(ConfigError);
    expect(() => readAddress('?rollout.group_size=many')).toThrow(/group_size/);
  });
});

describe('episodes played again', () => {
  it.each(environmentFamilies.map(({ id }) => id))('%s: the expert reaches the goal', (id) => {
    const environment = createEnvironment(id);
    const source = { id, options: {} };
    const task = environment.evalTasks[0] ?? '';
    const episode = expertEpisode(environment, source, task);
    expect(episode.record.success).toBe(true);
    expect(episode.states).toHaveLength(episode.record.turns.length + 1);
    expect(reenact(environment, episode.record).states).toEqual(episode.states);
  });

  it('lets a visitor act, also wrongly, until the turns are used up', () => {
    const id = 'maze/double-t-v1';
    const environment = createEnvironment(id);
    let episode = reenact(environment, beginTask(environment, { id, options: {} }, 'maze_0'));
    episode = act(environment, episode, 'sing');
    expect(episode.record.turns[0]?.understood).toBe(false);
    while (!isOver(environment, episode)) episode = act(environment, episode, 'move up');
    expect(episode.record.success).toBe(false);
    expect(episode.record.turns).toHaveLength(environment.turnLimit);
  });
});

describe('advice without WebGPU', () => {
  const chrome =
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';

  it('tells browsers and platforms apart', () => {
    expect([browserOf(chrome), platformOf(chrome)]).toEqual(['Chrome', 'Linux']);
    expect(browserOf(`${chrome} Edg/140.0`)).toBe('Edge');
    expect(browserOf(chrome.replace('Chrome', 'HeadlessChrome'))).toBe('Chrome');
    const firefox = 'Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0';
    expect([browserOf(firefox), platformOf(firefox)]).toEqual(['Firefox', 'Windows']);
    const safari =
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1 (KHTML, like Gecko) Version/17.4 Safari/605.1';
    expect([browserOf(safari), platformOf(safari)]).toEqual(['Safari', 'macOS']);
    expect(platformOf('Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X)')).toBe('iOS');
  });

  it('says first what blocks every browser, and names the flags on Linux', () => {
    const { steps } = webGpuAdvice(chrome, false, false);
    expect(steps[0]).toMatch(/https/);
    expect(steps.join(' ')).toContain('chrome://flags/#enable-unsafe-webgpu');
    expect(webGpuAdvice(chrome, true, true).steps.join(' ')).not.toMatch(/https|version 113/);
  });
});
