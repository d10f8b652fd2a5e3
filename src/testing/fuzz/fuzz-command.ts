import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { EXIT_FAILED, EXIT_USAGE, parseFlags, UsageError } from '../../cli/usage.ts';
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

const flags = {
  cases: { type: 'string' },
  minutes: { type: 'string' },
  reader: { type: 'string', multiple: true },
  seed: { type: 'string' },
  case: { type: 'string' },
  milliseconds: { type: 'string' },
  out: { type: 'string' },
  batch: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

const defaults = { cases: 100_000, seed: 1, milliseconds: 2000 } as const;
/** As `docs/EXCHANGE.md` promises. */
const MEGABYTES = 64;
/** A new process for so many cases: what one leaves behind is not laid to another's charge for long. */
const BATCH = 5000;
/** Of JavaScript's objects, in megabytes. */
const HEAP = 384;
/** Findings of one cause that are kept of a reader, and causes. */
const MOST_ALIKE = 3;

const help = (
  readers: readonly Reader[],
) => `Gives every reader of something from outside inputs that were changed at random.

  npm run fuzz -- [--cases N] [--minutes M] [--reader NAME]… [--seed N] [--case K]

  --cases N        cases a reader; ${defaults.cases} if not given
  --minutes M      end after so many minutes, which the readers share evenly
  --reader NAME    this reader alone; may be given several times
  --seed N         of the changes; ${defaults.seed} if not given. The same seed gives the same cases
  --case K         run case K alone, and show what it ends in; with one --reader
  --milliseconds N what a case may take of the processor, and half as long again for each 100 KB of its
                   input; ${defaults.milliseconds} if not given
  --out DIR        where findings go; node_modules/.cache/palestra/fuzz if not given
  --help           print this and end

A case must end within its time, make the process at most ${MEGABYTES} MB larger, leave every built-in
prototype as it is, and throw nothing but its reader's own errors. What each that does not ends in is
written to a file, with the command that runs it again. The exit code is 1 where there is any.

Readers: ${readers.map(({ name }) => name).join(', ')}.
`;

/** Finding with what is known of it. */
interface KeptFinding extends Finding {
  /** Whether the case by itself, in a new process, went wrong in the same way. */
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
 * @param readers that are tried
 * @returns the exit code
 */
export async function fuzzCommand(
  args: readonly string[],
  readers: readonly Reader[],
): Promise<number> {
  try {
    const values = parseFlags(args, flags);
    if (values.batch !== undefined) {
      await runBatch(JSON.parse(values.batch) as Batch, readers);
      return 0;
    }
    if (values.help === true) {
      process.stdout.write(help(readers));
      return 0;
    }
    const unknown = values.reader?.find((name) => !readers.some((reader) => reader.name === name));
    if (unknown !== undefined) throw new UsageError(`there is no reader ${unknown}; see --help`);
    const wanted = values.reader ?? readers.map(({ name }) => name);
    const milliseconds = number('--milliseconds', values.milliseconds, defaults.milliseconds);
    const fuzzer = new Fuzzer({
      seed: number('--seed', values.seed, defaults.seed),
      bounds: { milliseconds, millisecondsPer100kB: milliseconds / 2, megabytes: MEGABYTES },
      out: resolve(values.out ?? join('node_modules', '.cache', 'palestra', 'fuzz')),
    });
    if (values.case !== undefined) {
      const [name] = wanted;
      if (values.reader?.length !== 1 || name === undefined) {
        throw new UsageError('--case needs one --reader');
      }
      return await fuzzer.replay(name, number('--case', values.case, 0));
    }
    const cases = number('--cases', values.cases, defaults.cases);
    const minutes = values.minutes === undefined ? Infinity : Number(values.minutes);
    if (!(minutes > 0)) throw new UsageError(`--minutes takes a number, got ${values.minutes}`);
    return await fuzzer.runAll(wanted, cases, minutes);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return EXIT_USAGE;
  }
}

function number(flag: string, text: string | undefined, otherwise: number): number {
  const value = text === undefined ? otherwise : Number(text);
  if (Number.isSafeInteger(value) && value >= 0 && text !== '') return value;
  throw new UsageError(`${flag} takes a whole number, got ${text}`);
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

  /** Runs one case alone and shows what it ends in. */
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
      // Every reader gets some cases, however late it is.
      if (left <= 0 && at > 0) break;
      const to = Math.min(cases, at + BATCH);
      const { result, findings, reached } = await this.#batch(name, at, to, Math.max(1, left));
      for (const finding of findings) {
        const alike = totals.findings.filter(({ signature }) => signature === finding.signature);
        if (alike.length >= MOST_ALIKE) continue;
        const { finding: again } = await this.#alone(name, finding.case);
        // What a case of thousands took may be what others left behind.
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

  /** Runs cases in a process of their own. One that it does not survive is a finding, and the last. */
  async #batch(name: string, from: number, to: number, seconds: number) {
    const progress = join(this.#scratch, 'case');
    writeFileSync(progress, '');
    const { seed, bounds } = this.#settings;
    const batch: Batch = {
      ...{ reader: name, seed, from, to, bounds, progress },
      // JSON has no word for infinity.
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
      throw new Error(`The reader ${name} does not begin (${end}):\n${complaint}`);
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
    const alone = finding.again ? '' : ' (not by itself)';
    writeFileSync(file, `${finding.kind}${alone}: ${finding.detail}\n\nAgain: ${command}\n`);
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
    `refused ${errors === '' ? 0 : errors}`,
    `${findings.length} findings`,
    `slowest ${slowest.milliseconds.toFixed(0)} ms (${slowest.case})`,
    `largest ${largest.megabytes.toFixed(0)} MB (${largest.case})`,
    `${seconds.toFixed(1)} s of the processor`,
  ].join(', ');
}
