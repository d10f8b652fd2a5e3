import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it } from 'vitest';
import { assemble, i32 } from './assembler.ts';
import { computeThread } from './compute-thread.ts';
import { SCRATCH_BYTES, type WasmFunction, wasmFunction } from './kernel.ts';
import { ProcessorMemory } from './memory.ts';
import { startNodeThread } from './node.ts';
import { type CompiledFunction, type StartThread, Threads } from './threads.ts';

const opened: Threads[] = [];
afterEach(() => {
  for (const threads of opened.splice(0)) threads.close();
});

/** A thread pool with its own memory, and a function that compiles for it. */
function open(count: number, start: StartThread | null = startNodeThread) {
  const memory = new ProcessorMemory(count > 1);
  const scratch = Array.from({ length: count }, () => memory.take('scratch', SCRATCH_BYTES));
  const failures: Error[] = [];
  const threads = new Threads(memory.memory, scratch, start, (error) => failures.push(error));
  opened.push(threads);
  let number = 0;
  return {
    threads,
    memory,
    scratch,
    failures,
    compile(fn: WasmFunction<string>): CompiledFunction {
      const bytes = assemble(fn.types, memory.shared, (body, args) => fn.write(body, args, []));
      const address = memory.take('code', bytes.length);
      new Uint8Array(memory.memory.buffer, address, bytes.length).set(bytes);
      const instance = new WebAssembly.Instance(new WebAssembly.Module(bytes), {
        env: { memory: memory.memory },
      });
      number += 1;
      return {
        number,
        run: instance.exports.run as CompiledFunction['run'],
        address,
        bytes: bytes.length,
      };
    },
    words: (address: number, length: number) =>
      new Uint32Array(memory.memory.buffer, address, length),
  };
}

/** out[unit] += unit · factor, after an empty loop of `rounds` iterations. */
const addTo = wasmFunction(
  'add to',
  { out: 'i32', factor: 'i32', rounds: 'i32' },
  (f, { out, factor, rounds, begin, end }) => {
    f.for(begin, end, 1, (unit) => {
      f.for(0, rounds, 1, () => {});
      const place = f.i32(out.add(unit.shl(2)));
      f.store(place, f.loadInt(place).add(unit.mul(factor)));
    });
  },
);

/** out[unit] = the scratch address of the thread that computed it. */
const signed = wasmFunction(
  'signed',
  { out: 'i32', rounds: 'i32' },
  (f, { out, rounds, begin, end, scratch }) => {
    f.for(begin, end, 1, (unit) => {
      f.for(0, rounds, 1, () => {});
      f.store(out.add(unit.shl(2)), scratch);
    });
  },
);

/** Traps in every thread except the one with this scratch address. Slow, so that others join. */
const trap = wasmFunction(
  'trap',
  { except: 'i32', rounds: 'i32' },
  (f, { except, rounds, begin, end, scratch }) => {
    f.for(begin, end, 1, () => {
      f.for(0, rounds, 1, () => {});
      f.if(scratch.ne(except), () => f.store(i32(-4), i32(1)));
    });
  },
);

const ALWAYS = Number.POSITIVE_INFINITY;

/** A worker that runs the code `before`, then `computeThread`. */
const evaluated = (workerData: Parameters<StartThread>[0], before = '') =>
  new Worker(
    `${before};(${computeThread.toString()})(...require('node:worker_threads').workerData);`,
    { eval: true, workerData },
  );

const started = (worker: Worker): ReturnType<StartThread> => ({
  onFailure: (listener) => worker.once('error', listener),
  terminate: () => void worker.terminate(),
});

describe.each([1, 2, 3])('a pool of size %d', (count) => {
  it('computes every unit exactly once, over many small and large functions in a row', () => {
    const { threads, memory, compile, words } = open(count, count > 1 ? startNodeThread : null);
    expect(threads.count).toBe(count);
    const most = 1000;
    const out = memory.take('out', 4 * most);
    const fns = Array.from({ length: 40 }, () => compile(addTo));
    const expected = new Uint32Array(most);
    for (let i = 0; i < 4000; i++) {
      const fn = fns[(i * 7) % fns.length];
      if (!fn) throw new Error('no function');
      const units = i % 100 === 99 ? most : (i * 13) % 40;
      // Some are too small to be shared.
      threads.share(fn, [out, i, i % 100 === 99 ? 200 : i % 5], units, i % 3 === 0 ? 0 : ALWAYS);
      for (let unit = 0; unit < units; unit++) expected[unit] = (expected[unit] ?? 0) + unit * i;
    }
    expect(words(out, most)).toEqual(expected);
  });
});

describe('a pool of several threads', () => {
  it('shares large functions, each thread with its own scratch space', () => {
    const { threads, memory, compile, words, scratch } = open(2);
    const units = 2000;
    const out = memory.take('out', 4 * units);
    const fn = compile(signed);
    const takers = () => new Set(words(out, units));
    // Too little work: the caller computes all of it.
    threads.share(fn, [out, 0], units, 10);
    expect(takers()).toEqual(new Set([scratch[0]]));
    // Enough work for a thread to start, compile the function and join, even on a busy machine.
    for (let i = 0; i < 1000 && takers().size < 2; i++)
      threads.share(fn, [out, 30_000], units, ALWAYS);
    expect([...takers()].sort()).toEqual([...scratch].sort());
    // One unit cannot be shared.
    words(out, units).fill(0);
    threads.share(fn, [out, 0], 1, ALWAYS);
    expect(words(out, 2)).toEqual(Uint32Array.of(scratch[0] ?? 0, 0));
  });

  it('resumes after sleeping', async () => {
    const { threads, memory, compile, words } = open(2);
    const units = 2000;
    const out = memory.take('out', 4 * units);
    const fn = compile(signed);
    for (let times = 0; times < 3; times++) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      words(out, units).fill(0);
      for (let i = 0; i < 1000 && new Set(words(out, units)).size < 2; i++) {
        threads.share(fn, [out, 30_000], units, ALWAYS);
      }
      expect(new Set(words(out, units)).size).toBe(2);
    }
  });

  it('shares work with a thread that starts while the memory grows', () => {
    // V8 can leave `buffer` at the old length until the memory grows again.
    const outdated = `const { memory } = require('node:worker_threads').workerData[0];
      Object.defineProperty(memory, 'buffer', {
        configurable: true,
        get: () => new SharedArrayBuffer(0),
      });
      memory.grow = (pages) => {
        delete memory.buffer;
        delete memory.grow;
        return memory.grow(pages);
      };`;
    const { threads, memory, compile, words, scratch } = open(2, (workerData) =>
      started(evaluated(workerData, outdated)),
    );
    const units = 2000;
    const out = memory.take('out', 4 * units);
    const fn = compile(signed);
    const takers = () => new Set(words(out, units));
    for (let i = 0; i < 1000 && takers().size < 2; i++)
      threads.share(fn, [out, 30_000], units, ALWAYS);
    expect([...takers()].sort()).toEqual([...scratch].sort());
  });

  it('reports a thread’s error to the caller at once, without waiting for other threads', async () => {
    const { threads, compile, scratch, failures } = open(3);
    const fn = compile(trap);
    const failing = () => {
      for (let i = 0; i < 1000; i++) threads.share(fn, [scratch[0] ?? 0, 30_000], 2000, ALWAYS);
    };
    expect(failing).toThrow(WebAssembly.RuntimeError);
    // Its units were not computed, so every later call fails.
    expect(() => threads.share(fn, [scratch[0] ?? 0, 0], 100, ALWAYS)).toThrow(
      /another thread failed .*: .*out of bounds/,
    );
    await expect.poll(() => failures.length).toBeGreaterThan(0);
    expect(failures[0]?.message).toMatch(/out of bounds/);
  });

  it('ends its threads when closed, including sleeping ones', async () => {
    const exits: Promise<number>[] = [];
    const start: StartThread = (workerData) => {
      const worker = evaluated(workerData);
      exits.push(new Promise((resolve) => worker.once('exit', resolve)));
      // Not terminated here, so they must exit on their own.
      return { ...started(worker), terminate: () => {} };
    };
    for (const pause of [0, 100]) {
      const { threads, memory, compile, failures } = open(3, start);
      const out = memory.take('out', 4 * 1000);
      threads.share(compile(addTo), [out, 1, 10_000], 1000, ALWAYS);
      await new Promise((resolve) => setTimeout(resolve, pause));
      threads.close();
      expect(await Promise.all(exits.splice(0))).toEqual([0, 0]);
      expect(failures).toEqual([]);
    }
  });
});
