import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Experiment, UnknownExperimentError } from '../experiments/catalogue.ts';
import { parseRun } from '../experiments/run.ts';
import { reproduceCommand } from './reproduce-command.ts';
import { emptiedFolder, readCode, tableMachine } from './testing/commands.ts';

const tiny: Experiment = {
  name: 'tiny',
  title: 'Tiny',
  question: 'Does it run?',
  preset: 'maze',
  arms: ['first', 'second one'].map((name, i) => ({
    name,
    set: [
      ['rollout.tasks_per_iteration', '2'],
      ['rollout.group_size', '2'],
      ['algorithm.advantage', 'grpo'],
      ['horizon.schedule', 'fixed'],
      ['horizon.turns', String(4 + i)],
      ['evaluation.interval', '2'],
      ['stopping.iterations', '6'],
    ],
  })),
  seeds: [1, 2],
  varies: null,
  target: 0.95,
};

const folder = emptiedFolder();

async function run(...args: string[]) {
  return await runOf(tiny, ...args);
}

async function runOf(experiment: Experiment, ...args: string[]) {
  const out: string[] = [];
  const log: string[] = [];
  let made = 0;
  const code = await reproduceCommand([...args, '--out', folder], {
    out: (line) => out.push(line),
    log: (line) => log.push(line),
    readCode,
    find: (name) => {
      if (name !== experiment.name) throw new UnknownExperimentError(name);
      return experiment;
    },
    open: async () => ({
      ...tableMachine,
      createPolicy: (...request) => {
        made++;
        return tableMachine.createPolicy(...request);
      },
    }),
  });
  return { code, out: out.join('\n'), log: log.join('\n'), made };
}

const file = (name: string) => join(folder, 'tiny', name);
const read = (name: string) => parseRun(name, readFileSync(file(name), 'utf8'));
const page = () => readFileSync(join(folder, 'tiny.md'), 'utf8');
/** Changes the kept file of a run. */
function edit(name: string, change: (run: Record<string, unknown>) => void) {
  const run: Record<string, unknown> = JSON.parse(readFileSync(file(name), 'utf8'));
  change(run);
  writeFileSync(file(name), JSON.stringify(run));
}

describe('reproduce', () => {
  it('stores every run with its origin, rows and number of evaluation tasks', async () => {
    expect(await run('tiny')).toMatchObject({ code: 0, made: 4 });
    expect(readdirSync(join(folder, 'tiny')).sort()).toEqual(
      ['first.1.json', 'first.2.json', 'second-one.1.json', 'second-one.2.json'].sort(),
    );
    const kept = read('first.2.json');
    expect(kept).toMatchObject({
      arm: 'first',
      seed: 2,
      made: { command: 'npm run reproduce -- tiny', opening: { iterations: 5 } },
      evaluationTasks: { onTheWay: 25, atTheEnd: 25 },
      iterations: 6,
    });
    expect(kept.made?.code).toMatch(/^[0-9a-f]{16}$/);
    expect(kept.made?.opening.digest).not.toBe(read('first.1.json').made?.opening.digest);
    expect(kept.rows?.values).toHaveLength(6);
    expect(kept.rows?.columns).toContain('policy/episodes');
    expect(kept.tokens).toBeGreaterThan(0);
    expect(page()).toContain('| first | 2 |');
    expect(page()).not.toContain('†');
  });

  it('packs all runs into one file and reads them from there', async () => {
    await run('tiny');
    const before = page();
    expect(await run('tiny', '--page', '--pack')).toMatchObject({ code: 0, made: 0 });
    expect(readdirSync(folder).sort()).toEqual(['tiny.jsonl.gz', 'tiny.md']);
    expect(page()).toBe(before);
    expect(await run('tiny')).toMatchObject({ code: 0, made: 0 });
    expect(page()).toBe(before);
  });

  it('diagnoses kept runs each time the page is written', async () => {
    // An untrained tabular policy always fails, so the two episodes of a group have the same reward.
    const asked: Experiment = {
      ...tiny,
      arms: tiny.arms.map((arm) => ({ ...arm, diagnosis: { cause: 'groups_agree', from: 1 } })),
      target: null,
    };
    expect(await runOf(asked, 'tiny', '--arm', 'first', '--seed', '1')).toMatchObject({ code: 0 });
    const { rows } = read('first.1.json');
    expect(rows?.columns).toEqual(
      expect.arrayContaining(['policy/approx_kl', 'policy/first_clip_fraction', 'rollout/score']),
    );
    expect(page()).toContain('| first | 1 | groups agree | 1 | groups agree | 1 | 3 |');
    const success = rows?.columns.indexOf('rollout/success_rate') ?? -1;
    edit('first.1.json', (run) => {
      const kept = run.rows as { values: number[][] };
      for (const row of kept.values) row[success] = 0.9;
    });
    expect(await runOf(asked, 'tiny', '--page')).toMatchObject({ code: 0, made: 0 });
    expect(page()).toContain('| first | 1 | groups agree | 1 | rewards lost | 1 | 2 |');
  });

  it('diagnoses a run with an injected fault and runs its forks', async () => {
    // An untrained tabular policy always fails, so the two episodes of a group have the same reward and give
    // no gradient.
    const failing: Experiment = {
      ...tiny,
      arms: tiny.arms.map((arm) => ({
        ...arm,
        // Every fork runs for 40 iterations.
        set: [...arm.set, ['evaluation.interval', '20'] as const],
        autopsy: 'groups_agree',
      })),
      target: null,
    };
    expect(await runOf(failing, 'tiny', '--arm', 'first', '--seed', '1')).toMatchObject({
      code: 0,
    });
    const { autopsy, made } = read('first.1.json');
    expect(autopsy).toMatchObject({
      provoked: 'groups_agree',
      found: { mode: 'groups_agree', onset: 1, known: 3 },
      forks: { after: 0, to: 40 },
    });
    const names = autopsy?.forks?.cures.map(({ name }) => name);
    expect(names).toContain('rollout.group_size = 8');
    expect(names).toContain('optimizer.learning_rate = 0.0005');
    expect(autopsy?.forks?.iterations).toBe(40 * ((names?.length ?? 0) + 1));
    expect(page()).toContain('## Remedy by remedy');
    // The fingerprint also covers the code of measurements after training.
    await run('tiny', '--arm', 'first', '--seed', '1', '--again');
    expect(read('first.1.json')).not.toHaveProperty('autopsy');
    expect(read('first.1.json').made?.code).not.toBe(made?.code);
  });

  it('marks stale results and reruns them only with --again', async () => {
    await run('tiny');
    edit('first.1.json', (kept) => {
      // A file that an earlier version wrote.
      for (const key of ['made', 'worstGradNorm', 'staleness', 'rows']) delete kept[key];
    });
    edit('first.2.json', ({ made }) => Object.assign(made as object, { code: '0'.repeat(16) }));
    const before = readFileSync(file('first.1.json'), 'utf8');

    const again = await run('tiny');
    expect(again).toMatchObject({ code: 0, made: 0 });
    expect(again.log).toContain('tiny, first, seed 1: exists, made by an earlier version');
    expect(again.log).toContain('tiny, second one, seed 1: exists\n');
    expect(readFileSync(file('first.1.json'), 'utf8')).toBe(before);
    expect(page()).toContain('| first † | 1 |');
    expect(page()).toContain('| first † | 2 |');
    expect(page()).toContain('| second one | 1 |');
    expect(page()).toContain('| not kept |');
    expect(page()).not.toContain('∞');

    expect(await run('tiny', '--again')).toMatchObject({ made: 2 });
    expect(page()).not.toContain('†');
    expect(page()).not.toContain('not kept');
  });

  it('computes only the selected runs, and recomputes those with outdated settings', async () => {
    expect(await run('tiny', '--arm', 'first', '--seed', '2')).toMatchObject({ made: 1 });
    expect(await run('tiny', '--shard', '1/2')).toMatchObject({ made: 2 });
    edit('first.2.json', ({ config }) => {
      (config as { horizon: { turns: number } }).horizon.turns = 9;
    });
    const paged = await run('tiny', '--page');
    expect(paged).toMatchObject({ made: 0 });
    expect(page()).toContain('with settings that differ from the experiment’s current ones');
    expect(await run('tiny')).toMatchObject({ made: 2 });
    expect(read('first.2.json').config.horizon.turns).toBe(4);
  });

  it('rejects bad arguments and files with a one-line message', async () => {
    expect(await run('none')).toMatchObject({ code: 2, log: expect.stringContaining('"none"') });
    expect(await run('tiny', '--arm', 'third')).toMatchObject({
      code: 2,
      log: 'tiny has no arm "third"; choose one of first, second one',
    });
    expect(await run('tiny', '--seed', '9')).toMatchObject({ code: 2 });
    expect(await run('tiny', '--shard', '3/2')).toMatchObject({ code: 2 });
    expect(await run('--help')).toMatchObject({ code: 0, out: expect.stringContaining('--again') });
    await run('tiny', '--arm', 'first', '--seed', '1');
    writeFileSync(file('first.1.json'), '{"arm": 3}');
    expect(await run('tiny')).toMatchObject({
      code: 1,
      log: expect.stringMatching(/first\.1\.json is not a run of an experiment/),
    });
    writeFileSync(join(folder, 'tiny.md'), 'My own notes');
    expect(await run('tiny')).toMatchObject({
      code: 2,
      log: expect.stringContaining('tiny.md exists'),
    });
  });
});
