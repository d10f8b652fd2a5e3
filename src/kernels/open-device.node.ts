import {
  type Device,
  type DeviceChoice,
  type OpenedDevice,
  openDevice,
  WebGpuUnavailableError,
} from '../device/index.ts';
import { openNodeProcessor } from '../device/processor/node.ts';
import { processorKernels } from './processor/index.ts';

/**
 * Opens the compute device of a Node process.
 *
 * @param threads number of processor threads; defaults to the machine's available parallelism
 * @throws WebGpuUnavailableError
 * @throws ProcessorUnavailableError
 */
export function openNodeDevice(choice: DeviceChoice, threads?: number): Promise<OpenedDevice> {
  return openDevice(choice, {
    webgpu: openGpu,
    processor: () => openNodeProcessor(processorKernels, threads),
  });
}

/** Imported lazily: Dawn is 130 MB and may not be installed, and some systems have no build. */
async function openGpu(): Promise<Device> {
  const { openNodeGpu } = await import('../device/webgpu/node.ts').catch((error: unknown) => {
    const why = error instanceof Error ? error.message : String(error);
    throw new WebGpuUnavailableError(
      `The webgpu package, which provides WebGPU in Node, cannot be loaded: ${why}`,
    );
  });
  return openNodeGpu();
}
