import { KernelArgumentError } from '../errors.ts';
import { MOST_PAGES } from './assembler.ts';

const PAGE = 65536;
/** Every range begins at a multiple of this: a cache line of any processor, several on most. */
const ALIGNMENT = 256;
/** What a memory begins with, and grows by at least. */
const STEP_PAGES = 256;

interface Range {
  readonly start: number;
  readonly bytes: number;
}

/**
 * One memory that holds all tensors, and which of its ranges are free. It grows as it is needed, to
 * 4 GiB at most, which is what 32-bit addresses reach.
 */
export class ProcessorMemory {
  readonly memory: WebAssembly.Memory;
  readonly shared: boolean;
  /** Bytes that it can grow to. */
  readonly most: number;
  /** In order of their addresses, no two of them touching. The first 256 bytes belong to nobody. */
  #free: Range[];

  /**
   * @param shared between threads; such a memory names its largest size at once, and where the system
   *   does not grant it, half of it is asked for, and half of that
   * @throws RangeError where there is no memory at all.
   */
  constructor(shared: boolean) {
    this.shared = shared;
    const { memory, pages } = shared
      ? sharedMemory(MOST_PAGES)
      : {
          memory: new WebAssembly.Memory({ initial: STEP_PAGES, maximum: MOST_PAGES }),
          pages: MOST_PAGES,
        };
    this.memory = memory;
    this.most = pages * PAGE;
    this.#free = [{ start: ALIGNMENT, bytes: STEP_PAGES * PAGE - ALIGNMENT }];
  }

  /**
   * The address of a new range, filled with zeros.
   * @throws KernelArgumentError where there is no room for it.
   */
  take(label: string, bytes: number): number {
    const wanted = Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
    let i = this.#free.findIndex((range) => range.bytes >= wanted);
    if (i < 0) {
      this.#grow(label, wanted);
      i = this.#free.length - 1;
    }
    const { start, bytes: room } = this.#free[i] ?? { start: 0, bytes: 0 };
    const rest = room > wanted ? [{ start: start + wanted, bytes: room - wanted }] : [];
    this.#free.splice(i, 1, ...rest);
    new Uint8Array(this.memory.buffer, start, wanted).fill(0);
    return start;
  }

  give(start: number, bytes: number): void {
    const range = { start, bytes: Math.ceil(bytes / ALIGNMENT) * ALIGNMENT };
    const after = this.#free.findIndex((free) => free.start > start);
    this.#free.splice(after < 0 ? this.#free.length : after, 0, range);
    this.#join();
  }

  #join(): void {
    const joined: Range[] = [];
    for (const range of this.#free) {
      const last = joined.at(-1);
      if (last && last.start + last.bytes === range.start) {
        joined[joined.length - 1] = { start: last.start, bytes: last.bytes + range.bytes };
      } else joined.push(range);
    }
    this.#free = joined;
  }

  /** Makes room for `bytes` at the end. */
  #grow(label: string, bytes: number): void {
    const end = this.memory.buffer.byteLength;
    const last = this.#free.at(-1);
    const atEnd = last && last.start + last.bytes === end ? last.bytes : 0;
    const needed = Math.ceil((bytes - atEnd) / PAGE);
    const present = end / PAGE;
    // By a quarter at least, so that many small tensors do not grow it one by one.
    const wish = Math.max(needed, STEP_PAGES, Math.ceil(present / 4));
    for (const pages of new Set([Math.min(wish, MOST_PAGES - present), needed])) {
      if (pages < needed) continue;
      try {
        this.memory.grow(pages);
        this.#free.push({ start: end, bytes: pages * PAGE });
        this.#join();
        return;
      } catch {
        // What fits is tried next, and then told.
      }
    }
    const mebibytes = (n: number) => Math.floor(n / 2 ** 20).toLocaleString('en');
    const used = end - this.#unused();
    throw new KernelArgumentError(
      label,
      `${mebibytes(bytes)} MiB more than the ${mebibytes(used)} MiB in use do not fit into the ` +
        `${mebibytes(MOST_PAGES * PAGE)} MiB that WebAssembly reaches: ${mebibytes(atEnd + MOST_PAGES * PAGE - end)} MiB ` +
        'would, where this machine gives them. Choose a smaller policy, smaller micro-batches or ' +
        'fewer episodes.',
    );
  }

  #unused(): number {
    return this.#free.reduce((sum, { bytes }) => sum + bytes, 0);
  }
}

function sharedMemory(pages: number): {
  readonly memory: WebAssembly.Memory;
  /** Its largest size. */
  readonly pages: number;
} {
  try {
    const memory = new WebAssembly.Memory({ initial: STEP_PAGES, maximum: pages, shared: true });
    return { memory, pages };
  } catch (error) {
    if (pages <= STEP_PAGES) throw error;
    return sharedMemory(pages / 2);
  }
}
