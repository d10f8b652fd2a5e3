/**
 * Measures how a queue and a second worker affect the duration of a sweep. The same runs, each on one thread,
 * are computed by one process without a queue, by one queue worker, and by two.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { freePort } from '../scripts/free-port.mjs';
import { findRedis, REDIS_READY, redisAddress, redisArguments } from '../scripts/redis.mjs';

export interface SweepTiming {
  readonly runs: number;
  /** Approximate duration of one run. */
  readonly seconds: number;
}

export interface SweepTimes {
  readonly runs: number;
  readonly iterations: number;
  /** Seconds from the start of the commands to the end of the coordinator. */
  readonly alone: number;
  readonly oneWorker: number;
  readonly twoWorkers: number;
  /** Whether every record is byte-identical in all three. */
  readonly same: boolean;
}

/** @param log receives one line per step */
export async function sweepTimes(
  { runs, seconds }: SweepTiming,
  log: (line: string) => void,
): Promise<SweepTimes> {
  const redis = findRedis();
  if (redis === null) throw new Error('no redis-server was found; npm test installs one');
  const folder = mkdtempSync(join(tmpdir(), 'palestra-'));
  const server = await startRedis(redis, folder);
  try {
    for (const name of ['sweep', 'work']) bundle(name);
    const iterations = await iterationsOf(folder, seconds);
    log(`${runs} runs of ${iterations} iterations`);
    const file = sweepFile(folder, 'measured', runs, iterations);
    const measure = async (name: string, workers: number | null) => {
      const out = join(folder, name);
      const time = await timed(file, out, workers === null ? null : { url: server.url, workers });
      log(`${name}: ${time.toFixed(1)} s`);
      return { time, records: recordsOf(out) };
    };
    const alone = await measure('one process, no queue', null);
    const one = await measure('a queue and one worker', 1);
    const two = await measure('a queue and two workers', 2);
    return {
      ...{ runs, iterations, alone: alone.time, oneWorker: one.time, twoWorkers: two.time },
      same: one.records === alone.records && two.records === alone.records,
    };
  } finally {
    server.process.kill('SIGKILL');
    rmSync(folder, { recursive: true, maxRetries: 20, retryDelay: 100 });
  }
}

export function sweepTable({
  runs,
  iterations,
  alone,
  oneWorker,
  twoWorkers,
  same,
}: SweepTimes): string {
  const share = (value: number) => `${(100 * value).toFixed(1)}%`;
  return [
    `${runs} runs of ${iterations} iterations, one thread each`,
    '',
    '| | s |',
    '|---|---|',
    `| one process, no queue | ${alone.toFixed(1)} |`,
    `| a queue and one worker | ${oneWorker.toFixed(1)} |`,
    `| a queue and two workers | ${twoWorkers.toFixed(1)} |`,
    '',
    `Two workers take ${share(twoWorkers / oneWorker)} of one worker's time. The queue adds ${share(oneWorker / alone - 1)}.`,
    same ? 'All records are byte-identical.' : 'THE RECORDS DIFFER.',
  ].join('\n');
}

const programOf = (name: string) => resolve(`node_modules/.cache/palestra/src-cli-${name}.mjs`);

/** Bundles a command, so that only the command is timed. */
function bundle(name: string): void {
  const { status } = spawnSync(process.execPath, [
    ...['scripts/run.mjs', `src/cli/${name}.ts`, '--help'],
  ]);
  if (status !== 0) throw new Error(`src/cli/${name}.ts could not be bundled`);
}

function sweepFile(folder: string, name: string, runs: number, iterations: number): string {
  const file = join(folder, `${name}.yaml`);
  const seeds = Array.from({ length: runs }, (_, i) => i + 1).join(', ');
  writeFileSync(
    file,
    `method: grid
metric: {name: rollout/score, goal: maximize}
parameters:
  preset: {value: maze}
  seed: {values: [${seeds}]}
  evaluation.interval: {value: 0}
  stopping.success: {value: 0}
  stopping.iterations: {value: ${iterations}}
`,
  );
  return file;
}

/** Number of iterations that take a given number of seconds, from two runs with equal start-up costs. */
async function iterationsOf(folder: string, seconds: number): Promise<number> {
  const [few, many] = [5, 45];
  const timeOf = (iterations: number) =>
    timed(
      sweepFile(folder, `rate-${iterations}`, 1, iterations),
      join(folder, `rate-${iterations}`),
      null,
    );
  const [before, after] = [await timeOf(few), await timeOf(many)];
  const each = Math.max(1e-3, (after - before) / (many - few));
  return Math.max(few, Math.round(seconds / each));
}

/** Seconds until a sweep has finished. */
async function timed(
  file: string,
  out: string,
  queue: { readonly url: string; readonly workers: number } | null,
): Promise<number> {
  const began = performance.now();
  const here = ['--workers', '1', '--threads', '1'];
  const shared = queue === null ? here : ['--queue', queue.url];
  const lead = start('sweep', [file, '--out', out, ...shared]);
  const workers: Promise<void>[] = [];
  if (queue !== null) {
    while (!readable(out)) await new Promise((wake) => setTimeout(wake, 20));
    for (let i = 0; i < queue.workers; i++) {
      workers.push(start('work', ['--out', out, '--queue', queue.url, ...here]));
    }
  }
  await lead;
  const seconds = (performance.now() - began) / 1000;
  await Promise.all(workers);
  return seconds;
}

function readable(out: string): boolean {
  try {
    return readdirSync(out).includes('sweep.json');
  } catch {
    return false;
  }
}

function start(name: string, args: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, [programOf(name), ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (piece) => {
    said += piece;
  });
  return new Promise((done, fail) => {
    child.on('exit', (code) => {
      if (code === 0) done();
      else fail(new Error(`${name} ended with ${code}: ${said}`));
    });
  });
}

function recordsOf(out: string): string {
  const runs = join(out, 'runs');
  return readdirSync(runs)
    .sort()
    .map((name) => readFileSync(join(runs, name), 'utf8'))
    .join('');
}

async function startRedis(
  program: string,
  folder: string,
): Promise<{ readonly url: string; readonly process: ChildProcess }> {
  const port = await freePort();
  const data = join(folder, 'redis');
  mkdirSync(data);
  const child = spawn(program, redisArguments(port, data), { stdio: ['ignore', 'pipe', 'ignore'] });
  await new Promise<void>((ready, fail) => {
    let said = '';
    child.stdout.on('data', (piece) => {
      said += piece;
      if (said.includes(REDIS_READY)) ready();
    });
    child.on('exit', () => fail(new Error(`redis-server ended: ${said}`)));
  });
  return { url: redisAddress(port), process: child };
}
