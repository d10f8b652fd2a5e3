/** Starts Python with limited memory and without access to JavaScript. */

import { bootstrap } from './bootstrap.ts';

/** The part of Pyodide that is used. */
export type LoadPyodide = (options: {
  readonly indexURL?: string;
  readonly jsglobals: object;
  readonly env: Readonly<Record<string, string>>;
  readonly stdout: () => void;
  readonly stderr: () => void;
}) => Promise<{
  runPython(code: string): unknown;
  readonly globals: { get(name: string): unknown };
}>;

/** Pyodide's own memory included. */
export const MEMORY_BYTES = 256 * 2 ** 20;

/** Performs a request of `PythonProgram`, as JSON. */
export type Answer = (request: string) => string;

/** @param indexURL folder of Pyodide's files; omit it in Node */
export async function loadPython(load: LoadPyodide, indexURL?: string): Promise<Answer> {
  limitMemory();
  const python = await load({
    ...(indexURL === undefined ? {} : { indexURL }),
    // Leaves Python's module `js` empty.
    jsglobals: Object.create(null),
    // Makes the order of sets of strings reproducible.
    env: { HOME: '/', PYTHONHASHSEED: '0' },
    stdout: () => {},
    stderr: () => {},
  });
  python.runPython(bootstrap);
  return python.globals.get('answer') as Answer;
}

/** Applies to this thread, which runs nothing else. Python reports the failed growth as a `MemoryError`. */
function limitMemory(): void {
  const { prototype } = WebAssembly.Memory;
  const { grow } = prototype;
  prototype.grow = function limited(this: WebAssembly.Memory, pages: number): number {
    if (this.buffer.byteLength + 65_536 * pages > MEMORY_BYTES) {
      throw new RangeError('the memory limit is reached');
    }
    return grow.call(this, pages);
  };
}
