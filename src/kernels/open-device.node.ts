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
 * The device of a Node process.
 *
 * @param threads of the processor; as many as the machine runs at once where it is not given
 * @throws WebGpuUnavailableError
 * @throws ProcessorUnavailableError
 */
export function openNodeDevice(choice: DeviceChoice, threads?: number): Promise<OpenedDevice> {
  return openDevice(choice, {
    webgpu: openGpu,
    processor: () => openNodeProcessor(processorKernels, threads),
  });
}

/** Dawn is 130 MB, so an installation may have left it out, and no build of it fits every system. */
async function openGpu(): Promise<Device> {
  const { openNodeGpu } = await import('../device/webgpu/node.ts').catch((error: unknown) => {
    const why = error instanceof Error ? error.message : String(error);
    throw new WebGpuUnavailableError(
      `The package webgpu, which brings WebGPU to Node, cannot be loaded: ${why}`,
    );
  });
  return openNodeGpu();
}
