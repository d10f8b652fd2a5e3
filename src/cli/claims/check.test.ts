import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { presetConfig } from '../../config/presets.ts';
import { findExperiment } from '../../experiments/catalogue.ts';
import { readRuns } from '../../experiments/kept-files.node.ts';
import type { KeptRun } from '../../experiments/kept-run.ts';
import { type ExperimentRun, formatRun } from '../../experiments/run.ts';
import { keptRun } from '../../experiments/testing/kept-runs.ts';
import type { ModeName } from '../../runs/mode-names.ts';
import type { Code } from '../fingerprint.node.ts';
import { readCode } from '../testing/commands.ts';
import { checkClaims, checkDocument } from './check.ts';
import type { Sources } from './claims.ts';

const root = process.cwd();
let code: Code;
beforeAll(async () => {
  code = await readCode();
});

/** A maze run of the double-T experiment. */
const run = (seed: number, turnsToTarget: number, stale: KeptRun['stale'] = null) =>
  keptRun({ seed, turnsToTarget, stale });

function sources(runs: readonly KeptRun[]): Sources {
  return {
    experiment: (name) => ({ ...findExperiment(name), seeds: [1, 2, 3] }),
    kept: () => runs,
    report: () => ({
      stepS: {
        rows: [
          { name: 'Palestra', time: { median: 222.4 } },
          { name: 'other', time: { median: 667 } },
        ],
      },
      runs: [
        [0.92, 0.12, 0.6],
        [1, 0.1, 0.92],
      ].map(([success = 0, wall = 0, without = 0]) => ({
        whole: { success, wall },
        off: [
          { success, wall: 0.2 },
          { success: without, wall },
        ],
      })),
    }),
    node: '20.19',
  };
}

const say = (call: string, text: string) => `It is <!-- claim: ${call} -->${text}<!-- /claim -->.`;
const fresh = sources([run(1, 40_000), run(2, 50_000), run(3, 90_000)]);
const old = sources([run(1, 40_000), run(2, 50_000, 'code'), run(3, 90_000)]);

/** The text computed for a claim in a document. */
function comesOut(call: string, from = fresh): string {
  const { filled, problems } = checkDocument('x.md', say(call, ''), from);
  return problems.length > 0 && !filled.includes('†')
    ? (problems[0]?.what ?? '')
    : filled.replaceAll(/It is |<!--.*?-->|\.$/g, '');
}

describe('checkDocument', () => {
  it('reports the document, the line, and the found and computed texts', () => {
    const text = `# A\n\n${say('of double-t maze turnsToTarget median', '44k')}\n`;
    const { wrong, filled, claims } = checkDocument('docs/x.md', text, fresh);
    expect(claims).toBe(1);
    expect(wrong).toEqual([
      {
        document: 'docs/x.md',
        line: 3,
        what: 'of double-t maze turnsToTarget median: says “44k”, computed “50k”',
      },
    ]);
    expect(checkDocument('docs/x.md', filled, fresh)).toMatchObject({ wrong: [], problems: [] });
  });

  it('computes claims about runs, presets and benchmark reports', () => {
    expect(comesOut('of double-t maze turnsToTarget seed=3')).toBe('90k');
    expect(comesOut('of double-t maze turnsToTarget each')).toBe('40k, 50k, 90k');
    expect(comesOut('of double-t maze turnsToTarget mean 0')).toBe('60000');
    expect(comesOut('of double-t maze greedy interval')).toBe('100.0% [100.0%, 100.0%]');
    expect(comesOut('reached double-t maze')).toBe('3 of 3');
    expect(comesOut('ends double-t maze')).toBe('3 of 3');
    expect(comesOut('setting maze rollout.group_size')).toBe('8');
    expect(comesOut('tasks maze train')).toBe('25');
    expect(comesOut('plan double-t target')).toBe('0.95');
    expect(comesOut('parameters maze 1')).toBe('30,000');
    expect(comesOut('step r S other times')).toBe('3');
    expect(comesOut('step r S Palestra ms')).toBe('222');
    expect(comesOut('heads needed 20')).toBe('1 of 2');
    expect(comesOut('heads needed 8')).toBe('2 of 2');
    expect(comesOut('heads whole wall')).toMatch(/^11% \[/);
    expect(comesOut('heads worst success')).toMatch(/^76% \[/);
    expect(comesOut('heads worst wall')).toBe('20% [20%, 20%]');
    expect(comesOut('node')).toBe('20.19');
    expect(checkDocument('x.md', say('count families', 'eleven'), fresh).wrong).toEqual([]);
    expect(checkDocument('x.md', say('count mixed', 'five'), fresh).wrong).toEqual([]);
  });

  it('computes claims about test-time samples and about critics by domain', () => {
    const sure = (mean: number) => ({ mean, low: mean, high: mean });
    const point = (samples: number, tokens: number, majority: number, last: number | null) => ({
      ...{ samples, tokens, majority: sure(majority), pass: sure(1) },
      last: last === null ? null : sure(last),
    });
    const numbers = {
      ...{ accuracy: sure(0.5), refinedAccuracy: sure(0.75), discrimination: null },
      ...{ discriminationRight: null, discriminationWrong: null },
      ...{ incorrectToCorrect: null, correctToIncorrect: null },
    };
    const drawn = sources([
      {
        ...run(1, 1),
        testTime: {
          plan: { tasks: 2, draws: [] },
          curves: [
            {
              ...{ how: 'answers', samples: 2 },
              points: [point(1, 10, 0.25, null), point(2, 20, 0.5, null)],
            },
            { ...{ how: 'rounds', samples: 2 }, points: [point(2, 20, 0.6, 0.75)] },
            { ...{ how: 'debate', samples: 3, rounds: 1 }, points: [point(3, 90, 0.7, null)] },
          ],
        },
        domains: [{ name: 'ledgers', heard: false, tasks: 4, numbers }],
      },
    ]);
    expect(comesOut('drawn double-t maze answers 2 majority', drawn)).toBe('50.0%');
    expect(comesOut('drawn double-t maze rounds 2 last', drawn)).toBe('75.0%');
    expect(comesOut('drawn double-t maze debate-3-1 3 majority', drawn)).toBe('70.0%');
    expect(comesOut('drawn double-t maze chains 2 majority', drawn)).toMatch(/no draw is called/);
    expect(comesOut('gain double-t maze rounds 2 last', drawn)).toBe('+25.0%');
    expect(comesOut('gain double-t maze debate-3-1 3 majority', drawn)).toBe('beyond');
    expect(comesOut('domain double-t maze ledgers refinedAccuracy', drawn)).toBe('75.0%');
    expect(comesOut('domain double-t maze chains refinedAccuracy', drawn)).toMatch(/no domain is/);
    expect(comesOut('domain double-t maze ledgers success', drawn)).toMatch(/no number is called/);
  });

  it('compares a generalist with the specialists trained with the same environment options', () => {
    const part = (successRate: number) => ({
      ...{ episodes: 8, turns: 4, successRate },
      score: successRate,
    });
    const generalist = presetConfig('generalist');
    const own = (seed: number, [maze = 0, wordle = 0]: readonly number[]) => ({
      ...{ ...run(seed, 1), arm: 'generalist' },
      config: {
        ...generalist,
        env: { ...generalist.env, mixture: generalist.env.mixture.slice(0, 2) },
      },
      environments: [
        { id: 'maze/double-t-v1', ...part(maze) },
        { id: 'wordle/wordle-v1', ...part(wordle) },
      ],
    });
    const wordle = presetConfig('wordle');
    const alone = (seed: number, greedySuccess: number, options = wordle.env.options) => ({
      ...{ ...run(seed, 1), arm: 'wordle', greedySuccess },
      config: { ...wordle, env: { ...wordle.env, options } },
    });
    const kept: Record<string, readonly KeptRun[]> = {
      generalist: [own(1, [1, 0.5]), own(2, [1, 0.7])],
      gym: [alone(1, 0.75), alone(2, 0.75), alone(3, 0.1, { list: 'short' })],
    };
    const from: Sources = { ...fresh, kept: ({ name }) => kept[name] ?? [] };
    const rows = comesOut('beside generalist generalist', from).split('\n');
    expect(rows.filter((row) => row.startsWith('| maze'))).toEqual([
      '| maze/double-t-v1 | 100.0% [100.0%, 100.0%] | – |',
    ]);
    const [, , together, single] = rows.find((row) => row.startsWith('| wordle'))?.split('|') ?? [];
    expect(together).toMatch(/^ 60\.0% \[/);
    expect(single).toMatch(/^ 75\.0% \[/);
  });

  it('counts the seeds on which one arm beats another, and the runs whose true cause is ranked first', () => {
    const of = (arm: string, seed: number, turns: number) => ({ ...run(seed, turns), arm });
    const both = sources([
      ...[of('PPO', 1, 40_000), of('PPO', 2, 90_000), of('PPO', 3, 30_000)],
      ...[of('GRPO', 1, 50_000), of('GRPO', 2, 60_000), of('GRPO', 4, 70_000)],
    ]);
    expect(comesOut('beats methods PPO GRPO turnsToTarget less', both)).toBe('1 of 2');
    expect(comesOut('beats methods GRPO PPO turnsToTarget', both)).toBe('1 of 2');
    expect(comesOut('beats methods PPO GRPO greedy', both)).toBe('0 of 2');
    expect(comesOut('beats methods PPO GRPO greedy more', both)).toMatch(
      /the only option is "less"/,
    );
    const apart = sources([of('PPO', 1, 1), of('GRPO', 2, 1)]);
    expect(comesOut('beats methods PPO GRPO greedy', apart)).toMatch(/no seed in common/);

    const arm = 'learning rate 0.02';
    const found = (mode: ModeName) => ({ found: { mode, onset: 1, known: 2 }, said: [] });
    const sick = sources([
      { ...of(arm, 1, 1), diagnosed: found('learning_rate_too_high') },
      { ...of(arm, 2, 1), diagnosed: found('too_many_epochs') },
      { ...of(arm, 3, 1), diagnosed: { found: null, said: [] } },
      of('learning rate 0.0015', 1, 1),
    ]);
    expect(comesOut(`blamed lessons "${arm}"`, sick)).toBe('1 of 3');
    expect(comesOut('blamed lessons "learning rate 0.0015"', sick)).toMatch(/no known cause/);
  });

  it('reports unknown names, missing arguments and missing runs', () => {
    expect(comesOut('nonsense')).toContain('no claim is called "nonsense"');
    expect(comesOut('of double-t maze turnsToTarget')).toContain('of EXPERIMENT ARM COLUMN');
    expect(comesOut('of double-t other greedy mean')).toContain('no arm of double-t is called');
    expect(comesOut('of none maze greedy mean')).toContain('no experiment is called "none"');
    expect(comesOut('of double-t maze greedines mean')).toContain('no column is called');
    expect(comesOut('of double-t maze tokens mean')).toContain('not every run has tokens');
    expect(comesOut('setting maze rollout.size')).toContain('rollout.size');
    expect(comesOut('reached double-t maze', sources([]))).toContain('no run of double-t');
  });

  it('marks numbers and tables from stale runs, and requires a footnote', () => {
    const call = 'of double-t maze turnsToTarget median';
    expect(comesOut(call, old)).toBe('50k†');
    // A claim computed only from fresh runs has no mark.
    expect(comesOut('of double-t maze turnsToTarget seed=1', old)).toBe('40k');
    const table = 'A table:\n\n<!-- claim: seeds double-t turnsToTarget -->\n\n<!-- /claim -->\n';
    expect(checkDocument('x.md', table, old).filled).toContain('| maze † | 40k | 50k | 90k |');
    expect(checkDocument('x.md', say(call, '50k†'), old).problems).toMatchObject([
      { what: expect.stringContaining('has no footnote') },
    ]);
    const noted = `${say(call, '50k†')} ${say('stale-note', '')}`;
    const checked = checkDocument('x.md', noted, old);
    expect(checked.problems).toEqual([]);
    expect(checked.filled).toContain('† stale: made by an earlier version of the code;');
    // Rerunning removes the mark.
    expect(checkDocument('x.md', checked.filled, fresh).filled).toBe(noted.replace('50k†', '50k'));
  });

  it('rejects numbers in README.md, and times and rates elsewhere, unless they are claims', () => {
    expect(checkDocument('README.md', 'It takes 3 s.', fresh).problems).toHaveLength(1);
    const of = (text: string) => checkDocument('docs/CHARTS.md', text, fresh).problems;
    expect(of('It has 3 parts and takes at most 3 ms.')).toEqual([]);
    expect(of('It takes 3.5 ms at 2,000 turns/s.')).toMatchObject([
      { line: 1, what: expect.stringContaining('3.5 ms') },
      { line: 1, what: expect.stringContaining('2,000 turns/s') },
    ]);
    expect(of('## Speed\n\n**Not kept.** It takes 3.5 ms.')).toEqual([]);
  });
});

describe('checkClaims', () => {
  it('reports and corrects numbers in documents and pages that differ from the kept files', () => {
    const copy = mkdtempSync(join(tmpdir(), 'palestra-docs-'));
    try {
      const results = [
        'double-t.jsonl.gz',
        'double-t.md',
        'gym.jsonl.gz',
        'gym.md',
        'environments.json',
      ];
      for (const part of [
        ...['bench', 'package.json', 'docs/SPEED.md', 'docs/speed', 'docs/results/environments.md'],
        ...[...results, 'confirmed.json'].map((name) => join('docs/results', name)),
      ]) {
        cpSync(join(root, part), join(copy, part), { recursive: true });
      }
      writeFileSync(join(copy, 'README.md'), say('count methods', 'fourteen'));
      writeFileSync(
        join(copy, 'docs/results/README.md'),
        '<!-- claim: seeds double-t turnsToTarget -->\n\n<!-- /claim -->\n\nNote: <!-- claim: stale-note --><!-- /claim -->\n',
      );
      checkClaims(copy, code, true);
      expect(checkClaims(copy, code, false).mismatches).toEqual([]);
      symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
      const edit = (path: string, change: (text: string) => string) => {
        const text = readFileSync(join(copy, path), 'utf8');
        expect(change(text)).not.toBe(text);
        writeFileSync(join(copy, path), change(text));
      };
      edit('README.md', (text) => text.replace('-->fourteen<', '-->thirteen<'));
      edit('docs/results/gym.md', (text) => text.replace('| 5 of 5 |', '| 4 of 5 |'));
      edit('docs/SPEED.md', (text) =>
        text.replace(/\| Palestra \| [\d,.]+ \|/, '| Palestra | 111 |'),
      );
      // A run in a separate file replaces the one in the archive.
      const keep = (experiment: string, file: string, changes: Partial<ExperimentRun>) => {
        const [first] = readRuns(join(copy, 'docs/results'), experiment);
        if (first === undefined) throw new Error('no run is kept');
        const folder = join(copy, 'docs/results', experiment);
        mkdirSync(folder);
        writeFileSync(join(folder, file), formatRun({ ...first.run, ...changes }));
      };
      keep('double-t', 'maze.201.json', { turnsToTarget: 1000 });
      const rate = { median: 3, least: 2, greatest: 4 };
      const play = { rate, turns: 5 };
      writeFileSync(
        join(copy, 'docs/results/environments.json'),
        JSON.stringify({
          rows: [{ id: 'maze', random: play, expert: play, ruler: rate }],
          timing: { repetitions: 7, milliseconds: 300 },
          machine: 'a processor',
          command: 'npm run bench',
        }),
      );
      keep('gym', 'other.1.json', { arm: 'other' });
      const found = checkClaims(copy, code, false).mismatches;
      expect([...new Set(found.map(({ document }) => document))].sort()).toEqual(
        [
          'README.md',
          'docs/SPEED.md',
          'docs/results/README.md',
          'docs/results/double-t.md',
          'docs/results/environments.md',
          'docs/results/gym.md',
          'docs/results/gym/other.1.json',
        ].sort(),
      );
      expect(found.map(({ what }) => what)).toContainEqual(
        'count methods: says “thirteen”, computed “fourteen”',
      );
      rmSync(join(copy, 'docs/results/gym/other.1.json'));
      checkClaims(copy, code, true);
      expect(checkClaims(copy, code, false).mismatches).toEqual([]);
      expect(readFileSync(join(copy, 'docs/results/README.md'), 'utf8')).toMatch(
        // The mark depends on whether the kept runs are stale.
        /\| maze († )?\| 1k \|/,
      );
    } finally {
      rmSync(copy, { recursive: true });
    }
  });
});
