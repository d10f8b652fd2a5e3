import { create, globals } from 'webgpu';
import { Gpu } from './gpu.ts';

/**
 * WebGPU in Node, through Dawn. The Vulkan driver is chosen by the environment
 * (`VK_DRIVER_FILES`), before the process starts.
 * @throws WebGpuUnavailableError where no driver answers.
 */
export async function openNodeGpu(): Promise<Gpu> {
  Object.assign(globalThis, globals);
  return Gpu.open(create([]));
}
