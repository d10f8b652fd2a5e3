import {
  CONTROL_BYTES,
  type ControlSizes,
  type computeThread,
  control,
  MOST_ARGUMENTS,
  MOST_MESSAGE,
  type SharedWork,
  SPINS,
} from './compute-thread.ts';

/** Handle of a started thread. */
interface Thread {
  /** Registers a listener that is called at most once, with the error that ended the thread. */
  onFailure(listener: (error: Error) => void): void;
  terminate(): void;
}

/** Starts `computeThread` with these arguments in a new thread. */
export type StartThread = (args: Parameters<typeof computeThread>) => Thread;

/** A compiled function, and the location of its module's bytes for the other threads. */
export interface CompiledFunction {
  readonly number: number;
  readonly run: (...args: number[]) => void;
  readonly address: number;
  readonly bytes: number;
}

/** Minimum number of multiply–adds to share a function between threads: about 5 µs of work. */
const WORTH_SHARING = 100_000;

/** Pieces per thread. Several, so that other threads take over the share of a delayed one. */
const PIECES_A_THREAD = 4;

/** The caller's thread and its helper threads. */
export class Threads {
  /** Number of compute threads, including the caller's. */
  readonly count: number;
  readonly #words: Int32Array;
  readonly #values: Float64Array;
  readonly #message: Uint16Array;
  readonly #threads: readonly Thread[];
  readonly #scratch: number;

  /**
   * @param scratch address of each thread's scratch space, the caller's first
   * @param start starts a helper thread; may be null with a single thread
   * @param onFailure called with the error of a failed helper thread
   */
  constructor(
    memory: WebAssembly.Memory,
    scratch: readonly number[],
    start: StartThread | null,
    onFailure: (error: Error) => void,
  ) {
    const [own = 0, ...others] = scratch;
    this.#scratch = own;
    this.count = scratch.length;
    const bytes = CONTROL_BYTES + 8 * MOST_ARGUMENTS + 2 * MOST_MESSAGE;
    const buffer = start === null ? new ArrayBuffer(bytes) : new SharedArrayBuffer(bytes);
    this.#words = new Int32Array(buffer, 0, CONTROL_BYTES / 4);
    this.#values = new Float64Array(buffer, CONTROL_BYTES, MOST_ARGUMENTS);
    this.#message = new Uint16Array(buffer, CONTROL_BYTES + 8 * MOST_ARGUMENTS, MOST_MESSAGE);
    const sizes: ControlSizes = {
      controlBytes: CONTROL_BYTES,
      mostArguments: MOST_ARGUMENTS,
      mostMessage: MOST_MESSAGE,
      spins: SPINS,
    };
    this.#threads = others.map((address) => {
      if (start === null || !(buffer instanceof SharedArrayBuffer)) {
        throw new Error('Several threads need a way to start them.');
      }
      const work: SharedWork = { memory, control: buffer, scratch: address };
      const thread = start([work, control, sizes]);
      thread.onFailure(onFailure);
      return thread;
    });
  }

  /**
   * Computes units 0 .. units − 1. Every unit writes its own outputs, so any thread may compute it.
   *
   * @param work approximate number of multiply–adds of all units
   * @throws WebAssembly.RuntimeError if the function fails here or in another thread
   */
  share(fn: CompiledFunction, args: readonly number[], units: number, work: number): void {
    if (units === 0) return;
    if (this.count === 1 || units === 1 || work < WORTH_SHARING) {
      fn.run(...args, 0, units, this.#scratch);
      return;
    }
    const { STATE, SLEEPERS, INSIDE, NEXT, UNITS, PIECE, FUNCTION } = control;
    const words = this.#words;
    const piece = Math.ceil(units / (PIECES_A_THREAD * this.count));
    this.#values.set(args);
    words[NEXT] = 0;
    words[UNITS] = units;
    words[PIECE] = piece;
    words[FUNCTION] = fn.number;
    words[control.MODULE] = fn.address;
    words[control.MODULE_BYTES] = fn.bytes;
    words[control.ARGUMENTS] = args.length;
    this.#change();
    if (Atomics.load(words, SLEEPERS) > 0) Atomics.notify(words, STATE);
    try {
      for (
        let begin = Atomics.add(words, NEXT, piece);
        begin < units;
        begin = Atomics.add(words, NEXT, piece)
      ) {
        fn.run(...args, begin, Math.min(begin + piece, units), this.#scratch);
      }
    } finally {
      this.#change();
      let spins = 0;
      for (
        let inside = Atomics.load(words, INSIDE);
        inside > 0;
        inside = Atomics.load(words, INSIDE)
      ) {
        if (++spins > SPINS) Atomics.wait(words, INSIDE, inside, 1);
      }
    }
    if (Atomics.load(words, control.FAILED) !== 0) {
      const message = this.#message.subarray(0, this.#message.indexOf(0));
      throw new WebAssembly.RuntimeError(
        `another thread failed while it computed its part: ${String.fromCharCode(...message)}`,
      );
    }
  }

  /** Toggles STATE between closed and published. Wraps before the counter becomes negative. */
  #change(): void {
    const state = Atomics.load(this.#words, control.STATE);
    Atomics.store(this.#words, control.STATE, (state + 1) & 0x3fffffff);
  }

  /** Terminates the helper threads. */
  close(): void {
    if (this.#threads.length === 0) return;
    Atomics.store(this.#words, control.STATE, -1);
    Atomics.notify(this.#words, control.STATE);
    for (const thread of this.#threads) thread.terminate();
  }
}
