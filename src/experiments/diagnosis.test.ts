import { describe, expect, it } from 'vitest';
import type { ModeName } from '../runs/mode-names.ts';
import { findExperiment } from './catalogue.ts';
import {
  type Answer,
  diagnosisSection,
  diagnosisSummary,
  isHalved,
  lagsOf,
  thresholdOf,
} from './diagnosis.ts';
import type { Diagnosed, DiagnosisQuestion } from './kept-diagnosis.ts';
import type { KeptRun } from './kept-run.ts';

/**
 * A diagnosis whose first finding appears in the iteration after the onset and remains at the end.
 */
const found = (mode: ModeName, onset: number, ...before: Diagnosed['said']): Diagnosed => ({
  found: { mode, onset, known: onset + 1 },
  said: [...before, { mode, after: onset + 1 }],
});
const nothing: Diagnosed = { found: null, said: [] };

const answer = (question: DiagnosisQuestion, diagnosed: Diagnosed): Answer => ({
  ...{ arm: 'some', seed: 41, mark: '', halved: false, threshold: null, question, diagnosed },
});
const noise = { cause: 'sampler_mismatch', from: 20 } as const;

describe('a diagnosis', () => {
  it('counts as correct if it ranks the true cause first at the end, even if it ranked another cause first before', () => {
    const late = { mode: 'learning_rate_too_high', after: 22 } as const;
    const summary = diagnosisSummary([
      answer(noise, found('sampler_mismatch', 20)),
      answer(noise, found('sampler_mismatch', 24, late)),
      answer(noise, found('setback', 23)),
      answer(noise, nothing),
    ]);
    expect(summary).toMatchObject({ runs: 4, right: 2, alone: 1, errors: [0, 4] });
    expect([...summary.confused]).toEqual([
      ['learning rate too high', 1],
      ['setback', 1],
      ['nothing', 1],
    ]);
  });

  it('has no onset error if the cause was present from the start', () => {
    const gamma = { cause: 'bootstrapping_at_horizon' } as const;
    expect(diagnosisSummary([answer(gamma, found('bootstrapping_at_horizon', 26))]).errors).toEqual(
      [],
    );
  });
});

const rows = (...success: number[]) => ({
  rows: {
    window: 1,
    columns: ['rollout/success_rate' as const],
    values: success.map((value) => [value]),
  },
});

describe('the lag of an alarm', () => {
  it('counts iterations from the fault to the first finding, to the true cause and to the threshold alarm', () => {
    const early = { mode: 'setback', after: 12 } as const;
    const late = { mode: 'learning_rate_too_high', after: 22 } as const;
    const { finding, cause, threshold } = lagsOf([
      { ...answer(noise, found('sampler_mismatch', 20)), threshold: 26 },
      answer(noise, found('sampler_mismatch', 24, early, late)),
      answer(noise, nothing),
      answer({ cause: 'bootstrapping_at_horizon' }, found('bootstrapping_at_horizon', 26)),
    ]);
    expect(finding).toEqual({ lags: [1, 2], runs: 3 });
    expect(cause).toEqual({ lags: [1, 5], runs: 3 });
    expect(threshold).toEqual({ lags: [6], runs: 3 });
  });

  it('ignores a threshold alarm before the fault', () => {
    const lost = [...new Array(20).fill(0.8), ...new Array(10).fill(0)];
    expect(thresholdOf(rows(...lost))).toBe(23);
    expect(thresholdOf(rows(...lost), 27)).toBe(27);
    expect(thresholdOf(rows(...lost), 31)).toBeNull();
    expect(thresholdOf({})).toBeNull();
  });
});

describe('a loss of success', () => {
  it('is a mean success over two iterations below half of an earlier level', () => {
    expect(isHalved(rows(0.6, 0.6, 0.6, 0.2, 0.3, 0.6))).toBe(true);
    expect(isHalved(rows(0.6, 0.6, 0.6, 0.2, 0.5, 0.6))).toBe(false);
    expect(isHalved(rows(0.6, 0.6, 0.6, 0.4, 0.4, 0.4))).toBe(false);
  });

  it('requires enough earlier success', () => {
    expect(isHalved(rows(0.2, 0.2, 0.2, 0, 0))).toBe(false);
    expect(isHalved({})).toBe(false);
  });
});

describe('the page of the diagnosis experiment', () => {
  const run = (arm: string, seed: number, diagnosed: Diagnosed) =>
    ({ arm, seed, stale: null, diagnosed }) as unknown as KeptRun;
  const passing: Diagnosed = {
    found: null,
    said: [
      { mode: 'setback', after: 30 },
      { mode: null, after: 36 },
    ],
  };
  const page = diagnosisSection(findExperiment('diagnosis'), [
    run('maze', 41, nothing),
    run('maze', 42, passing),
    run('wordle', 41, nothing),
    run('noisy-log-probabilities', 41, found('sampler_mismatch', 21)),
    run('noisy-log-probabilities', 42, nothing),
    run('gamma-1', 41, found('bootstrapping_at_horizon', 26)),
  ]);

  it('counts healthy runs with a finding in any iteration', () => {
    expect(page).toContain('1 of 3 do (6.7 per 20 runs). In 0 of these, success did fall');
    expect(page).toContain('| maze | 2 | 1 | 0 | 0 | setback (1) |');
    expect(page).toContain('| wordle | 1 | 0 | 0 | 0 | – |');
  });

  it('lists the results by cause and by failure, then every run', () => {
    const noisy = '| 1 of 2 | 1 of 2 | 1 of 1 | 1 | 1 | nothing (1) |';
    expect(page).toContain(`| sampler mismatch ${noisy}`);
    expect(page).toContain(`| noisy-log-probabilities ${noisy}`);
    expect(page).toContain('| gamma-1 | 1 of 1 | 1 of 1 | – | – | – | – |');
    expect(page).toContain(
      '| sampler mismatch | 1 of 2 | 2 | 2 | 1 of 2 | 2 | 2 | 0 of 2 | – | – |',
    );
    expect(page).toContain('| all | 2 of 3 | 2 of 3 | 1 of 1 | 1 | 1 | nothing (1) |');
    expect(page).toContain(
      '| maze | 42 | – | – | nothing | – | – | setback after 30, nothing after 36 |',
    );
  });
});
