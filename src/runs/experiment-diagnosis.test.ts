import { describe, expect, it } from 'vitest';
import {
  type Answer,
  diagnosisSection,
  diagnosisSummary,
  isHalved,
} from './experiment-diagnosis.ts';
import { findExperiment } from './experiments.ts';
import type { Diagnosed, DiagnosisQuestion } from './kept-diagnosis.ts';
import type { KeptRun } from './kept-run.ts';
import type { ModeName } from './mode-names.ts';

/** Said after an iteration, and found there in the end. */
const found = (mode: ModeName, onset: number, ...before: Diagnosed['said']): Diagnosed => ({
  found: { mode, onset, known: onset + 1 },
  said: [...before, { mode, after: onset + 1 }],
});
const nothing: Diagnosed = { found: null, said: [] };

const answer = (question: DiagnosisQuestion, diagnosed: Diagnosed): Answer => ({
  ...{ arm: 'some', seed: 41, mark: '', halved: false, question, diagnosed },
});
const noise = { cause: 'sampler_mismatch', from: 20 } as const;

describe('how well diagnosis does', () => {
  it('is right where the cause comes first in the end, alone where nothing else ever did', () => {
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

  it('holds no onset against a cause that was there from the start', () => {
    const gamma = { cause: 'bootstrapping_at_horizon' } as const;
    expect(diagnosisSummary([answer(gamma, found('bootstrapping_at_horizon', 26))]).errors).toEqual(
      [],
    );
  });
});

describe('success that is lost', () => {
  const rows = (...success: number[]) => ({
    rows: {
      window: 1,
      columns: ['rollout/success_rate' as const],
      values: success.map((value) => [value]),
    },
  });

  it('was below half of what it had been, for two iterations', () => {
    expect(isHalved(rows(0.6, 0.6, 0.6, 0.2, 0.3, 0.6))).toBe(true);
    expect(isHalved(rows(0.6, 0.6, 0.6, 0.2, 0.5, 0.6))).toBe(false);
    expect(isHalved(rows(0.6, 0.6, 0.6, 0.4, 0.4, 0.4))).toBe(false);
  });

  it('had to be there before', () => {
    expect(isHalved(rows(0.2, 0.2, 0.2, 0, 0))).toBe(false);
    expect(isHalved({})).toBe(false);
  });
});

describe('the page of the experiment', () => {
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

  it('counts a sound run as soon as anything was said of it', () => {
    expect(page).toContain('1 of 3 do, 6.7 of 20. In 0 of these success really was lost');
    expect(page).toContain('| maze | 2 | 1 | 0 | 0 | setback (1) |');
    expect(page).toContain('| wordle | 1 | 0 | 0 | 0 | – |');
  });

  it('tells causes and failures with what they were confused with, then every run', () => {
    const noisy = '| 1 of 2 | 1 of 2 | 1 of 1 | 1 | 1 | nothing (1) |';
    expect(page).toContain(`| sampler mismatch ${noisy}`);
    expect(page).toContain(`| noisy-log-probabilities ${noisy}`);
    expect(page).toContain('| gamma-1 | 1 of 1 | 1 of 1 | – | – | – | – |');
    expect(page).toContain('| all | 2 of 3 | 2 of 3 | 1 of 1 | 1 | 1 | nothing (1) |');
    expect(page).toContain(
      '| maze | 42 | – | – | nothing | – | – | setback after 30, nothing after 36 |',
    );
  });
});
