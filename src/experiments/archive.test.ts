import fc from 'fast-check';
import { gunzipSync, gzipSync, strFromU8, strToU8 } from 'fflate';
import { describe, expect, it } from 'vitest';
import { presetConfig } from '../config/presets.ts';
import { setConfigValues } from '../config/text.ts';
import { packRuns, unpackRuns } from './archive.ts';
import type { ExperimentRun } from './run.ts';

function run(arm: string, seed: number, preset = 'maze'): ExperimentRun {
  const { config } = { config: presetConfig(preset) };
  return {
    arm,
    seed,
    config: setConfigValues(config, [['seed', String(seed)]]),
    ...{ adapter: 'processor', turnsToTarget: null, turns: 100, iterations: 2 },
    ...{ greedySuccess: 0.5, sampledSuccess: 0.25, areaUnderCurve: 0.125, entropy: 1.5 },
    ...{ seconds: 3, evaluations: [[50, 0.5]] },
    rows: {
      window: 1,
      columns: ['iteration', 'policy/entropy'],
      values: [
        [1, null],
        [2, 0.5],
      ],
    },
  };
}

describe('an archive of runs', () => {
  it('returns the runs that were packed', () => {
    const runs = [run('a', 1), run('a', 2), run('b, r_Δ', 1, 'wordle'), run('c', 1, 'generalist')];
    expect(unpackRuns('x.jsonl.gz', packRuns(runs))).toEqual(runs);
    expect(unpackRuns('x.jsonl.gz', packRuns([]))).toEqual([]);
    // The first run has options that the second one does not.
    const apart = [run('a', 1, 'textcraft'), run('a', 1, 'wordle')];
    expect(unpackRuns('x.jsonl.gz', packRuns(apart))).toEqual(apart);
  });

  it('produces identical bytes for equal runs', () => {
    const runs = () => [run('a', 1), run('b', 2, 'wordle')];
    expect(packRuns(runs())).toEqual(packRuns(runs()));
  });

  it('stores a shared config once', () => {
    const text = strFromU8(gunzipSync(packRuns([run('a', 1), run('a', 2)])));
    const [, first = '', second = ''] = text.split('\n');
    expect(JSON.parse(first).config).toEqual({});
    expect(JSON.parse(second).config).toEqual({ seed: 2 });
  });

  it('names the line of an unreadable run', () => {
    const text = strFromU8(gunzipSync(packRuns([run('a', 1), run('b', 1)])));
    const broken = gzipSync(strToU8(text.replace('"arm":"b"', '"arm":7')));
    expect(() => unpackRuns('x.jsonl.gz', broken)).toThrow('x.jsonl.gz, line 3 is not a run');
    expect(() => unpackRuns('x.jsonl.gz', gzipSync(strToU8('{}')))).toThrow('first line');
  });

  it('rejects bytes that are not an archive', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        expect(() => unpackRuns('x.jsonl.gz', bytes)).toThrow(/x\.jsonl\.gz/);
      }),
      { numRuns: 50 },
    );
  });
});
