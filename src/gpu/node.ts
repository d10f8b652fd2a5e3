import { create, globals } from 'webgpu';
import { Gpu } from './gpu.ts';

let instance: GPU | undefined;

/**
 * WebGPU in Node, through Dawn. The Vulkan driver is chosen by the environment
 * (`VK_DRIVER_FILES`), before the process starts.
 * @throws WebGpuUnavailableError where no driver answers.
 */
export async function openNodeGpu(): Promise<Gpu> {
  Object.assign(globalThis, globals);
  // Dawn's instance must outlive its devices; nothing else refers to it from here on.
  instance ??= create([]);
  return Gpu.open(instance);
}
