import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fast } from '../../scripts/tier.mjs';
import { type Experiment, findExperiment } from '../experiments/catalogue.ts';
import { claimsCommand } from './claims-command.ts';
import { reproduceCommand } from './reproduce-command.ts';
import { emptiedFolder, readCode, tableMachine } from './testing/commands.ts';

const tiny: Experiment = {
  name: 'tiny',
  title: 'Tiny',
  question: 'Does it run?',
  preset: 'maze',
  arms: [
    {
      name: 'only',
      set: [
        ['rollout.tasks_per_iteration', '2'],
        ['rollout.group_size', '2'],
        ['algorithm.advantage', 'grpo'],
        ['stopping.iterations', '6'],
      ],
    },
  ],
  seeds: [1, 2],
  varies: null,
  target: 0.95,
};

const folder = emptiedFolder();

/** Forks after training. All episodes of an untrained tabular policy have the same reward. */
const forked: Experiment = {
  ...tiny,
  arms: tiny.arms.map((arm) => ({
    ...arm,
    set: [
      ...arm.set,
      ['horizon.schedule', 'fixed'],
      ['horizon.turns', '4'],
      ['evaluation.interval', '4'],
    ],
    autopsy: 'groups_agree',
  })),
  seeds: [1],
  target: null,
};

/** Runs a command with a policy that needs no GPU. */
async function run(
  command: typeof claimsCommand,
  args: string[],
  adapter = 'a processor',
  experiment = tiny,
) {
  const out: string[] = [];
  const log: string[] = [];
  const code = await command([...args, '--out', folder], {
    out: (line) => out.push(line),
    log: (line) => log.push(line),
    root: process.cwd(),
    readCode,
    find: (name) => (name === experiment.name ? experiment : findExperiment(name)),
    open: async () => ({ ...tableMachine, adapter }),
  });
  return { code, out: out.join('\n'), log: log.join('\n') };
}

const page = () => readFileSync(join(folder, 'tiny.md'), 'utf8');
/** Changes every kept file. */
function edit(change: (text: string) => string) {
  for (const name of readdirSync(join(folder, 'tiny'))) {
    const file = join(folder, 'tiny', name);
    writeFileSync(file, change(readFileSync(file, 'utf8')));
  }
}

describe('claims --confirm', () => {
  it('confirms stale runs whose first iterations match bit for bit', async () => {
    await run(reproduceCommand, ['tiny']);
    expect(await run(claimsCommand, ['--confirm', 'tiny'])).toMatchObject({
      code: 0,
      log: 'tiny: no run is stale',
    });
    // Simulates a later change of the code.
    edit((text) => text.replace(/"code": "\w+"/, '"code": "00000000deadbeef"'));
    await run(reproduceCommand, ['tiny', '--page']);
    expect(page()).toContain('†');

    const elsewhere = await run(claimsCommand, ['--confirm', 'tiny'], 'another');
    expect(elsewhere).toMatchObject({
      code: 1,
      log: expect.stringContaining('adapters round differently'),
    });

    // A new confirmation replaces one for an earlier version of the code.
    const earlier = {
      ...{ experiment: 'tiny', arm: 'only', seed: 1, from: '00000000deadbeef' },
      ...{ to: 'earlier', adapter: 'a processor', date: '2026-01-01' },
    };
    writeFileSync(join(folder, 'confirmed.json'), JSON.stringify([earlier]));
    const { code, log } = await run(claimsCommand, ['--confirm', 'tiny']);
    expect(code).toBe(0);
    expect(log).toContain('5 iterations match bit for bit');
    expect(JSON.parse(readFileSync(join(folder, 'confirmed.json'), 'utf8'))).toMatchObject([
      { experiment: 'tiny', arm: 'only', from: '00000000deadbeef', adapter: 'a processor' },
    ]);
    await run(reproduceCommand, ['tiny', '--page']);
    expect(page()).not.toContain('†');
  });

  it.skipIf(fast)('compares all numbers of runs with measurements after training', async () => {
    const confirm = () => run(claimsCommand, ['--confirm', 'tiny'], undefined, forked);
    await run(reproduceCommand, ['tiny'], undefined, forked);
    const old = (text: string) => text.replace(/"code": "\w+"/, '"code": "00000000deadbeef"');
    edit(old);
    expect(await confirm()).toMatchObject({
      code: 0,
      log: expect.stringContaining('all numbers match bit for bit'),
    });
    edit((text) => text.replace('"turnsToTarget": null', '"turnsToTarget": 7'));
    writeFileSync(join(folder, 'confirmed.json'), '[]');
    expect(await confirm()).toMatchObject({
      code: 1,
      log: expect.stringContaining('all numbers differ; run it again'),
    });
  });

  it('does not confirm a run whose first iterations differ in one bit or were not recorded', async () => {
    await run(reproduceCommand, ['tiny']);
    edit((text) =>
      text
        .replace(/"code": "\w+"/, '"code": "00000000deadbeef"')
        .replace(/"digest": "\w/, (start) =>
          start.endsWith('0') ? '"digest": "1' : '"digest": "0',
        ),
    );
    expect(await run(claimsCommand, ['--confirm', 'tiny'])).toMatchObject({
      code: 1,
      log: expect.stringContaining('5 iterations differ; run it again'),
    });
    edit((text) => {
      const { made: _, ...rest } = JSON.parse(text);
      return JSON.stringify(rest);
    });
    expect(await run(claimsCommand, ['--confirm', 'tiny'])).toMatchObject({
      code: 1,
      log: expect.stringContaining('its first iterations were not recorded'),
    });
  });
});

describe('claims', () => {
  it('finds every claim in this repository correct, and lists the kinds of claims', async () => {
    // Fix wrong numbers by hand or with: npm run claims -- --write
    const { code, out } = await run(claimsCommand, []);
    expect(out).toMatch(/\d+ claims in \d+ documents and \d+ generated pages: all correct/);
    expect(code).toBe(0);
    expect((await run(claimsCommand, ['--list'])).out).toContain('of EXPERIMENT ARM COLUMN');
    expect((await run(claimsCommand, ['--help'])).out).toContain('--confirm NAME');
    expect(await run(claimsCommand, ['--nonsense'])).toMatchObject({ code: 2 });
    expect(await run(claimsCommand, ['--confirm', 'none'])).toMatchObject({ code: 2 });
  });
});
