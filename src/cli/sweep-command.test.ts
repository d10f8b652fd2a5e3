import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fast } from '../../scripts/tier.mjs';
import { bundledProgram } from '../testing/program.ts';
import { sweepCommand } from './sweep-command.ts';

let program = '';
beforeAll(() => {
  program = bundledProgram('src/cli/sweep.ts');
});

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'palestra-'));
});
afterEach(() => rmSync(folder, { recursive: true, maxRetries: 5 }));

const sweepFile = (more = '') => {
  const file = join(folder, 'small.yaml');
  writeFileSync(
    file,
    `method: random
metric: {name: rollout/score, goal: maximize}
run_cap: 4
parameters:
  preset: {value: maze}
  seed: {values: [1, 2]}
  optimizer.learning_rate: {distribution: log_uniform_values, min: 0.0001, max: 0.01}
  rollout.tasks_per_iteration: {value: 2}
  rollout.group_size: {value: 2}
  algorithm.mini_batches: {value: 2}
  evaluation.interval: {value: 0}
  stopping.iterations: {value: 8}
${more}`,
  );
  return file;
};

/** The command in its own process group. */
function start(...args: readonly string[]) {
  const child = spawn(process.execPath, [program, ...args], {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  child.stdout.on('data', (piece) => {
    text += piece;
  });
  child.stderr.on('data', (piece) => {
    text += piece;
  });
  // On `exit`, output may still be unread.
  const code = new Promise<number | null>((done) => child.on('close', (status) => done(status)));
  return { child, code, text: () => text };
}

function killAll({ pid }: ChildProcess): void {
  if (pid !== undefined) process.kill(-pid, 'SIGKILL');
}

async function until(what: () => boolean): Promise<void> {
  while (!what()) await new Promise((wake) => setTimeout(wake, 20));
}

/** The runs that have a record. A process that is killed while it writes leaves a partial file. */
const recorded = (out: string) =>
  filesIn(join(out, 'runs')).flatMap((name) => /^(.*)[.]json$/.exec(name)?.[1] ?? []);

const filesIn = (place: string) => (existsSync(place) ? readdirSync(place) : []);

/** Number of runs that have begun. */
const begun = (out: string) => new Set([...filesIn(join(out, 'work')), ...recorded(out)]).size;

/** Every file of the results, by its name. */
function results(out: string): Record<string, string> {
  const names = recorded(out).map((run) => join('runs', `${run}.json`));
  return Object.fromEntries(
    [...names, 'README.md', 'trials.csv'].map((name) => [
      name,
      readFileSync(join(out, name), 'utf8'),
    ]),
  );
}

describe('npm run sweep', () => {
  it('resumes after being killed, with byte-identical results', async () => {
    const file = sweepFile();
    const whole = join(folder, 'whole');
    const undisturbed = start(file, '--out', whole, '--workers', '1', '--threads', '1');
    expect(await undisturbed.code, undisturbed.text()).toBe(0);

    const out = join(folder, 'killed');
    const args = [file, '--out', out, '--workers', '2', '--threads', '1', '--save-every', '1'];
    for (const seen of [1, 2]) {
      const killed = start(...args);
      await until(() => begun(out) >= seen);
      killAll(killed.child);
      await killed.code;
    }
    const last = start(...args);
    expect(await last.code, last.text()).toBe(0);
    expect(results(out)).toEqual(results(whole));
    expect(Object.keys(results(out))).toHaveLength(6);
    expect(readdirSync(join(out, 'work'))).toEqual([]);
  });

  it('saves its runs when a scheduler sends SIGTERM to the whole process group', async () => {
    const file = sweepFile();
    writeFileSync(
      file,
      readFileSync(file, 'utf8').replace('iterations: {value: 8}', 'iterations: {value: 9999}'),
    );
    const out = join(folder, 'out');
    const sweep = start(
      file,
      '--out',
      out,
      '--workers',
      '1',
      '--threads',
      '1',
      '--save-every',
      '9999',
    );
    await until(() => begun(out) > 0);
    process.kill(-(sweep.child.pid ?? 0), 'SIGTERM');
    expect(await sweep.code, sweep.text()).toBe(130);
    const [run = ''] = filesIn(join(out, 'work'));
    const saved = filesIn(join(out, 'work', run)).map((name) => name.replace(/-.*[.]/, '.'));
    expect(saved.sort()).toEqual(['ended-0001', 'epoch-0001', 'kept.json', 'kept.safetensors']);
  });

  it.skipIf(fast)('resumes from the last checkpoint after the disk was full', async ({ skip }) => {
    const disk = join(folder, 'disk');
    mkdirSync(disk);
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', disk]);
    skip(mounted.status !== 0, 'no small disk can be made: that takes Linux and root');
    try {
      const file = sweepFile();
      const whole = join(folder, 'whole');
      const undisturbed = start(file, '--out', whole, '--workers', '2', '--threads', '1');
      expect(await undisturbed.code, undisturbed.text()).toBe(0);
      const out = join(disk, 'out');
      const sweep = start(
        file,
        '--out',
        out,
        '--workers',
        '1',
        '--threads',
        '1',
        '--save-every',
        '1',
      );
      await until(() => existsSync(join(out, 'work')));
      const filler = openSync(join(disk, 'filler'), 'w');
      await until(() => {
        // Fills the disk again: the sweep frees space when it removes an old checkpoint.
        expect(() => {
          for (;;) writeSync(filler, Buffer.alloc(2 ** 12));
        }).toThrow('ENOSPC');
        return /ENOSPC/.test(sweep.text());
      });
      ftruncateSync(filler, 0);
      closeSync(filler);
      expect(await sweep.code, sweep.text()).toBe(0);
      expect(results(out)).toEqual(results(whole));
    } finally {
      spawnSync('umount', ['-l', disk]);
    }
  });

  it('rejects another sweep in the same folder and invalid files', async () => {
    const said: string[] = [];
    const run = (...args: readonly string[]) =>
      sweepCommand(args, {
        ...{ out: (line) => said.push(line), log: (line) => said.push(line) },
        ...{ program: 'none', cores: 2 },
        stopped: new AbortController().signal,
      });
    const out = join(folder, 'out');
    expect(await run(sweepFile(), '--out', out, '--page')).toBe(2);
    expect(said.at(-1)).toMatch(/out contains no sweep; create one with npm run sweep$/);
    expect(existsSync(out)).toBe(false);
    const print = ['--print', 'slurm', '--device', 'webgpu', '--save-every', '60'];
    expect(await run(sweepFile(), '--out', out, ...print)).toBe(0);
    expect(said.at(-1)).toMatch(/--run "\$SLURM_ARRAY_TASK_ID" --save-every 60 --device webgpu$/);
    expect(await run(sweepFile(), '--out', out, '--page')).toBe(0);
    expect(readFileSync(join(out, 'README.md'), 'utf8')).toContain('0 of 2 trials');
    expect(await run(sweepFile('  algorithm.epochs: {value: 2}'), '--out', out)).toBe(2);
    expect(said.at(-1)).toContain('contains another sweep, "small"');
    expect(await run(sweepFile('  algorithm.epoch: {value: 2}'), '--out', out)).toBe(2);
    expect(said.at(-1)).toMatch(/algorithm.epoch: unknown key. Did you mean algorithm.epochs\?$/);
    expect(await run(join(folder, 'none.yaml'))).toBe(2);
    expect(said.at(-1)).toMatch(/none.yaml cannot be read \(ENOENT\)$/);
    expect(await run(sweepFile(), '--out', folder)).toBe(2);
    expect(said.at(-1)).toMatch(/ is not empty: it contains .+; name another folder$/);
  });

  it('prints the command of its workers with the options that they need', async () => {
    const said: string[] = [];
    const out = join(folder, 'my sweep');
    // Nothing listens on port 1.
    const queue = ['--queue', 'redis://127.0.0.1:1', '--lock', '5', '--device', 'webgpu'];
    const code = await sweepCommand([sweepFile(), '--out', out, ...queue], {
      ...{ out: () => {}, log: (line) => said.push(line), program: 'none', cores: 2 },
      stopped: new AbortController().signal,
    });
    expect(code).toBe(1);
    expect(said).toContain(
      `start workers with: npm run --silent work -- --queue redis://127.0.0.1:1 --out '${out}' --lock 5 --device webgpu`,
    );
  });

  it('marks a trial that always fails and continues with the others', async () => {
    const file = sweepFile(
      '  optimizer.max_skipped: {value: 1}\n  agent.context_length: {values: [16, 128]}\n  agent.max_action_tokens: {value: 14}',
    );
    writeFileSync(
      file,
      readFileSync(file, 'utf8')
        .replace('random', 'grid')
        .replace(/ +optimizer.learning_rate.*\n/, ''),
    );
    const out = join(folder, 'out');
    const sweep = start(file, '--out', out, '--workers', '2', '--threads', '1');
    expect(await sweep.code, sweep.text()).toBe(0);
    expect(sweep.text()).toMatch(/failed: agent.context_length: must leave room/);
    const page = readFileSync(join(out, 'README.md'), 'utf8');
    expect(page).toContain('- Trial 1: agent.context_length: must leave room');
    expect(page).toContain('The best is trial 2');
    expect(page).toMatch(
      / {4}npm run --silent train -- --preset maze --seed 1 .* --device processor$/m,
    );
  });
});
