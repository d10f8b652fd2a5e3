/**
 * The worker that runs Python code. Once Python has started, the worker deletes everything through which code
 * could reach the network, storage, other threads or more JavaScript. It then only answers requests through
 * shared memory.
 */

import { serve } from './channel.ts';
import { type LoadPyodide, loadPython } from './pyodide.ts';

export interface PythonStart {
  readonly shared: SharedArrayBuffer;
  /** Folder of Pyodide's files. */
  readonly folder: string;
}

/** Null, or why Python could not be started. */
export type PythonStarted = { readonly problem: string | null };

// The DOM and worker typings both apply here; in a worker `postMessage` takes one argument.
const scope = self as unknown as DedicatedWorkerGlobalScope;

/** What Python, `serve` and the language itself need. */
const kept = new Set([
  ...[
    'globalThis',
    'undefined',
    'NaN',
    'Infinity',
    'Object',
    'Array',
    'String',
    'Number',
    'Boolean',
  ],
  ...[
    'Symbol',
    'BigInt',
    'Math',
    'JSON',
    'Date',
    'RegExp',
    'Promise',
    'Proxy',
    'Reflect',
    'Map',
    'Set',
  ],
  ...['WeakMap', 'WeakSet', 'WeakRef', 'FinalizationRegistry', 'ArrayBuffer', 'SharedArrayBuffer'],
  ...['DataView', 'Int8Array', 'Uint8Array', 'Uint8ClampedArray', 'Int16Array', 'Uint16Array'],
  ...[
    'Int32Array',
    'Uint32Array',
    'Float32Array',
    'Float64Array',
    'BigInt64Array',
    'BigUint64Array',
  ],
  ...[
    'Error',
    'AggregateError',
    'EvalError',
    'RangeError',
    'ReferenceError',
    'SyntaxError',
    'TypeError',
  ],
  ...['Atomics', 'WebAssembly', 'TextDecoder', 'TextEncoder', 'performance', 'isNaN', 'isFinite'],
  ...['parseInt', 'parseFloat', 'console'],
]);

/** Removes everything else from the global object, and every way to compile text to JavaScript. */
function removeGlobals(): void {
  const compilers = [() => {}, async () => {}, function* () {}, async function* () {}].map(
    (one) => Object.getPrototypeOf(one) as object,
  );
  for (const prototype of compilers) {
    Object.defineProperty(prototype, 'constructor', { value: undefined, configurable: false });
  }
  for (
    let holder: object | null = globalThis;
    holder !== null && holder !== Object.prototype;
    holder = Object.getPrototypeOf(holder)
  ) {
    for (const name of Object.getOwnPropertyNames(holder)) {
      if (holder === globalThis && kept.has(name)) continue;
      if (name === 'constructor' || Reflect.deleteProperty(holder, name)) continue;
      Reflect.defineProperty(holder, name, { value: undefined, writable: false });
    }
  }
}

scope.onmessage = async ({ data }: MessageEvent<PythonStart>) => {
  const send = scope.postMessage.bind(scope);
  const post = (message: PythonStarted) => send(message);
  const { shared, folder } = data;
  let answer: Awaited<ReturnType<typeof loadPython>>;
  try {
    const { loadPyodide } = (await import(/* @vite-ignore */ `${folder}pyodide.mjs`)) as {
      readonly loadPyodide: LoadPyodide;
    };
    answer = await loadPython(loadPyodide, folder);
  } catch (error) {
    post({ problem: error instanceof Error ? error.message : String(error) });
    return;
  }
  removeGlobals();
  post({ problem: null });
  serve(
    shared,
    answer,
    JSON.stringify({ error: { problem: 'an answer is too long', line: null }, events: 0 }),
  );
};
