import { KernelArgumentError } from '../errors.ts';
import { MOST_PAGES } from './assembler.ts';

const PAGE = 65536;
/** Alignment of every range in bytes: at least one cache line on any processor. */
const ALIGNMENT = 256;
/** Initial size of a memory and minimum growth, in pages. */
const STEP_PAGES = 256;

interface Range {
  readonly start: number;
  readonly bytes: number;
}

/**
 * Allocator of the WebAssembly memory that holds all tensors. The memory grows on demand up to
 * 4 GiB, the limit of 32-bit addresses.
 */
export class ProcessorMemory {
  readonly memory: WebAssembly.Memory;
  readonly shared: boolean;
  /** Maximum size in bytes. */
  readonly most: number;
  /** Free ranges, sorted by address; adjacent ranges are merged. The first 256 bytes stay unused. */
  #free: Range[];
  /** Address after the last byte ever allocated; from there on, the memory is still zero. */
  #used = 0;

  /**
   * @param shared whether threads share the memory. The system must grant the maximum size of a
   *   shared memory up front; if it refuses, the size is halved until it succeeds.
   * @throws RangeError if no memory is available
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
   * Allocates a range filled with zeros and returns its address.
   *
   * @throws KernelArgumentError if it does not fit
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
    // New memory is zero, and untouched pages cost nothing.
    const used = Math.min(start + wanted, this.#used) - start;
    if (used > 0) new Uint8Array(this.memory.buffer, start, used).fill(0);
    this.#used = Math.max(this.#used, start + wanted);
    return start;
  }

  /** Frees a range. */
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

  /** Grows the memory until its last free range holds `bytes`. */
  #grow(label: string, bytes: number): void {
    const end = this.memory.buffer.byteLength;
    const last = this.#free.at(-1);
    const atEnd = last && last.start + last.bytes === end ? last.bytes : 0;
    const needed = Math.ceil((bytes - atEnd) / PAGE);
    const present = end / PAGE;
    // Grow by at least a quarter, so that many small tensors do not each grow the memory.
    const wish = Math.max(needed, STEP_PAGES, Math.ceil(present / 4));
    for (const pages of new Set([Math.min(wish, MOST_PAGES - present), needed])) {
      if (pages < needed) continue;
      try {
        this.memory.grow(pages);
        this.#free.push({ start: end, bytes: pages * PAGE });
        this.#join();
        return;
      } catch {
        // Try the exact size next; the error below reports failure.
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
  /** Maximum size in pages. */
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
