import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { Command, optional, repeated, whole, withDefault } from '../../cli/flags.ts';
import { EXIT_FAILED, exitCode, UsageError } from '../../cli/usage.ts';
import { suggestion } from '../../config/nearest.ts';
import {
  type Batch,
  type BatchResult,
  type Bounds,
  type Fault,
  type Finding,
  type Message,
  runBatch,
} from './cases.ts';
import type { Reader } from './reader.ts';

/** The memory limit stated in docs/EXCHANGE.md. */
const MEGABYTES = 64;
const MOST_CASES = 1e12;
/** Cases per process. A new process is not charged for memory that earlier cases did not free. */
const BATCH = 5000;
/** Limit of the JavaScript heap, in megabytes. */
const HEAP = 384;
/** Maximum number of findings kept per cause. */
const MOST_ALIKE = 3;

const fuzz = new Command({
  name: 'fuzz',
  about: 'Runs every reader of external input on randomly mutated inputs.',
  flags: {
    cases: withDefault(100_000, optional('N', 'cases per reader', whole(0, MOST_CASES))),
    minutes: optional('M', 'stop after M minutes, divided evenly among the readers', positive),
    reader: repeated('NAME', 'only this reader'),
    seed: withDefault(
      1,
      optional('N', 'random seed; the same seed gives the same cases', whole(0, MOST_CASES)),
    ),
    case: optional(
      'K',
      'run only case K and print its result; requires exactly one --reader',
      whole(0, MOST_CASES),
    ),
    milliseconds: withDefault(
      2000,
      optional(
        'N',
        'CPU time limit of a case in milliseconds, plus half as much for each 100 KB of input',
        whole(1, 3_600_000),
      ),
    ),
    out: withDefault(
      join('node_modules', '.cache', 'palestra', 'fuzz'),
      optional('DIR', 'the folder for findings'),
    ),
    batch: optional('JSON', 'internal: the batch of a child process'),
  },
  notes:
    () => `A case must finish within its time limit, grow the process by at most ${MEGABYTES} MB, leave
built-in prototypes unchanged and throw only the error classes of its reader. Each violation is
written to a file with the command that reproduces it, and the exit code is 1.`,
});

/** A finding and whether it can be reproduced. */
interface KeptFinding extends Finding {
  /** Whether the case alone, in a new process, fails in the same way. */
  readonly again: boolean;
}

interface Totals {
  cases: number;
  accepted: number;
  readonly refused: Map<string, number>;
  readonly findings: KeptFinding[];
  slowest: BatchResult['slowest'];
  largest: BatchResult['largest'];
  seconds: number;
}

/**
 * @param readers all readers
 * @returns the exit code
 */
export function fuzzCommand(args: readonly string[], readers: readonly Reader[]): Promise<number> {
  const log = (line: string) => void process.stderr.write(`${line}\n`);
  return exitCode({ log }, [], async () => {
    const parsed = fuzz.parse(args);
    if (parsed === null) {
      const names = readers.map(({ name }) => name).join(', ');
      process.stdout.write(`${fuzz.help()}\n\nReaders: ${names}.\n`);
      return 0;
    }
    const { values } = parsed;
    if (values.batch !== undefined) {
      await runBatch(JSON.parse(values.batch) as Batch, readers);
      return 0;
    }
    const known = readers.map(({ name }) => name);
    const unknown = values.reader.find((name) => !known.includes(name));
    if (unknown !== undefined) {
      throw new UsageError(`no reader is called ${unknown}${suggestion(unknown, known)}`);
    }
    const wanted = values.reader.length === 0 ? known : values.reader;
    const { milliseconds, seed, cases, minutes = Number.POSITIVE_INFINITY } = values;
    const fuzzer = new Fuzzer({
      seed,
      bounds: { milliseconds, millisecondsPer100kB: milliseconds / 2, megabytes: MEGABYTES },
      out: resolve(values.out),
    });
    if (values.case === undefined) return await fuzzer.runAll(wanted, cases, minutes);
    const [name, ...others] = values.reader;
    if (name === undefined || others.length > 0)
      throw new UsageError('--case requires exactly one --reader');
    return await fuzzer.replay(name, values.case);
  });
}

function positive(text: string, name: string): number {
  if (Number(text) > 0) return Number(text);
  throw new UsageError(`--${name} must be a number above 0, got ${JSON.stringify(text)}`);
}

interface Settings {
  readonly seed: number;
  readonly bounds: Bounds;
  readonly out: string;
}

class Fuzzer {
  readonly #settings: Settings;
  readonly #scratch = mkdtempSync(join(tmpdir(), 'palestra-fuzz-'));

  constructor(settings: Settings) {
    this.#settings = settings;
    process.on('exit', () => rmSync(this.#scratch, { recursive: true, force: true }));
  }

  async runAll(names: readonly string[], cases: number, minutes: number): Promise<number> {
    const ends = performance.now() + 60_000 * minutes;
    let findings = 0;
    let total = 0;
    for (const [i, name] of names.entries()) {
      const share = (ends - performance.now()) / 1000 / (names.length - i);
      const totals = await this.#run(name, cases, share);
      findings += totals.findings.length;
      total += totals.cases;
      process.stdout.write(`${line(name, totals)}\n`);
      for (const finding of totals.findings) process.stdout.write(`${this.#keep(name, finding)}\n`);
    }
    process.stdout.write(`${total} cases, ${findings} findings\n`);
    return findings > 0 ? EXIT_FAILED : 0;
  }

  /** Runs one case alone and shows its result. */
  async replay(name: string, at: number): Promise<number> {
    const { result, finding } = await this.#alone(name, at);
    if (finding === null) {
      const refused = Object.keys(result?.refused ?? {})[0];
      process.stdout.write(`${name} ${at}: ${refused ?? 'accepted'}\n`);
      return 0;
    }
    process.stdout.write(`${name} ${at}: ${finding.kind}: ${finding.detail}\n`);
    return EXIT_FAILED;
  }

  async #run(name: string, cases: number, seconds: number): Promise<Totals> {
    const totals: Totals = {
      ...{ cases: 0, accepted: 0, refused: new Map(), findings: [], seconds: 0 },
      slowest: { milliseconds: 0, case: 0 },
      largest: { megabytes: 0, case: 0 },
    };
    const ends = performance.now() + 1000 * seconds;
    for (let at = 0; at < cases; ) {
      const left = (ends - performance.now()) / 1000;
      // Every reader gets some cases, even after the deadline.
      if (left <= 0 && at > 0) break;
      const to = Math.min(cases, at + BATCH);
      const { result, findings, reached } = await this.#batch(name, at, to, Math.max(1, left));
      for (const finding of findings) {
        const alike = totals.findings.filter(({ signature }) => signature === finding.signature);
        if (alike.length >= MOST_ALIKE) continue;
        const { finding: again } = await this.#alone(name, finding.case);
        // A slow or large case among thousands may be due to earlier cases.
        if (again === null && (finding.kind === 'slow' || finding.kind === 'growth')) continue;
        totals.findings.push({ ...finding, again: again?.kind === finding.kind });
      }
      totals.cases += reached - at;
      at = reached;
      if (result === null) continue;
      totals.accepted += result.accepted;
      totals.seconds += result.seconds;
      for (const [error, count] of Object.entries(result.refused)) {
        totals.refused.set(error, (totals.refused.get(error) ?? 0) + count);
      }
      if (result.slowest.milliseconds > totals.slowest.milliseconds)
        totals.slowest = result.slowest;
      if (result.largest.megabytes > totals.largest.megabytes) totals.largest = result.largest;
    }
    return totals;
  }

  async #alone(name: string, at: number) {
    const { result, findings } = await this.#batch(name, at, at + 1, Infinity);
    return { result, finding: findings[0] ?? null };
  }

  /** Runs cases in a separate process. A case that crashes it is a finding and ends the batch. */
  async #batch(name: string, from: number, to: number, seconds: number) {
    const progress = join(this.#scratch, 'case');
    writeFileSync(progress, '');
    const { seed, bounds } = this.#settings;
    const batch: Batch = {
      ...{ reader: name, seed, from, to, bounds, progress },
      // JSON has no infinity.
      seconds: Math.min(seconds, 1e9),
    };
    const child = spawn(
      process.execPath,
      [
        ...[`--max-old-space-size=${HEAP}`, '--enable-source-maps', process.argv[1] ?? ''],
        ...['--batch', JSON.stringify(batch)],
      ],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    );
    const findings: Finding[] = [];
    let result: BatchResult | null = null;
    let complaint = '';
    child.stderr.on('data', (data) => {
      complaint = (complaint + data).slice(-4000);
    });
    const ended = new Promise<string>((done) => {
      child.on('close', (code, signal) => done(signal ?? `exit code ${code}`));
    });
    for await (const text of createInterface({ input: child.stdout })) {
      const message = JSON.parse(text) as Message;
      if (message.type === 'finding') findings.push(message);
      else result = message;
    }
    const end = await ended;
    if (result !== null) return { result: result as BatchResult, findings, reached: result.to };
    const last = readFileSync(progress);
    if (last.length < 8) {
      throw new Error(`The reader ${name} does not start (${end}):\n${complaint}`);
    }
    const at = last.readDoubleLE();
    if (!findings.some((finding) => finding.kind === 'hang')) {
      findings.push({
        ...{ kind: 'crash', case: at, signature: 'crash' },
        detail: `its process ended with ${end}\n${complaint}`,
      } satisfies { readonly kind: Fault } & Finding);
    }
    return { result, findings, reached: at + 1 };
  }

  /** Writes a finding to files. Returns a line about it. */
  #keep(name: string, finding: KeptFinding): string {
    const { out, seed } = this.#settings;
    mkdirSync(out, { recursive: true });
    const file = join(out, `${name}-${seed}-${finding.case}.txt`);
    const command = `npm run fuzz -- --reader ${name} --seed ${seed} --case ${finding.case}`;
    const alone = finding.again ? '' : ' (not reproduced alone)';
    writeFileSync(file, `${finding.kind}${alone}: ${finding.detail}\n\nReproduce: ${command}\n`);
    const [first = ''] = finding.detail.split('\n');
    return `  ${finding.kind}${alone}: ${first.slice(0, 160)}\n    ${command}\n    ${file}`;
  }
}

function line(name: string, totals: Totals): string {
  const { cases, accepted, refused, findings, slowest, largest, seconds } = totals;
  const errors = [...refused].map(([error, count]) => `${error} ${count}`).join(', ');
  return [
    `${name}: ${cases} cases`,
    `accepted ${accepted}`,
    `rejected ${errors === '' ? 0 : errors}`,
    `${findings.length} findings`,
    `slowest ${slowest.milliseconds.toFixed(0)} ms (${slowest.case})`,
    `largest ${largest.megabytes.toFixed(0)} MB (${largest.case})`,
    `${seconds.toFixed(1)} s of CPU time`,
  ].join(', ');
}
