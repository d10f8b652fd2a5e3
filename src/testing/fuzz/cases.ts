/** Runs cases in this process, one at a time, and reports each failure. */
import { closeSync, openSync, writeSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { RandomStream } from '../../training/random.ts';
import { pick } from './bytes.ts';
import { isRefusal, type Reader } from './reader.ts';

/** Resource limits of a case. */
export interface Bounds {
  /** CPU time in milliseconds: a constant plus an amount per 100 KB of input. */
  readonly milliseconds: number;
  readonly millisecondsPer100kB: number;
  /** Maximum growth of the process's memory, in megabytes (2^20 bytes). */
  readonly megabytes: number;
}

/** Cases of one reader, to be run in a separate process. */
export interface Batch {
  readonly reader: string;
  readonly seed: number;
  readonly from: number;
  /** End of the range, exclusive. */
  readonly to: number;
  /** No case starts later than this many seconds after the first. */
  readonly seconds: number;
  readonly bounds: Bounds;
  /** A file that always contains the number of the current case. */
  readonly progress: string;
}

export type Fault = 'error' | 'slow' | 'growth' | 'hang' | 'crash' | 'prototype';

/** A failed case. */
export interface Finding {
  readonly kind: Fault;
  readonly case: number;
  /** The error that was thrown, or the resources used. */
  readonly detail: string;
  /** Identical for findings with the same cause. */
  readonly signature: string;
}

/** A line of a batch's output. */
export type Message =
  | ({ readonly type: 'finding' } & Finding)
  | ({ readonly type: 'end' } & BatchResult);

export interface BatchResult {
  /** The case after the last one that was run. */
  readonly to: number;
  readonly accepted: number;
  /** Number of rejected inputs by error class. */
  readonly refused: Readonly<Record<string, number>>;
  readonly slowest: { readonly milliseconds: number; readonly case: number };
  readonly largest: { readonly megabytes: number; readonly case: number };
  /** CPU time, including the creation of inputs. */
  readonly seconds: number;
}

/** The input of a case, determined by reader, seed and number. */
function caseInput(
  reader: Reader,
  seeds: readonly Uint8Array[],
  seed: number,
  number: number,
): Uint8Array {
  const random = new RandomStream(xoroshiro128plus(mixed(reader.name, seed, number)));
  return reader.mutate(pick(random, seeds), random);
}

/** A 32-bit hash of all arguments (FNV-1a). */
function mixed(...parts: readonly (string | number)[]): number {
  let hash = 0x811c9dc5;
  for (const character of parts.join('/')) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  }
  return hash | 0;
}

/** Milliseconds between checks by the watchdog. */
const CHECK = 50;
/** Milliseconds between heartbeats of the main thread. Their CPU time is charged to the case. */
const BEAT = 250;

/**
 * Reports a case that takes too long, then ends this process. It measures CPU time, which other
 * programs do not affect, and subtracts its own. A promise that never settles uses no CPU time: it
 * is reported after ten times the limit in wall-clock time, if continued heartbeats show that the
 * main thread was idle.
 */
const WATCHDOG = `
const { workerData: { shared } } = require('node:worker_threads');
const { writeSync } = require('node:fs');
const [turns, limits] = [new Int32Array(shared, 0, 3), new Float64Array(shared, 16, 1)];
let [seen, began, cpu, beats] = [-1, 0, 0, 0];
const used = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000 - performance.eventLoopUtilization().active;
};
setInterval(() => {
  const [turn, beat] = [Atomics.load(turns, 0), Atomics.load(turns, 2)];
  if (turn !== seen) { [seen, began, cpu, beats] = [turn, performance.now(), used(), beat]; return; }
  if (Atomics.load(turns, 1) === 0) return;
  const [worked, waited] = [used() - cpu, performance.now() - began];
  // On a busy machine, a computing thread gets few time slices; an idle thread uses almost none.
  const idle = worked <= waited / 50 && (beat - beats) * ${BEAT} > 5 * limits[0];
  if (worked < limits[0] && !(waited >= 10 * limits[0] && idle)) return;
  const detail = worked < limits[0] ? 'it never settled' : 'it did not end within ' + Math.round(limits[0]) + ' ms';
  writeSync(1, JSON.stringify({ type: 'finding', kind: 'hang', case: turn, detail, signature: 'hang' }) + '\\n');
  process.kill(process.pid, 'SIGKILL');
}, ${CHECK});
`;

/** Runs a batch and writes its findings to standard output. */
export async function runBatch(batch: Batch, readers: readonly Reader[]): Promise<void> {
  const reader = readers.find(({ name }) => name === batch.reader);
  if (reader === undefined) throw new RangeError(`there is no reader ${batch.reader}`);
  const say = (message: Message) => writeSync(1, `${JSON.stringify(message)}\n`);
  const shared = new SharedArrayBuffer(24);
  const turns = new Int32Array(shared, 0, 3);
  const limits = new Float64Array(shared, 16, 1);
  // No case has started yet: the time of the first case must not include setup.
  turns[0] = -1;
  const beats = setInterval(() => Atomics.add(turns, 2, 1), BEAT);
  const progress = openSync(batch.progress, 'w');
  const number = Buffer.alloc(8);
  const watchdog = new Worker(WATCHDOG, { eval: true, workerData: { shared } });
  const result = await runCases(reader, batch, {
    next: (at) => {
      number.writeDoubleLE(at);
      writeSync(progress, number, 0, 8, 0);
    },
    begins: (at, limit) => {
      limits[0] = limit;
      Atomics.store(turns, 0, at);
      Atomics.store(turns, 1, 1);
    },
    ends: () => Atomics.store(turns, 1, 0),
    finds: (finding) => say({ type: 'finding', ...finding }),
  });
  closeSync(progress);
  clearInterval(beats);
  await watchdog.terminate();
  say({ type: 'end', ...result });
}

/** Events reported while cases run. */
export interface Watcher {
  /** A case's input is about to be created. */
  readonly next?: (at: number) => void;
  /** The reader starts on the input, with a time limit in milliseconds. */
  readonly begins?: (at: number, limit: number) => void;
  readonly ends?: () => void;
  readonly finds: (finding: Finding) => void;
}

/** Runs cases in this process, one at a time. */
export async function runCases(
  reader: Reader,
  { seed, from, to, bounds, seconds: most }: Omit<Batch, 'reader' | 'progress'>,
  watcher: Watcher,
): Promise<BatchResult> {
  const seeds = await reader.seeds();
  // Create lazy values such as schemas now, so that they are not charged to a case.
  for (const bytes of seeds) await reader.read(bytes.slice());
  const before = prototypes();

  const refused: Record<string, number> = {};
  let accepted = 0;
  let slowest = { milliseconds: 0, case: from };
  let largest = { megabytes: 0, case: from };
  const started = performance.now();
  let at = from;
  while (at < to && performance.now() - started <= 1000 * most) {
    const now = at++;
    watcher.next?.(now);
    const input = caseInput(reader, seeds, seed, now);
    const limit = bounds.milliseconds + (input.length / 100_000) * bounds.millisecondsPer100kB;
    watcher.begins?.(now, limit);
    const { thrown, value, milliseconds, megabytes } = await measured(reader, input);
    watcher.ends?.();

    if (milliseconds > slowest.milliseconds) slowest = { milliseconds, case: now };
    if (megabytes > largest.megabytes) largest = { megabytes, case: now };
    const found = (kind: Fault, detail: string, signature: string = kind) =>
      watcher.finds({ case: now, kind, detail, signature });
    if (milliseconds > limit) found('slow', `it took ${milliseconds.toFixed(0)} ms`);
    if (megabytes > bounds.megabytes) found('growth', `it took ${megabytes.toFixed(0)} MB`);
    if (thrown === null) {
      accepted++;
      const odd = oddPrototype(value);
      if (odd !== null) found('prototype', odd);
    } else if (isRefusal(reader, thrown)) {
      const { name } = thrown as Error;
      refused[name] = (refused[name] ?? 0) + 1;
    } else {
      found('error', stackOf(thrown), signatureOf(thrown));
    }
    const changed = prototypes().find((keys, i) => keys !== before[i]);
    if (changed === undefined) continue;
    found('prototype', `the keys of a built-in prototype changed: ${changed}`);
    // The changed prototype would be reported again in every later case.
    break;
  }
  const { user, system } = process.cpuUsage();
  return { to: at, accepted, refused, slowest, largest, seconds: (user + system) / 1e6 };
}

/** The result of a reader on an input, and the resources used. */
async function measured({ read }: Reader, input: Uint8Array) {
  const memory = memoryHeld();
  const cpu = process.cpuUsage();
  const clock = performance.now();
  let thrown: unknown = null;
  let value: unknown;
  try {
    value = read(input);
    if (value instanceof Promise) value = await value;
  } catch (error) {
    thrown = error ?? new TypeError(`it threw ${error}`);
  }
  const { user, system } = process.cpuUsage(cpu);
  const [most, arrays] = memoryHeld();
  return {
    thrown,
    value,
    // CPU time includes the garbage collector's thread, and wall-clock time includes other
    // programs; use the smaller.
    milliseconds: Math.min(performance.now() - clock, (user + system) / 1000),
    megabytes: Math.max(0, most - memory[0], arrays - memory[1]) / 2 ** 20,
  };
}

/**
 * In bytes: the peak memory of the process, which a case can only raise, and the current size of
 * array buffers, which counts even if nothing was written into them.
 */
function memoryHeld(): readonly [number, number] {
  return [1024 * process.resourceUsage().maxRSS, process.memoryUsage().arrayBuffers];
}

const builtIn = [Object, Array, Function, String, Number, Boolean, Map, Set, Promise, Uint8Array];

function prototypes(): readonly string[] {
  return builtIn.map(({ prototype }) => Reflect.ownKeys(prototype).map(String).join());
}

/** Maximum number of values of a result that are inspected. */
const MOST_LOOKED_AT = 2000;

/** Describes a prototype that comes from the input; null if there is none. */
function oddPrototype(value: unknown): string | null {
  const waiting = [value];
  for (let i = 0; i < waiting.length && i < MOST_LOOKED_AT; i++) {
    const one = waiting[i];
    if (typeof one !== 'object' || one === null || ArrayBuffer.isView(one)) continue;
    const prototype: unknown = Object.getPrototypeOf(one);
    if (prototype !== null && !Object.hasOwn(prototype as object, 'constructor')) {
      return `an object has an unusual prototype with the keys ${Object.keys(prototype as object)}`;
    }
    if (waiting.length < MOST_LOOKED_AT) {
      const inside = one instanceof Map ? one.values() : Object.values(one);
      for (const next of inside) {
        if (waiting.push(next) >= MOST_LOOKED_AT) break;
      }
    }
  }
  return null;
}

function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return `it threw ${JSON.stringify(error)?.slice(0, 500)}`;
  return (error.stack ?? String(error)).slice(0, 2000);
}

/** An error's class and the top two frames of its stack. */
function signatureOf(error: unknown): string {
  if (!(error instanceof Error)) return 'no error';
  const frames = (error.stack ?? '').split('\n').filter((line) => line.startsWith('    at '));
  return `${error.name} ${frames.slice(0, 2).join(' ').replace(/\s+/g, ' ')}`;
}
