import { create, globals } from 'webgpu';
import { Gpu } from './gpu.ts';

let instance: GPU | undefined;

/** Milliseconds that the thread sleeps each time Dawn is asked whether the GPU has finished. */
const POLL_INTERVAL = 0.05;

/**
 * WebGPU in Node, through Dawn. The Vulkan driver is chosen by the environment
 * (`VK_DRIVER_FILES`), before the process starts.
 * @throws WebGpuUnavailableError where no driver answers.
 */
export async function openNodeGpu(kind?: 'gpu' | 'quads'): Promise<Gpu> {
  Object.assign(globalThis, globals);
  // Dawn's instance must outlive its devices; nothing else refers to it from here on.
  if (instance === undefined) {
    pollGently();
    instance = create([]);
  }
  return Gpu.open(instance, kind);
}

/**
 * While it waits for the GPU, Dawn asks again in every `setImmediate`, and so keeps a whole core
 * from a driver that computes on the cores itself. A short sleep before each asking gives the core
 * back: on two cores, two trainings side by side take 0.6 times as long.
 */
function pollGently(): void {
  const cell = new Int32Array(new SharedArrayBuffer(4));
  const { setImmediate } = globalThis;
  globalThis.setImmediate = Object.assign(
    <Args extends unknown[]>(callback: (...args: Args) => void, ...args: Args) =>
      setImmediate(() => {
        Atomics.wait(cell, 0, 0, POLL_INTERVAL);
        callback(...args);
      }),
    { __promisify__: setImmediate.__promisify__ },
  );
}
