/**
 * Kills, suspends and resumes workers on a real Redis server and on PostgreSQL. `npm test` installs Redis if
 * permitted, and uses PostgreSQL if it is installed; tests whose server is missing are skipped.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { freePort } from '../../scripts/free-port.mjs';
import { findPostgres } from '../../scripts/postgres.mjs';
import { findRedis, REDIS_READY, redisAddress, redisArguments } from '../../scripts/redis.mjs';
import { fast, thorough } from '../../scripts/tier.mjs';
import { readSweep } from '../sweep/file.ts';
import { Draws } from '../sweep/random.ts';
import { bundledProgram } from '../testing/program.ts';
import { SweepFolder } from '../workers/sweep-folder.node.ts';

const redisProgram = findRedis();
const postgresPrograms = findPostgres();
/**
 * Ways to kill or suspend a process. The thorough tier draws one at random for each kill. Other tiers
 * start at `redis` and follow the list: Redis comes first, because a restarted coordinator needs it.
 */
const WAYS = ['alone', 'child', 'worker', 'redis', 'coordinator', 'stopped'] as const;
const KILLS = thorough ? 100 : 3;
/** Seconds; short, so that another worker soon takes over a dead worker's runs. */
const LOCK = 2;

let folder = '';
const started = new Set<ChildProcess>();
const programs: Record<string, string> = {};
beforeAll(() => {
  for (const name of ['sweep', 'work']) programs[name] = bundledProgram(`src/cli/${name}.ts`);
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'palestra-'));
});
afterEach(async () => {
  for (const child of started) {
    child.kill('SIGCONT');
    await kill(child);
  }
  started.clear();
  rmSync(folder, { recursive: true, maxRetries: 20, retryDelay: 100 });
});

function launch(command: string, args: readonly string[], owner: object = {}) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...owner });
  started.add(child);
  const said = { text: '' };
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (piece) => {
      said.text += piece;
    });
  }
  // On `exit`, output may still be unread.
  const code = new Promise<number | null>((done) => child.on('close', (status) => done(status)));
  return { child, said, code };
}
type Running = ReturnType<typeof launch>;

const node = (name: string, args: readonly string[]) =>
  launch(process.execPath, [programs[name] ?? '', ...args]);

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((done) => child.on('exit', done));
  child.kill('SIGKILL');
  await gone;
}

const sleep = (milliseconds: number) => new Promise((wake) => setTimeout(wake, milliseconds));

async function until(what: () => boolean): Promise<void> {
  while (!what()) await sleep(20);
}

/** The processes that a process has started. */
function childrenOf(pid: number): readonly number[] {
  return execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .flatMap(([own = 0, parent = 0]) => (parent === pid ? [own] : []));
}

/** A queue server. */
interface Server {
  readonly url: string;
  start(): Promise<void>;
  /** Kills the server immediately, as a power failure does. */
  kill(): Promise<void>;
}

class Redis implements Server {
  #running: Running | null = null;
  readonly port: number;
  constructor(port: number) {
    this.port = port;
  }
  get url() {
    return redisAddress(this.port);
  }
  async start(): Promise<void> {
    const data = join(folder, 'redis');
    mkdirSync(data, { recursive: true });
    const running = launch(redisProgram ?? 'redis-server', [
      ...redisArguments(this.port, data),
      ...['--appendfsync', 'always'],
    ]);
    this.#running = running;
    await until(() => running.said.text.includes(REDIS_READY));
  }
  async kill(): Promise<void> {
    if (this.#running !== null) await kill(this.#running.child);
  }
  forgetAll(): void {
    const cli = join(resolve(redisProgram ?? '', '..'), 'redis-cli');
    execFileSync(cli, ['-p', String(this.port), 'FLUSHALL']);
  }
}

/** Ids of the user that runs PostgreSQL, which refuses to run as root; null if that is not needed. */
function postgresOwner(): { readonly uid: number; readonly gid: number } | null {
  if (process.getuid?.() !== 0) return null;
  const id = (flag: string) => {
    const { status, stdout } = spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' });
    return status === 0 ? Number(stdout) : null;
  };
  const [uid, gid] = [id('-u'), id('-g')];
  return uid === null || gid === null ? null : { uid, gid };
}

class Postgres implements Server {
  #running: Running | null = null;
  readonly #port: number;
  readonly #home: string;
  readonly #owner = postgresOwner() ?? {};

  constructor(port: number) {
    this.#port = port;
    this.#home = mkdtempSync(join(tmpdir(), 'palestra-postgres-'));
    const owner = postgresOwner();
    if (owner !== null) chownSync(this.#home, owner.uid, owner.gid);
    const made = spawnSync(
      join(postgresPrograms ?? '', 'initdb'),
      ['-D', join(this.#home, 'data'), '-U', 'palestra', '-A', 'trust', '--no-sync'],
      { encoding: 'utf8', cwd: this.#home, ...this.#owner },
    );
    expect(made.status, made.stderr).toBe(0);
  }
  get url() {
    return `postgres://palestra@127.0.0.1:${this.#port}/postgres`;
  }
  async start(): Promise<void> {
    const running = launch(
      join(postgresPrograms ?? '', 'postgres'),
      [
        ...['-D', join(this.#home, 'data'), '-p', String(this.#port), '-h', '127.0.0.1'],
        ...['-k', this.#home],
      ],
      { cwd: this.#home, ...this.#owner },
    );
    this.#running = running;
    await until(() => running.said.text.includes('ready to accept connections'));
  }
  async kill(): Promise<void> {
    if (this.#running === null) return;
    // SIGKILL would leave its child processes running. SIGQUIT ends them without a clean shutdown, like a
    // crash.
    const { child } = this.#running;
    const gone = new Promise((done) => child.on('exit', done));
    child.kill('SIGQUIT');
    await gone;
  }
  remove(): void {
    rmSync(this.#home, { recursive: true, maxRetries: 20, retryDelay: 100 });
  }
}

/** A sweep whose runs take about a second each, with two seeds per learning rate. */
function sweepFile(more = '', rates = '0.0005, 0.001, 0.003'): string {
  const file = join(folder, 'small.yaml');
  writeFileSync(
    file,
    `method: grid
metric: {name: rollout/score, goal: maximize}
parameters:
  preset: {value: maze}
  seed: {values: [1, 2]}
  optimizer.learning_rate: {values: [${rates}]}
  rollout.tasks_per_iteration: {value: 2}
  rollout.group_size: {value: 2}
  algorithm.mini_batches: {value: 2}
  evaluation.interval: {value: 0}
  stopping.iterations: {value: 20}
${more}`,
  );
  return file;
}

const here = ['--workers', '1', '--threads', '1', '--save-every', '1'];

function records(out: string): Record<string, string> {
  const runs = join(out, 'runs');
  // A process that ends while it writes leaves a partial file, which no reader opens.
  const names = readdirSync(runs).filter((name) => name.endsWith('.json'));
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(runs, name), 'utf8')]));
}

/** The records of the same sweep when nothing interrupts it. */
async function undisturbed(file: string): Promise<Record<string, string>> {
  const out = join(folder, 'undisturbed');
  const sweep = node('sweep', [file, '--out', out, '--workers', '2', '--threads', '1']);
  expect(await sweep.code, sweep.said.text).toBe(0);
  return records(out);
}

/** A coordinator and two workers on a queue; killed processes are restarted. */
class Site {
  readonly server: Server;
  readonly #file: string;
  readonly out: string;
  coordinator: Running;
  workers: Running[];
  /** Output of all processes that have ended. */
  told = '';

  constructor(server: Server, file: string, out: string) {
    this.server = server;
    this.#file = file;
    this.out = out;
    this.coordinator = this.#lead();
    this.workers = [];
  }

  #queue() {
    return ['--out', this.out, '--queue', this.server.url, '--lock', String(LOCK)];
  }

  #lead(): Running {
    return node('sweep', [this.#file, ...this.#queue()]);
  }

  async join(): Promise<void> {
    await until(() => existsSync(join(this.out, 'sweep.json')));
    this.workers = [0, 1].map(() => this.#work());
  }

  #work(): Running {
    return node('work', [...this.#queue(), ...here]);
  }

  async killCoordinator(): Promise<void> {
    await kill(this.coordinator.child);
    this.told += this.coordinator.said.text;
    this.coordinator = this.#lead();
  }

  async killWorker(which: number): Promise<void> {
    const worker = this.workers[which];
    if (worker === undefined) return;
    await kill(worker.child);
    this.told += worker.said.text;
    this.workers[which] = this.#work();
  }

  killComputing(which: number): void {
    for (const pid of childrenOf(this.workers[which]?.child.pid ?? 0)) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has exited on its own.
      }
    }
  }

  /** Suspends a worker for longer than its lock lasts, so that others take over its runs. */
  async suspendWorker(which: number, alone: boolean): Promise<void> {
    const pid = this.workers[which]?.child.pid;
    if (pid === undefined) return;
    const stopped = alone ? [pid] : [pid, ...childrenOf(pid)];
    const signal = (name: NodeJS.Signals) => {
      for (const one of stopped) {
        try {
          process.kill(one, name);
        } catch {
          // It has exited in the meantime.
        }
      }
    };
    signal('SIGSTOP');
    await sleep(2500 * LOCK);
    signal('SIGCONT');
  }

  get done(): boolean {
    return this.coordinator.child.exitCode !== null;
  }

  async end(): Promise<void> {
    await this.coordinator.code;
    this.told += this.coordinator.said.text;
    expect(this.coordinator.child.exitCode, this.told).toBe(0);
    for (const worker of this.workers) {
      await worker.code;
      this.told += worker.said.text;
    }
  }
}

describe.skipIf(redisProgram === null)('a sweep on a Redis queue', () => {
  const runs = thorough ? 6 : 4;
  const prepare = async () => {
    const redis = new Redis(await freePort());
    await redis.start();
    return { redis, file: thorough ? sweepFile() : sweepFile('', '0.001, 0.003') };
  };

  it.skipIf(fast)(
    `produces byte-identical results after ${KILLS} kills`,
    {
      timeout: 3_600_000,
    },
    async () => {
      const { redis, file } = await prepare();
      const expected = await undisturbed(file);
      expect(Object.keys(expected)).toHaveLength(runs);
      const draws = new Draws(KILLS, 1);
      const done: Record<string, number> = {};
      for (let kills = 0, sweeps = 0; kills < KILLS; sweeps++) {
        const site = new Site(redis, file, join(folder, `sweep-${sweeps}`));
        await site.join();
        while (kills < KILLS && !site.done) {
          await until(() => existsSync(join(site.out, 'work')) || site.done);
          await sleep(500 + 2500 * draws.uniform());
          if (site.done) break;
          const which = draws.below(2);
          const name = WAYS[thorough ? draws.below(6) : 3 + kills] ?? 'child';
          kills++;
          done[name] = (done[name] ?? 0) + 1;
          if (name === 'child') site.killComputing(which);
          else if (name === 'worker') await site.killWorker(which);
          else if (name === 'coordinator') await site.killCoordinator();
          else if (name === 'redis') {
            await redis.kill();
            await sleep(1000 * draws.uniform());
            await redis.start();
          } else await site.suspendWorker(which, name === 'alone');
        }
        await site.end();
        const found = records(site.out);
        expect(Object.keys(found), site.told).toEqual(Object.keys(expected));
        for (const [name, text] of Object.entries(expected)) {
          expect(found[name] === text, `${name} differs; ${site.told}`).toBe(true);
        }
        expect(site.told).not.toContain('with another result');
      }
      console.log(`killed: ${JSON.stringify(done)}`);
    },
  );

  it.skipIf(fast)('finishes every run even if the queue loses its contents', async () => {
    const { redis, file } = await prepare();
    const site = new Site(redis, file, join(folder, 'out'));
    await site.join();
    await until(() => existsSync(join(site.out, 'runs')));
    redis.forgetAll();
    await site.end();
    expect(Object.keys(records(site.out))).toHaveLength(runs);
    const folderOf = SweepFolder.open(site.out);
    for (const { outcome } of folderOf.records().values()) expect(outcome).toBe('finished');
  });
});

describe.skipIf(postgresPrograms === null || fast)('a sweep on a PostgreSQL queue', () => {
  it('produces byte-identical results when a worker and the server are killed', async () => {
    const server = new Postgres(await freePort());
    try {
      await server.start();
      const file = thorough ? sweepFile() : sweepFile('', '0.001');
      const expected = await undisturbed(file);
      const site = new Site(server, file, join(folder, 'out'));
      await site.join();
      await until(() => existsSync(join(site.out, 'work')));
      await site.killWorker(0);
      await until(() => existsSync(join(site.out, 'runs')));
      await server.kill();
      await server.start();
      await site.end();
      expect(records(site.out)).toEqual(expected);
      expect(site.told).not.toContain('with another result');
    } finally {
      await server.kill();
      server.remove();
    }
  });
});

describe('a sweep’s folder', () => {
  const sweep = () => readSweep(readFileSync(sweepFile(), 'utf8'), 'small').sweep;
  const bytes = (...values: number[]) => new Uint8Array(values);

  it('returns the older state if the newer one is damaged or incomplete', () => {
    const out = SweepFolder.begin(join(folder, 'out'), sweep(), 4);
    const epoch = out.takeOver('run');
    const rows = [{ iteration: 1 }];
    out.keep('run', epoch, { iteration: 1, rows, rungs: [], checkpoint: bytes(1, 2, 3) });
    out.keep('run', epoch, { iteration: 2, rows, rungs: [], checkpoint: bytes(4, 5, 6) });
    expect(out.newest('run')).toMatchObject({ iteration: 2, checkpoint: bytes(4, 5, 6) });
    const work = join(folder, 'out', 'work', 'run');
    truncateSync(join(work, 'kept-000000002-0001.safetensors'), 2);
    expect(out.newest('run')).toMatchObject({ iteration: 1, checkpoint: bytes(1, 2, 3) });
    // A full disk left a third state incomplete: a checkpoint without rows, and a partial file.
    writeFileSync(join(work, 'kept-000000003-0001.safetensors'), bytes(7));
    writeFileSync(join(work, 'kept-000000003-0001.json.x.part'), '{"iter');
    expect(out.newest('run').iteration).toBe(1);
  });

  it('grants a run only to its newest owner', () => {
    const out = SweepFolder.begin(join(folder, 'out'), sweep(), 4);
    const first = out.takeOver('run');
    expect(out.isHeld('run', first)).toBe(true);
    const second = out.takeOver('run');
    expect([out.isHeld('run', first), out.isHeld('run', second)]).toEqual([false, true]);
  });
});

describe('npm run work', () => {
  it('reports a missing queue or sweep with a one-line message', async () => {
    const file = sweepFile();
    const out = join(folder, 'out');
    // Nothing listens on port 1; another program could take a free port.
    const queue = ['--queue', 'redis://127.0.0.1:1'];
    const nobody = node('work', ['--out', join(folder, 'none'), ...queue]);
    expect(await nobody.code).toBe(2);
    expect(nobody.said.text).toContain('contains no sweep; create one with npm run sweep');
    const alone = node('sweep', [file, '--out', out, ...queue]);
    expect(await alone.code).toBe(1);
    expect(alone.said.text).toMatch(
      /is not responding \(.*ECONNREFUSED.*\); start it with redis-server/,
    );
    const database = 'postgres://127.0.0.1:1/none';
    const other = node('sweep', [file, '--out', out, '--queue', database]);
    expect(await other.code).toBe(1);
    expect(other.said.text).toMatch(/cannot hold the queue \(.*ECONNREFUSED.*\); start PostgreSQL/);
    const wrong = node('sweep', [file, '--out', out, '--queue', 'localhost']);
    expect(await wrong.code).toBe(2);
    expect(wrong.said.text).toContain('--queue must be an address such as redis://localhost:6379');
  });

  it('computes a single run by its number, as a cluster does', async () => {
    const file = sweepFile();
    const out = join(folder, 'out');
    const printed = node('sweep', [file, '--out', out, '--print', 'k8s']);
    expect(await printed.code, printed.said.text).toBe(0);
    expect(printed.said.text).toContain('completions: 6');
    const array = node('sweep', [file, '--out', out, '--print', 'slurm']);
    expect(await array.code).toBe(0);
    expect(array.said.text).toContain('#SBATCH --array=0-5%8');
    const one = node('work', ['--out', out, '--run', '3', '--threads', '1']);
    expect(await one.code, one.said.text).toBe(0);
    expect(Object.keys(records(out))).toEqual(['trial-0002-seed-2.json']);
  });
});
