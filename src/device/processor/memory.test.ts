import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KernelArgumentError } from '../errors.ts';
import { ProcessorMemory } from './memory.ts';

interface Range {
  readonly start: number;
  readonly bytes: number;
}

/** Whether every byte of a range equals `byte`. */
function holds(memory: ProcessorMemory, { start, bytes }: Range, byte: number): boolean {
  return Buffer.from(memory.memory.buffer, start, bytes).equals(Buffer.alloc(bytes, byte));
}

/** Allocates a range and fills it, so that a later allocation has bytes to zero. */
function take(memory: ProcessorMemory, bytes: number): Range {
  const range = { start: memory.take('some', bytes), bytes };
  expect(holds(memory, range, 0)).toBe(true);
  new Uint8Array(memory.memory.buffer, range.start, bytes).fill(0xab);
  return range;
}

function expectApart(ranges: readonly Range[]): void {
  const ordered = ranges.toSorted((a, b) => a.start - b.start);
  ordered.forEach(({ start }, i) => {
    const before = ordered[i - 1];
    expect(start).toBeGreaterThanOrEqual(before ? before.start + before.bytes : 1);
    expect(start % 256).toBe(0);
  });
}

const MEBIBYTE = 2 ** 20;

describe('the processor’s memory allocator', () => {
  // A number of at least 1 allocates that many bytes; a number below 1 frees one of the ranges.
  const steps = fc.array(
    fc.oneof(
      fc.integer({ min: 1, max: 1000 }),
      fc.integer({ min: 1000, max: 200_000 }),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
    ),
    { minLength: 1, maxLength: 120 },
  );

  it('returns aligned, zeroed blocks that never overlap', () => {
    fc.assert(
      fc.property(steps, fc.boolean(), (all, shared) => {
        const memory = new ProcessorMemory(shared);
        const ranges: Range[] = [];
        for (const step of all) {
          if (step >= 1) ranges.push(take(memory, step));
          else {
            const [given] = ranges.splice(Math.floor(step * ranges.length), 1);
            if (given) memory.give(given.start, given.bytes);
          }
          expectApart(ranges);
        }
        // Ranges still in use kept their contents.
        for (const range of ranges) expect(holds(memory, range, 0xab)).toBe(true);
      }),
      { numRuns: 40, seed: 7 },
    );
  });

  it('merges blocks freed in any order', () => {
    fc.assert(
      fc.property(fc.infiniteStream(fc.nat()), (order) => {
        const memory = new ProcessorMemory(false);
        const ranges = Array.from({ length: 30 }, () => take(memory, 100_000));
        while (ranges.length > 0) {
          const [given] = ranges.splice((order.next().value ?? 0) % ranges.length, 1);
          if (given) memory.give(given.start, given.bytes);
        }
        // The initial size of the memory, less the unused first bytes.
        const whole = take(memory, 16 * MEBIBYTE - 256);
        expect(whole.start).toBe(256);
        expect(memory.memory.buffer.byteLength).toBe(16 * MEBIBYTE);
      }),
      { numRuns: 20, seed: 8 },
    );
  });

  it('grows memory by extending the free block at its end', () => {
    const memory = new ProcessorMemory(false);
    const first = take(memory, 10 * MEBIBYTE);
    const second = take(memory, 40 * MEBIBYTE);
    expect(second.start).toBe(first.start + first.bytes);
    expect(memory.memory.buffer.byteLength).toBeLessThan(52 * MEBIBYTE);
  });

  it('does not grow memory when blocks are allocated and freed repeatedly', () => {
    const memory = new ProcessorMemory(true);
    const kept = take(memory, 3 * MEBIBYTE);
    for (let i = 0; i < 1000; i++) {
      const [a, b] = [take(memory, 1000 + 17 * i), take(memory, 5000)];
      memory.give(a.start, a.bytes);
      memory.give(b.start, b.bytes);
    }
    expect(memory.memory.buffer.byteLength).toBe(16 * MEBIBYTE);
    memory.give(kept.start, kept.bytes);
  });

  it('rejects a block that does not fit, reports the used and free memory, and keeps earlier blocks', () => {
    const memory = new ProcessorMemory(false);
    const kept = take(memory, 100 * MEBIBYTE);
    expect(() => memory.take('weights', 5000 * MEBIBYTE)).toThrow(KernelArgumentError);
    expect(() => memory.take('weights', 5000 * MEBIBYTE)).toThrow(
      /^weights: 5,000 MiB more than the 100 MiB in use do not fit .* 3,995 MiB .* Choose a smaller policy/,
    );
    expect(take(memory, MEBIBYTE).start).toBeGreaterThanOrEqual(kept.start + kept.bytes);
  });
});
