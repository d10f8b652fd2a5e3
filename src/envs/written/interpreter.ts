/**
 * Runs an environment's code in QuickJS, an engine in WebAssembly without access to the page. Calls
 * are limited in time and memory, and give the same results everywhere.
 */

import variant from '@jitl/quickjs-wasmfile-release-sync';
import {
  newQuickJSWASMModuleFromVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSWASMModule,
} from 'quickjs-emscripten-core';
import { CHECK, LOOPS_OVER, MOST_LOOPS, prelude } from './prelude.ts';

export const limits = {
  /** Shared by all programs of a thread. */
  memoryBytes: 32 * 2 ** 20,
  stackBytes: 64 * 2 ** 10,
  /** Maximum loop iterations per call. This limit is the same on every machine. */
  loops: MOST_LOOPS,
  /** Maximum loop iterations and function calls per call; the engine counts them in steps of 10,000. */
  operations: 8_000_000,
  /** Maximum time per call, for unusually slow operations. */
  milliseconds: 5000,
  /** Maximum length of a call's result in characters. */
  characters: 200_000,
} as const;

const OPERATIONS_A_TICK = 10_000;
const FILE = 'environment.js';

/** Memory beyond the limit, so that an error can still be reported. */
const RESERVE_BYTES = 32 * 2 ** 20;

/** An instance of QuickJS with its memory. */
class Engine {
  readonly quickjs: QuickJSWASMModule;
  readonly #memory: WebAssembly.Memory;

  private constructor(quickjs: QuickJSWASMModule) {
    this.quickjs = quickjs;
    this.#memory = quickjs.getWasmMemory();
    // The engine's own limit ignores WebAssembly memory, so limit its growth here.
    const grow = this.#memory.grow.bind(this.#memory);
    this.#memory.grow = (pages) => {
      const bytes = this.#memory.buffer.byteLength + 65_536 * pages;
      if (bytes > limits.memoryBytes + RESERVE_BYTES) {
        throw new RangeError('the memory limit is reached');
      }
      return grow(pages);
    };
  }

  get isFull(): boolean {
    return this.#memory.buffer.byteLength > limits.memoryBytes;
  }

  static async start(): Promise<Engine> {
    return new Engine(await newQuickJSWASMModuleFromVariant(variant));
  }
}

/** Shared by programs until one of them breaks it. */
let engine: Engine | null = null;

/** Starts the engine, asynchronously. Everything below requires it. */
export async function startInterpreter(): Promise<void> {
  if (engine !== null) return;
  const started = await Engine.start();
  engine ??= started;
}

/** An error in the code, with its location. */
export class CodeError extends Error {
  override readonly name = 'CodeError';
  /** 1-based; null if no line is known. */
  readonly line: number | null;
  /** The message without the line. */
  readonly problem: string;
  constructor(problem: string, line: number | null) {
    super(line === null ? problem : `line ${line}: ${problem}`);
    this.problem = problem;
    this.line = line;
  }
}

/** A module in the engine. */
export class Program {
  readonly #engine: Engine;
  readonly #context: QuickJSContext;
  readonly #module: QuickJSHandle;
  readonly #call: QuickJSHandle;
  /** Ticks of the current call. */
  #ticks = 0;
  #allTicks = 0;
  #until = 0;
  /** Once a limit is exceeded, the engine's state is undefined. */
  #broken: CodeError | null = null;

  /**
   * Runs the module's top level.
   *
   * @param code plain JavaScript
   * @throws {CodeError}
   */
  constructor(code: string) {
    if (engine === null) throw new Error('the interpreter has not been started');
    this.#engine = engine;
    const runtime = engine.quickjs.newRuntime();
    runtime.setMaxStackSize(limits.stackBytes);
    runtime.setInterruptHandler(() => {
      this.#ticks++;
      this.#allTicks++;
      return this.#ticks > limits.operations / OPERATIONS_A_TICK || performance.now() > this.#until;
    });
    this.#context = runtime.newContext();
    const context = this.#context;
    // An error thrown by the host names the line of the loop; the engine has no memory left to do
    // so.
    const check = context.newFunction('check', () => {
      if (this.#engine.isFull) throw new Error(OUT_OF_MEMORY);
    });
    context.setProp(context.global, CHECK, check);
    check.dispose();
    this.#call = this.#run(() => context.evalCode(prelude, 'prelude.js'));
    try {
      this.#module = this.#run(() => context.evalCode(code, FILE, { type: 'module' }));
    } catch (error) {
      this.#free([this.#call]);
      throw error;
    }
  }

  /** Approximate number of operations of all calls so far, in steps of 10,000. */
  get operations(): number {
    return OPERATIONS_A_TICK * this.#allTicks;
  }

  /**
   * Calls one of the prelude's functions.
   *
   * @throws {CodeError}
   */
  call(name: string, ...given: readonly unknown[]): unknown {
    const context = this.#context;
    if (this.#broken !== null) throw this.#broken;
    const [first, second] = [context.newString(name), context.newString(JSON.stringify(given))];
    try {
      const result = this.#run(() =>
        context.callFunction(this.#call, context.undefined, this.#module, first, second),
      );
      const json = context.getString(result);
      result.dispose();
      if (json.length > limits.characters) {
        throw new CodeError(`${name} returns more than ${limits.characters} characters`, null);
      }
      return JSON.parse(json);
    } finally {
      if (!this.isBroken) {
        first.dispose();
        second.dispose();
      }
    }
  }

  get isBroken(): boolean {
    return this.#broken !== null;
  }

  /** Frees its memory; nothing can be called afterwards. */
  dispose(): void {
    this.#free([this.#module, this.#call]);
  }

  #free(handles: readonly QuickJSHandle[]): void {
    // Leave a broken engine to the garbage collector.
    if (this.#broken !== null) return;
    for (const handle of handles) handle.dispose();
    const { runtime } = this.#context;
    this.#context.dispose();
    runtime.dispose();
  }

  #run(work: () => ReturnType<QuickJSContext['evalCode']>): QuickJSHandle {
    if (this.#broken !== null) throw this.#broken;
    this.#ticks = 0;
    this.#until = performance.now() + limits.milliseconds;
    let result: ReturnType<QuickJSContext['evalCode']>;
    try {
      result = work();
    } catch (error) {
      // The host's own stack overflowed, or the engine failed.
      const isKnown = error instanceof RangeError || error instanceof WebAssembly.RuntimeError;
      throw isKnown ? this.#break(new CodeError(TOO_DEEP, null)) : error;
    }
    if (result.error === undefined) return result.value;
    const thrown: unknown = this.#context.dump(result.error);
    result.error.dispose();
    const error = errorFrom(thrown);
    const isLimit = error.problem.startsWith(TOO_LONG) || error.problem.startsWith(TOO_LARGE);
    throw isLimit ? this.#break(error) : error;
  }

  /** Replaces the engine for later programs. */
  #break(error: CodeError): CodeError {
    this.#broken = error;
    if (engine === this.#engine) {
      engine = null;
      void startInterpreter();
    }
    return error;
  }
}

const TOO_LONG = 'takes too long';
const TOO_LARGE = 'needs too much memory';
/** The engine's message. */
const OUT_OF_MEMORY = 'out of memory';
const TOO_DEEP = 'calls itself too deeply';

const tooLong = `${TOO_LONG}: a call may use ${limits.loops.toLocaleString('en-US')} loop iterations, ${limits.operations.toLocaleString('en-US')} operations and ${limits.milliseconds / 1000} s`;

/** Messages that replace the engine's own. */
const messages: Readonly<Record<string, string>> = {
  interrupted: tooLong,
  [LOOPS_OVER]: tooLong,
  [OUT_OF_MEMORY]: `${TOO_LARGE}: ${limits.memoryBytes / 2 ** 20} MiB are available`,
  'stack overflow': TOO_DEEP,
};

/** The innermost line of the user's code in a stack trace. */
const AT = new RegExp(`${FILE.replace('.', '[.]')}:(\\d+)`);

function errorFrom(thrown: unknown): CodeError {
  const fields: Readonly<Record<string, unknown>> =
    typeof thrown === 'object' && thrown !== null ? { ...thrown } : {};
  const { name, message, stack } = fields;
  const line = AT.exec(String(stack ?? ''))?.[1];
  // An error without a message means that memory was exhausted.
  const isEmpty = thrown === null || (name === undefined && message === undefined);
  const said = typeof message === 'string' ? message : isEmpty ? OUT_OF_MEMORY : String(thrown);
  const known = messages[said];
  const kind =
    name === 'Error' || name === 'TypeError' || typeof name !== 'string' ? '' : `${name}: `;
  const problem = known ?? `${kind}${said}`.slice(0, 300);
  return new CodeError(problem, line === undefined ? null : Number(line));
}
