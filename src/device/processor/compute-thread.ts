/**
 * The loop of a helper thread: it sleeps until the caller publishes a function, computes pieces of
 * it and sleeps again.
 *
 * Only one function is published at a time. An atomic counter hands out its pieces, so a thread
 * that is late or never wakes costs nothing: the caller computes the remaining pieces. Before the
 * caller publishes the next function, it closes this one and waits for the threads still inside.
 */

/** Memory and control data that the caller shares with a helper thread. */
export interface SharedWork {
  readonly memory: WebAssembly.Memory;
  /**
   * The fields of `control` as 32-bit integers, the arguments as 64-bit floats, and the message of a
   * failed thread as UTF-16 code units, ended by 0.
   */
  readonly control: SharedArrayBuffer;
  /** Address in `memory` of this thread's scratch space. */
  readonly scratch: number;
}

/** Indices into `SharedWork.control`, in 32-bit integers. */
export const control = {
  /** Odd while a function is published; incremented on every change. Negative: threads exit. */
  STATE: 0,
  /** Number of sleeping threads. */
  SLEEPERS: 1,
  /** Number of threads that may be computing. */
  INSIDE: 2,
  /** First unit of the next piece. */
  NEXT: 3,
  /** Total number of units. */
  UNITS: 4,
  /** Units per piece. */
  PIECE: 5,
  /** Number that identifies the function. */
  FUNCTION: 6,
  /** Address and size of the function's module, in bytes. */
  MODULE: 7,
  MODULE_BYTES: 8,
  /** Number of arguments, excluding the range of units and the scratch address. */
  ARGUMENTS: 9,
  /** 1 after a thread failed; its pieces were not computed. */
  FAILED: 10,
} as const;

/** Size in bytes of the fields of `SharedWork.control` before the arguments. */
export const CONTROL_BYTES = 64;
/** Maximum number of function arguments. */
export const MOST_ARGUMENTS = 32;
/** Maximum length of a failed thread's message, the final 0 included. */
export const MOST_MESSAGE = 256;

/** Sizes that `computeThread` needs. */
export interface ControlSizes {
  readonly controlBytes: number;
  readonly mostArguments: number;
  readonly mostMessage: number;
  readonly spins: number;
}

/**
 * Number of times a thread polls the state before it sleeps: about 20 µs, longer than the gap
 * between functions of a pass and shorter than the gap between passes.
 */
export const SPINS = 4000;

/**
 * The main loop of a compute thread; returns when the state is negative. Node runs its source text
 * in a worker thread, so it may refer only to its arguments and globals.
 */
export function computeThread(
  work: SharedWork,
  { STATE, SLEEPERS, INSIDE, NEXT, UNITS, PIECE, FUNCTION, ...place }: typeof control,
  sizes: ControlSizes,
): void {
  const { memory, scratch } = work;
  // If the caller grew the memory while this thread received it, V8 leaves `buffer` at the old
  // length. Growing by nothing updates it, and V8 reports every later growth to this thread.
  memory.grow(0);
  const words = new Int32Array(work.control, 0, sizes.controlBytes / 4);
  const values = new Float64Array(work.control, sizes.controlBytes, sizes.mostArguments);
  const message = new Uint16Array(
    work.control,
    sizes.controlBytes + values.byteLength,
    sizes.mostMessage,
  );
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
      // The caller closes the function, then reads INSIDE; this thread increments INSIDE, then
      // reads STATE. So at least one of them sees the other's write.
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
      // The caller must not wait for this thread, nor use results it did not compute.
      const text = error instanceof Error ? error.message : String(error);
      for (let i = 0; i < Math.min(text.length, message.length - 1); i++) {
        message[i] = text.charCodeAt(i);
      }
      Atomics.store(words, place.FAILED, 1);
      throw error;
    } finally {
      if (Atomics.sub(words, INSIDE, 1) === 1) Atomics.notify(words, INSIDE);
    }
  }
}
