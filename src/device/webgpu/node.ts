import { create, globals } from 'webgpu';
import { Gpu, type GpuOptions } from './gpu.ts';
import { Profiler } from './profiler.ts';

let instance: GPU | undefined;

/** Milliseconds the thread sleeps before each time Dawn polls the GPU for completed work. */
const POLL_INTERVAL = 0.05;

/**
 * Opens WebGPU in Node, through Dawn. The environment variable `VK_DRIVER_FILES` selects the Vulkan
 * driver; set it before the process starts.
 *
 * @throws WebGpuUnavailableError if no driver is found
 */
export async function openNodeGpu(options: GpuOptions = {}): Promise<Gpu> {
  Object.assign(globalThis, globals);
  // Dawn's instance must outlive its devices; only this variable keeps it alive.
  if (instance === undefined) {
    pollGently();
    instance = create([]);
  }
  return Gpu.open(instance, { profiler: Profiler, ...options });
}

/**
 * While it waits for the GPU, Dawn polls in every `setImmediate` and occupies a whole core, which a
 * software driver needs for computing. A short sleep before each poll frees the core: on two cores,
 * two concurrent training runs take 40% less time.
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
