import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { withMethod } from '../config/methods.ts';
import { presetConfig } from '../config/presets.ts';
import { readRuns } from '../experiments/kept-files.node.ts';
import type { MetricKey } from '../runs/metrics.ts';
import { percent, significant } from '../runs/numbers.ts';
import {
  whyClip,
  whyEntropy,
  whyGradient,
  whyHorizon,
  whyKl,
  whyReward,
  whySuccess,
} from './curves.ts';
import { asOf, diagnose } from './diagnose.ts';
import type { Evidence } from './evidence.ts';
import { progressOf } from './progress.ts';
import { tell } from './story.ts';
import { configOf, findProvocation } from './testing/provocations.ts';
import { readRecorded, readStory, recordedNames, rowsOf } from './testing/recorded.ts';

/** Vocabulary size of the default maze preset; a uniform distribution over it has 3.74 nats of entropy. */
const VOCABULARY = 42;

/** Evaluations are separate rows in a run; recordings keep them in the training rows. */
function evidenceOf(rows: Evidence['rows'], facts: Evidence['facts']): Evidence {
  const evaluations = rows.filter(({ metrics }) => metrics['eval/success_rate'] !== undefined);
  return { rows, evaluations, facts };
}

function recordedRun(name: string): Evidence {
  const dot = name.lastIndexOf('.');
  const facts = configOf(findProvocation(name.slice(0, dot)), Number(name.slice(dot + 1)));
  const evidence = evidenceOf(rowsOf(readRecorded(name)), facts);
  return facts.env.id.startsWith('maze') ? { ...evidence, vocabulary: VOCABULARY } : evidence;
}

const bapo: Evidence = {
  ...evidenceOf(
    rowsOf(readStory('bapo-flat')),
    withMethod(presetConfig('maze'), 'bapo', 'adapted'),
  ),
  vocabulary: VOCABULARY,
};
const maze = recordedRun('untouched.1');

/** One kept run of each arm of these experiments, so that every recipe is among them. */
const experiments = [
  'agentevol',
  'critique-rl',
  'critique-loop',
  'generalist-15',
  'gym',
  'methods',
];

const results = fileURLToPath(new URL('../../docs/results/', import.meta.url));

function keptRuns(experiment: string): readonly (readonly [string, Evidence])[] {
  const byArm = new Map<string, readonly [string, Evidence]>();
  for (const { run: kept } of readRuns(results, experiment)) {
    if (kept.rows?.window !== 1 || byArm.has(kept.arm)) continue;
    const evidence = evidenceOf(rowsOf(kept.rows), kept.config);
    byArm.set(kept.arm, [`${experiment}, ${kept.arm}`, evidence]);
  }
  return [...byArm.values()];
}

const all: readonly (readonly [string, Evidence])[] = [
  ...recordedNames().map((name) => [name, recordedRun(name)] as const),
  ['bapo-flat', bapo],
  ...experiments.flatMap(keptRuns),
];

const mean = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** Success computed by the test, independently of the code under test. */
function successOf({ rows, evaluations }: Evidence) {
  const values = rows.flatMap(({ metrics }) => metrics['rollout/success_rate'] ?? []);
  const windows = values.map((_, end) => mean(values.slice(Math.max(0, end - 4), end + 1)));
  return {
    values,
    now: windows.at(-1) ?? Number.NaN,
    windows,
    greedy: evaluations.at(-1)?.metrics['eval/success_rate'],
    /** Change of the mean from the preceding `length` iterations to the last ones. */
    change: (length: number) =>
      mean(values.slice(-length)) - mean(values.slice(-2 * length, -length)),
    scatter: Math.sqrt(
      (2 / 5) * mean(values.slice(-10).map((v) => (v - mean(values.slice(-10))) ** 2)),
    ),
  };
}

const numberOf = (text: string) =>
  text === '<1%' ? 0.5 : text === '>99%' ? 99.5 : parseInt(text, 10);
const SHARE = '(<1%|>99%|\\d+%)';

/** False statements in a text about the last row of a run. */
function faultsOf(text: string, evidence: Evidence): readonly string[] {
  const faults: string[] = [];
  const { now, windows, greedy, change, scatter, values } = successOf(evidence);
  const need = (holds: boolean, rule: string) => {
    if (!holds) faults.push(`${rule}: ${text}`);
  };
  need(!/NaN|undefined|Infinity|(^|[ (])–(?=[ ,.;)]|$)/.test(text), 'has every number');
  need(!/\b(\d+) of (the )?\1 .*(and the (others|rest))/.test(text), 'counts two kinds');
  need(!/(?<![.\d])1 (turns|iterations|episodes|updates)\b/.test(text), 'has the right plural');
  for (const [, from = '', to = ''] of text.matchAll(
    new RegExp(`(?:rose|rises,) from ${SHARE}(?: in iteration \\d+)? to ${SHARE}`, 'g'),
  )) {
    need(numberOf(to) > numberOf(from), 'rises to more');
  }
  for (const [, from = '', to = ''] of text.matchAll(
    new RegExp(`(?:fell|fallen) from ${SHARE}(?: in iteration \\d+)? to ${SHARE}`, 'g'),
  )) {
    need(numberOf(to) < numberOf(from), 'falls to less');
  }
  for (const [, to = '', from = ''] of text.matchAll(
    new RegExp(`${SHARE}[^.]*, up from ${SHARE}`, 'g'),
  )) {
    need(numberOf(to) > numberOf(from), 'is up from less');
  }
  if (/still improving|starting to solve|It rises, /.test(text)) {
    need(
      [2, 3, 4, 5, 10, 20].some((length) => change(length) > 0.02),
      'improves',
    );
  }
  if (/stopped improving|not improving|leveled off|flat since|about the same/.test(text)) {
    need(
      values.length >= 10 && Math.abs(change(5)) <= Math.max(0.06, 3 * scatter),
      'is flat over 10 iterations',
    );
  }
  if (/Success has fallen|, down from/.test(text)) {
    need(Math.max(...windows) - now >= 0.05, 'is below its best');
  }
  if (/about half/.test(text)) need(now >= 0.4 && now < 0.6, 'is about half');
  if (/solves most tasks/.test(text)) need(now >= 0.6, 'is most');
  if (/almost no tasks/.test(text)) need(now < 0.05, 'is almost none');
  if (/^Solved/.test(text)) need(now >= 0.95 || (greedy ?? 0) >= 0.95, 'is solved');
  if (/No episode has succeeded yet/.test(text)) need(Math.max(...values) === 0, 'is none');
  const random = /still (\S+) random/.exec(text)?.[1];
  if (random !== undefined) {
    const entropy = evidence.rows.at(-1)?.metrics['policy/entropy'] ?? Number.NaN;
    need(random === percent(entropy / Math.log(VOCABULARY)), 'is as random as its entropy');
  }
  const succeed = /^(\S+%) of the training episodes succeed/.exec(text)?.[1];
  if (succeed !== undefined) need(succeed === percent(now), 'gives the present success');
  return faults;
}

/** Iterations to check: the first fifteen, then every third, and the last. */
const looks = ({ rows }: Evidence) =>
  rows
    .map(({ iteration }) => iteration)
    .filter((_, place) => place < 15 || place % 3 === 0 || place === rows.length - 1);

/** Every text about the last row of a run. */
function textsOf(evidence: Evidence): readonly string[] {
  const running = tell(evidence, false);
  const finished = tell(evidence, true);
  const { findings, past } = diagnose(evidence);
  return [
    ...[running, finished].flatMap((story) =>
      story === null ? [] : [story.headline, story.detail],
    ),
    whySuccess(evidence) ?? '',
    whyReward(evidence) ?? '',
    ...findings.flatMap(({ title, text, beside }) => [title, text, ...Object.values(beside)]),
    ...past.flatMap(({ title, text }) => [title, text]),
  ];
}

describe('the story of a recorded run', () => {
  it('is tested on at least 80 runs, with every recipe', () => {
    expect(all.length).toBeGreaterThanOrEqual(80);
    expect(new Set(all.map(([, { facts }]) => facts.recipe))).toEqual(
      new Set(['reinforcement', 'evolution', 'critique', 'self_improvement']),
    );
  });

  it.each(all)('%s: is true after every iteration', (_, evidence) => {
    const faults = looks(evidence).flatMap((iteration) => {
      const then = asOf(evidence, iteration);
      return textsOf(then).flatMap((text) =>
        faultsOf(text, then).map((fault) => `${iteration}: ${fault}`),
      );
    });
    expect(faults).toEqual([]);
  });

  it.each(all)('%s: the headline agrees with the sentence beside success', (_, evidence) => {
    for (const iteration of looks(evidence)) {
      const then = asOf(evidence, iteration);
      const headline = tell(then, false)?.headline ?? '';
      const beside = whySuccess(then) ?? '';
      if (/still improving/.test(headline)) expect(beside).not.toMatch(/leveled off|It fell/);
      if (/stopped improving|not improving/.test(headline)) {
        expect(beside).not.toMatch(/It rises|It fell/);
      }
      if (/has fallen/.test(headline)) expect(beside).not.toMatch(/It rises|leveled off/);
    }
  });
});

/** The newest mean of a metric and its change, computed by the test. */
function movesOf({ rows }: Evidence, key: MetricKey) {
  const window = Math.min(5, Math.floor(rows.length / 2));
  const of = (from: number, to?: number) =>
    rows.slice(from, to).flatMap(({ metrics }) => metrics[key] ?? []);
  const [recent, earlier] = [of(-window), of(-2 * window, -window)];
  const variance = (values: readonly number[]) =>
    values.reduce((sum, value) => sum + (value - mean(values)) ** 2, 0) /
    Math.max(1, values.length - 1) /
    values.length;
  return {
    now: mean(of(-5)),
    before: mean(earlier),
    change: mean(recent) - mean(earlier),
    noise: 2 * Math.sqrt(variance(recent) + variance(earlier)),
    last: rows.at(-1)?.metrics[key] ?? Number.NaN,
  };
}

/** Whether a text is a share in percent; sums in another order may round differently. */
const isShare = (text: string | undefined, share: number) =>
  [1 - 1e-9, 1, 1 + 1e-9].some((factor) => text === percent(share * factor));

/** False statements in the sentences beside the other charts. */
function falseBeside(evidence: Evidence): readonly string[] {
  const faults: string[] = [];
  const check = (
    text: string | null,
    rules: readonly (readonly [RegExp, (match: RegExpExecArray) => boolean])[],
  ) => {
    for (const [pattern, holds] of rules) {
      const match = pattern.exec(text ?? '');
      if (match !== null && !holds(match)) faults.push(text ?? '');
    }
  };
  const of = (key: MetricKey) => movesOf(evidence, key);
  const [entropy, turns, kl, norm] = [
    of('policy/entropy'),
    of('rollout/turns'),
    of('policy/approx_kl'),
    of('policy/grad_norm'),
  ];
  const [low, high] = [of('policy/clip_fraction_low').now, of('policy/clip_fraction_high').now];
  const largest = Math.log(evidence.vocabulary ?? Number.NaN);
  check(whyEntropy(evidence), [
    [/^It falls /, () => entropy.change < 0],
    [/^It rises: /, () => entropy.change > 0],
    [/^Steady: /, () => Math.abs(entropy.change) <= Math.max(0.02 * entropy.before, entropy.noise)],
    [/^Close to zero/, () => entropy.last < 0.05 && of('rollout/success_rate').now < 0.5],
    [
      /^Close to ln (\d+) = (\S+) nats/,
      ([, words, nats]) =>
        Number(words) === evidence.vocabulary &&
        nats === significant(largest) &&
        entropy.last > 0.9 * largest,
    ],
    [/as fast as the clip allows/, () => high > 0.02],
  ]);
  const horizonAt = (iteration: number) =>
    evidence.rows.find((row) => row.iteration === iteration)?.metrics['rollout/horizon'];
  check(whyHorizon(evidence), [
    [
      /^At iteration (\d+) the schedule raised the limit from (\d+) to (\d+) turns/,
      ([, at, from, to]) =>
        horizonAt(Number(at)) === Number(to) && horizonAt(Number(at) - 1) === Number(from),
    ],
    [
      /^(\S+%) of the episodes are truncated at the limit/,
      ([, n]) => isShare(n, of('rollout/truncated').now),
    ],
    [/^Episodes get shorter/, () => turns.change < -0.5],
    [/^Most episodes end long before/, () => turns.now < 0.5 * of('rollout/horizon').last],
    [/use (\S+%) of the turns/, ([, n]) => isShare(n, turns.now / of('rollout/horizon').last)],
  ]);
  check(whyClip(evidence), [
    [/hardly any token reaches/, () => low + high < 0.002],
    [/^Mostly at the upper/, () => high > 2 * low],
    [/^Mostly at the lower/, () => low > 2 * high],
    [/^Both bounds/, () => high <= 2 * low && low <= 2 * high],
  ]);
  check(whyKl(evidence), [
    [/^Large: /, () => kl.now > 0.1],
    [/^It falls /, () => kl.change < 0],
    [/^It rises: /, () => kl.change > 0],
  ]);
  check(whyGradient(evidence), [
    [/^Above (\S+), so each/, ([, limit]) => norm.now > Number(limit)],
    [/^Below the limit of (\S+), so/, ([, limit]) => norm.now <= Number(limit)],
    [/^It rises: /, () => norm.change > 0],
  ]);
  return faults;
}

describe('a sentence beside a chart', () => {
  it.each(all)('%s: is true after every iteration of the run', (_, evidence) => {
    for (const iteration of looks(evidence)) {
      const then = asOf(evidence, iteration);
      expect([iteration, ...falseBeside(then)]).toEqual([iteration]);
      for (const why of [whyEntropy, whyHorizon, whyClip, whyKl, whyGradient]) {
        expect(why(then) ?? '').not.toMatch(/NaN|undefined|Infinity/);
      }
    }
  });
});

describe('a BAPO run that stays at 56%', () => {
  it('is reported to have stopped improving because rewards within groups are equal', () => {
    const story = tell(asOf(bapo, 120), false);
    expect(story?.headline).toBe('It solves about half of its tasks but has stopped improving.');
    expect(story?.detail).toMatch(/^56% of the training episodes succeed/);
    expect(story?.detail).toMatch(/(9\d|100|>99)% of the groups all episodes have the same reward/);
    expect(story?.detail).toContain('About 11 of 25 tasks fail in every attempt');
  });

  it('is reported as flat at the end, with the cause and the past findings', () => {
    const story = tell(bapo, true);
    expect(story?.headline).toMatch(/^Finished at 56% success, flat since iteration \d+\.$/);
    expect(story?.detail).toContain('so they give no gradient');
    expect(diagnose(bapo).findings).toEqual([]);
    expect(diagnose(bapo).past.map(({ mode }) => mode)).toContain('groups_agree');
    expect(story?.detail).toContain('Earlier, in iterations');
  });
});

describe('the default preset', () => {
  it('is described as solving tasks only by chance while its words are still random', () => {
    for (const iteration of [3, 4, 5, 6]) {
      const then = asOf(maze, iteration);
      expect(progressOf(then)?.state).toBe('random');
      expect(whySuccess(then)).toMatch(/by chance|No episode has succeeded/);
    }
  });

  it('progresses from random to improving to solved', () => {
    const states = maze.rows.map(({ iteration }) => progressOf(asOf(maze, iteration))?.state);
    const order = states.filter((state, place) => state !== states[place - 1]);
    expect(order[0]).toBe('random');
    expect(order).toContain('improving');
    expect(order.at(-1)).toBe('solved');
  });
});

describe('a run of Critique-RL', () => {
  it('is not solved if the verdicts of its critic are correct', () => {
    const metrics = {
      ...{ 'rollout/success_rate': 0.97, 'eval/success_rate': 0.55 },
      ...{ 'critique/accuracy': 0.55, 'critique/refined_accuracy': 0.64 },
    };
    const rows = Array.from({ length: 20 }, (_, i) => ({ iteration: i + 1, metrics }));
    const facts = { recipe: 'critique' } as const;
    const run = { rows, evaluations: [{ iteration: 20, metrics }], facts };
    const detail =
      /the critic judges 97% of the answers correctly\. 55% of the actor’s answers are correct, and 64% after the critique\./;
    expect(tell(run, false)?.headline).toBe('20 iterations done.');
    expect(tell(run, false)?.detail).toMatch(detail);
    expect(tell(run, true)?.headline).toBe('Finished after 20 iterations.');
    expect(tell(run, true)?.detail).toMatch(detail);
  });
});

describe('a fall in the first iterations', () => {
  it('is described without placeholders for missing numbers', () => {
    const rows = [0.4, 0.4, 0.01, 0, 0, 0, 0, 0].map((success, i) => ({
      iteration: i + 1,
      metrics: { 'rollout/success_rate': success },
    }));
    for (const { iteration } of rows) {
      const then = asOf({ rows, evaluations: [], facts: {} }, iteration);
      for (const text of textsOf(then)) expect(text).not.toMatch(/ – /);
    }
  });
});
