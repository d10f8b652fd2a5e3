/** Runs an environment's Python code in Pyodide, in a separate thread without capabilities. */

import { CodeError, limits } from '../interpreter.ts';
import { permission } from '../permission.ts';
import { MOST_EVENTS } from './bootstrap.ts';
import { Caller, newChannel } from './channel.ts';
import { MEMORY_BYTES } from './pyodide.ts';
import type { PythonStart, PythonStarted } from './worker.ts';

/** Where programs run. */
export interface PythonHost {
  /** Performs a request and returns the answer, as JSON; null if it takes too long. */
  ask(request: string): string | null;
}

/** Time limit per call in milliseconds. Only this can end work inside a built-in function. */
const PATIENCE = 30_000;

/** Approximate number of QuickJS operations that equal one Python call or loop iteration. */
const OPERATIONS_PER_EVENT = 100;

let host: PythonHost | null = null;
let starting: Promise<void> | null = null;
/** Why there is no host. */
let problem = 'Python has not been started';
let programs = 0;

/** Replaces the host: tests run Pyodide in their own thread. */
export function usePython(other: PythonHost): void {
  host = other;
}

/** Loads Pyodide, once. A failure is reported by the first program. */
export async function startPython(): Promise<void> {
  // No interpreter is needed to read files whose code may not run.
  if (host !== null || !permission.anyMayRun) return;
  starting ??= start().finally(() => {
    starting = null;
  });
  await starting;
}

async function start(): Promise<void> {
  if (typeof Worker === 'undefined' || typeof self === 'undefined') {
    problem = 'Python code runs in the page only';
    return;
  }
  if (!globalThis.crossOriginIsolated) {
    problem =
      'Python code needs an isolated page, which has shared memory; reload the page, or serve it with the headers COOP and COEP';
    return;
  }
  const worker = new Worker(new URL('./worker.ts', import.meta.url), {
    type: 'module',
    name: 'palestra-python',
  });
  const shared = newChannel();
  const started = await new Promise<PythonStarted>((resolve) => {
    worker.onmessage = ({ data }: MessageEvent<PythonStarted>) => resolve(data);
    worker.onerror = (event) => {
      event.preventDefault();
      resolve({ problem: event.message || 'its worker could not be loaded' });
    };
    const request: PythonStart = { shared, folder: pyodideFolder() };
    worker.postMessage(request);
  });
  if (started.problem !== null) {
    worker.terminate();
    problem = `Python could not be loaded: ${started.problem}`;
    return;
  }
  const caller = new Caller(shared);
  const made: PythonHost = {
    ask: (request) => {
      // A terminated worker never answers.
      if (host !== made) return null;
      const answer = caller.call(request, PATIENCE);
      if (answer === null) {
        worker.terminate();
        host = null;
        void startPython();
      }
      return answer;
    },
  };
  host = made;
}

/** Pyodide's files are next to those of the built page. */
function pyodideFolder(): string {
  const { DEV } = import.meta.env;
  const here = DEV ? self.location.origin : import.meta.url;
  return new URL(DEV ? '/pyodide/' : '../pyodide/', here).href;
}

interface Reply {
  readonly value?: unknown;
  readonly error?: { readonly problem: string; readonly line: number | null };
  readonly events: number;
}

const messages: Readonly<Record<string, string>> = {
  'events over': `takes too long: a call may use ${MOST_EVENTS.toLocaleString('en-US')} loop iterations and function calls`,
  MemoryError: `needs too much memory: ${MEMORY_BYTES / 2 ** 20} MiB are available`,
  RecursionError: 'calls itself too deeply',
};

/** An environment's class; the counterpart of `Program`. */
export class PythonProgram {
  readonly #host: PythonHost;
  readonly #number: number;
  readonly #about: unknown;
  #events = 0;
  #broken: CodeError | null = null;

  /**
   * Runs the module's top level and creates one instance of the class.
   *
   * @throws {CodeError}
   */
  constructor(code: string) {
    if (host === null) throw new CodeError(problem, null);
    this.#host = host;
    this.#number = programs++;
    this.#about = this.#ask('define', [code]);
  }

  /** Number of calls and loop iterations so far, converted to QuickJS operations. */
  get operations(): number {
    return OPERATIONS_PER_EVENT * this.#events;
  }

  /** All programs of a host break when the host is replaced. */
  get isBroken(): boolean {
    return this.#broken !== null || this.#host !== host;
  }

  /**
   * Calls one of the bootstrap's functions.
   *
   * @throws {CodeError}
   */
  call(name: string, ...given: readonly unknown[]): unknown {
    return name === 'about' ? this.#about : this.#ask(name, given);
  }

  /** Frees its objects; nothing can be called afterwards. */
  dispose(): void {
    if (!this.isBroken) this.#ask('dispose', []);
  }

  #ask(kind: string, given: readonly unknown[]): unknown {
    if (this.#broken !== null) throw this.#broken;
    const text = this.#host.ask(JSON.stringify([kind, this.#number, given]));
    if (text === null) {
      this.#broken = new CodeError(`takes too long: a call may use ${PATIENCE / 1000} s`, null);
      throw this.#broken;
    }
    if (text.length > 2 * limits.characters) {
      throw new CodeError(`${kind} returns more than ${limits.characters} characters`, null);
    }
    const { value, error, events } = JSON.parse(text) as Reply;
    this.#events += events;
    if (error !== undefined)
      throw new CodeError(messages[error.problem] ?? error.problem, error.line);
    return value;
  }
}
