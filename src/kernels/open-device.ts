import { type DeviceChoice, Gpu, type OpenedDevice, openDevice } from '../device/index.ts';
import { openBrowserProcessor } from '../device/processor/browser.ts';
import { processorKernels } from './processor/index.ts';

/**
 * Opens the compute device of a worker or a page.
 *
 * @param threads maximum number of processor threads
 * @throws WebGpuUnavailableError
 * @throws ProcessorUnavailableError
 */
export function openBrowserDevice(choice: DeviceChoice, threads?: number): Promise<OpenedDevice> {
  return openDevice(choice, {
    webgpu: () => Gpu.open(navigator.gpu),
    processor: () => openBrowserProcessor(processorKernels, threads),
  });
}
