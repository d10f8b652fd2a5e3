/**
 * What a thread besides the caller's does: it sleeps until the caller shares a function out, computes
 * pieces of it, and sleeps again.
 *
 * Only one function is shared out at a time. Its pieces are handed out by a counter, so a thread that
 * comes late, or never, costs nothing: the caller computes what nobody took. Before the caller shares
 * out the next one, it closes this one and waits for the threads that are still inside.
 */

/** What all threads know of each other. */
export interface SharedWork {
  readonly memory: WebAssembly.Memory;
  /** `control` as 32-bit integers, then the arguments as 64-bit floats. */
  readonly control: SharedArrayBuffer;
  /** Address in `memory` of this thread's own space for what a function lays down on the way. */
  readonly scratch: number;
}

/** Places in `SharedWork.control`, in 32-bit integers. */
export const control = {
  /** Odd while a function is shared out; one more with every change. Negative: the threads end. */
  STATE: 0,
  /** Threads that sleep. */
  SLEEPERS: 1,
  /** Threads that may be computing. */
  INSIDE: 2,
  /** The next piece, in units from 0. */
  NEXT: 3,
  /** Units, and units of a piece. */
  UNITS: 4,
  PIECE: 5,
  /** Number of the function, and where the bytes of its module lie. */
  FUNCTION: 6,
  MODULE: 7,
  MODULE_BYTES: 8,
  /** Number of arguments, without the units' begin and end and the scratch space. */
  ARGUMENTS: 9,
  /** 1 once a thread has failed: what it took was not computed. */
  FAILED: 10,
} as const;

/** Bytes of `SharedWork.control` before the arguments. */
export const CONTROL_BYTES = 64;
/** Most arguments of a function. */
export const MOST_ARGUMENTS = 32;

/**
 * Looks at the state so many times before it goes to sleep: some 20 µs, longer than between two
 * functions of a pass, shorter than between two passes.
 */
export const SPINS = 4000;

/**
 * The main loop of a compute thread, until the state is negative. Node runs its source text in a
 * thread, so it refers to its argument alone.
 */
export function computeThread(
  work: SharedWork,
  { STATE, SLEEPERS, INSIDE, NEXT, UNITS, PIECE, FUNCTION, ...place }: typeof control,
  sizes: { readonly controlBytes: number; readonly mostArguments: number; readonly spins: number },
): void {
  const { memory, scratch } = work;
  const words = new Int32Array(work.control, 0, sizes.controlBytes / 4);
  const values = new Float64Array(work.control, sizes.controlBytes, sizes.mostArguments);
  const functions = new Map<number, (...args: number[]) => void>();
  const functionOf = (number: number): ((...args: number[]) => void) => {
    const known = functions.get(number);
    if (known) return known;
    const start = Atomics.load(words, place.MODULE) >>> 0;
    const bytes = new Uint8Array(memory.buffer, start, Atomics.load(words, place.MODULE_BYTES));
    const module = new WebAssembly.Module(Uint8Array.from(bytes));
    const made = new WebAssembly.Instance(module, { env: { memory } }).exports.run;
    functions.set(number, made as (...args: number[]) => void);
    return made as (...args: number[]) => void;
  };
  let seen = 0;
  for (;;) {
    let spins = 0;
    let state = Atomics.load(words, STATE);
    while (state === seen || (state & 1) === 0) {
      if (state < 0) return;
      if (++spins > sizes.spins) {
        Atomics.add(words, SLEEPERS, 1);
        Atomics.wait(words, STATE, state);
        Atomics.sub(words, SLEEPERS, 1);
        spins = 0;
      }
      state = Atomics.load(words, STATE);
    }
    if (state < 0) return;
    seen = state;
    Atomics.add(words, INSIDE, 1);
    try {
      // The caller closes first and counts who is inside afterwards: one of the two sees the other.
      if (Atomics.load(words, STATE) === state) {
        const units = Atomics.load(words, UNITS);
        const piece = Atomics.load(words, PIECE);
        let begin = Atomics.add(words, NEXT, piece);
        if (begin < units) {
          const run = functionOf(Atomics.load(words, FUNCTION));
          const args = [...values.subarray(0, Atomics.load(words, place.ARGUMENTS)), 0, 0, scratch];
          for (; begin < units; begin = Atomics.add(words, NEXT, piece)) {
            args[args.length - 3] = begin;
            args[args.length - 2] = Math.min(begin + piece, units);
            run(...args);
          }
        }
      }
    } catch (error) {
      // The caller must not wait for this thread, nor take its part for computed.
      Atomics.store(words, place.FAILED, 1);
      throw error;
    } finally {
      if (Atomics.sub(words, INSIDE, 1) === 1) Atomics.notify(words, INSIDE);
    }
  }
}
