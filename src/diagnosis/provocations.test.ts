import { describe, expect, it } from 'vitest';
import { faults } from '../runs/failures.ts';
import { isMetricKey } from '../runs/metrics.ts';
import { asOf, diagnose } from './diagnose.ts';
import type { Evidence, TrialOutcome } from './evidence.ts';
import { modes } from './modes/all.ts';
import {
  commandOf,
  configOf,
  findProvocation,
  type Provocation,
  provocations,
  settingsOf,
} from './testing/provocations.ts';
import { readRecorded, recordedNames, rowsOf } from './testing/recorded.ts';

interface Run {
  readonly provocation: Provocation;
  readonly seed: number;
  readonly evidence: Evidence;
  /** The mode that was named first after each iteration; null where none was. */
  readonly named: readonly (string | null)[];
}

function readRun(name: string): Run {
  const dot = name.lastIndexOf('.');
  const provocation = findProvocation(name.slice(0, dot));
  const seed = Number(name.slice(dot + 1));
  const evidence = {
    rows: rowsOf(readRecorded(name)),
    evaluations: [],
    facts: configOf(provocation, seed),
  };
  const named = evidence.rows.map(
    ({ iteration }) => diagnose(asOf(evidence, iteration)).findings[0]?.mode ?? null,
  );
  return { provocation, seed, evidence, named };
}

const runs = recordedNames().map(readRun);
const of = (name: string, seed = 1) => {
  const found = runs.find((run) => run.provocation.name === name && run.seed === seed);
  if (found === undefined) throw new Error(`${name}, seed ${seed}, was not recorded.`);
  return found;
};

describe('a recorded run', () => {
  it('matches the current settings and commands', () => {
    for (const { provocation, seed } of runs) {
      const recorded = readRecorded(`${provocation.name}.${seed}`);
      expect(recorded.settings).toEqual(settingsOf(configOf(provocation, seed)));
      expect(recorded.command).toBe(commandOf(provocation, seed));
      expect(recorded.columns.every(isMetricKey)).toBe(true);
      expect(recorded.values.length).toBeGreaterThan(4);
      for (const row of recorded.values) expect(row).toHaveLength(recorded.columns.length);
    }
  });

  it('contains every metric that an applicable rule reads, except metrics added later', () => {
    const later: readonly string[] = [
      'rollout/score',
      'policy/sampler_gap',
      'rollout/group_same_start',
    ];
    for (const { evidence, provocation } of runs) {
      const lacking = diagnose(evidence).notComputable.flatMap(({ log }) => log);
      expect([provocation.name, lacking.filter((key) => !later.includes(key))]).toEqual([
        provocation.name,
        [],
      ]);
    }
  });
});

describe('a provoked failure, seed 1', () => {
  it.each(provocations.filter(({ mode }) => mode !== null).map((one) => [one.name, one] as const))(
    '%s: is attributed to its cause in time, and never to another cause',
    (name, { mode, by }) => {
      const { named } = of(name);
      const since = named.indexOf(mode);
      expect(since + 1).toBeGreaterThan(0);
      expect(since + 1).toBeLessThanOrEqual(by);
      // No cause is named before it, and no other cause after it.
      expect(new Set(named.slice(0, since))).toEqual(new Set(since === 0 ? [] : [null]));
      expect(new Set(named.slice(since))).toEqual(new Set([mode]));
    },
  );

  it.each(
    runs.flatMap(({ provocation: { name }, seed, evidence }) => {
      const from = faults.find((fault) => fault.name === name)?.from;
      return from === undefined ? [] : [[`${name}, seed ${seed}`, from, evidence] as const];
    }),
  )('%s: has its onset in iteration %i', (_name, from, evidence) => {
    expect(diagnose(evidence).findings[0]?.onset).toBe(from);
  });

  it('keeps its onset, interval and evidence when rows are added', () => {
    const { evidence } = of('gamma-1');
    const early = diagnose(asOf(evidence, 27)).findings[0];
    const late = diagnose(evidence).findings[0];
    expect(early).toMatchObject({ onset: 26, known: 27 });
    expect(late).toMatchObject({
      onset: early?.onset,
      interval: early?.interval,
      known: early?.known,
      evidence: early?.evidence,
    });
  });
});

describe('a finding whose remedies were tried', () => {
  const tried = (outcome: TrialOutcome) => {
    const trials = { bootstrapping_at_horizon: outcome };
    return diagnose({ ...of('gamma-1').evidence, trials }).findings;
  };
  const [untried] = diagnose(of('gamma-1').evidence).findings;

  it('is almost certain if one of them works, and unchanged if the seeds disagree', () => {
    expect(tried('open')).toEqual([untried]);
    const [proved] = tried('proved');
    expect(proved?.confidence).toBeGreaterThanOrEqual(0.95);
    expect({ ...proved, confidence: 0 }).toEqual({ ...untried, confidence: 0 });
  });

  it('ranks last if none of them works, and no longer hides the findings that it explained', () => {
    const refuted = tried('refuted');
    expect(refuted.length).toBeGreaterThan(1);
    expect(refuted.at(-1)).toMatchObject({ mode: 'bootstrapping_at_horizon', onset: 26 });
    expect(refuted.at(-1)?.confidence).toBeCloseTo((untried?.confidence ?? 0) / 2, 1);
    expect(refuted.slice(0, -1).map(({ mode }) => mode)).not.toContain('bootstrapping_at_horizon');
  });
});

describe('a healthy run', () => {
  it.each(
    runs
      .filter(({ provocation }) => provocation.mode === null)
      .map((run) => [`${run.provocation.name}, seed ${run.seed}`, run] as const),
  )('%s: has no finding', (_name, { named }) => {
    expect(new Set(named)).toEqual(new Set([null]));
  });
});

describe('diagnosis on other seeds', () => {
  const others = runs.filter(({ seed, provocation }) => seed > 1 && provocation.mode !== null);

  it('ranks the correct cause first at the end of at least 9 of 10 failed runs', () => {
    const right = others.filter(({ named, provocation }) => named.at(-1) === provocation.mode);
    expect(others.length).toBeGreaterThanOrEqual(36);
    expect(right.length / others.length).toBeGreaterThanOrEqual(0.9);
  });

  it('names a wrong cause at any time in at most 1 of 10 failed runs', () => {
    const misled = others.filter(({ named, provocation }) =>
      named.some((mode) => mode !== null && mode !== provocation.mode),
    );
    expect(misled.length / others.length).toBeLessThanOrEqual(0.1);
  });
});

describe('diagnosis without a config', () => {
  const bare = (name: string) => diagnose({ ...of(name).evidence, facts: {} });

  it('finds causes that the rows alone show', () => {
    expect(bare('learning-rate-0.02').findings[0]?.mode).toBe('learning_rate_too_high');
    expect(bare('bounds-wide').findings[0]?.mode).toBe('no_step_bound');
    expect(bare('learning-rate-5e-6').findings[0]?.mode).toBe('nothing_moves');
  });

  it('leaves out causes that depend on an unknown setting, and states what to log', () => {
    const { findings, notComputable } = bare('gamma-1');
    expect(findings.map(({ mode }) => mode)).not.toContain('bootstrapping_at_horizon');
    expect(notComputable).toContainEqual({
      mode: 'bootstrapping_at_horizon',
      log: ['algorithm.gamma', 'algorithm.advantage'],
    });
    expect(bare('untouched').findings).toEqual([]);
  });

  it('lists every mode with what to log if the rows contain no metrics', () => {
    const rows = [{ iteration: 1, metrics: { iteration: 1 } }];
    const { notComputable } = diagnose({ rows, evaluations: [], facts: {} });
    expect(notComputable.map(({ mode }) => mode)).toEqual([
      ...new Set(modes.map(({ name }) => name)),
    ]);
    for (const { log } of notComputable) expect(log.length).toBeGreaterThan(0);
  });
});
