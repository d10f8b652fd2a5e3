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
 * @param threads of the processor; by default as many as the machine runs in parallel
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
      `The package webgpu, which brings WebGPU to Node, cannot be loaded: ${why}`,
    );
  });
  return openNodeGpu();
}
