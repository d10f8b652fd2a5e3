import { type DeviceChoice, type OpenedDevice, openDevice } from '../device/index.ts';
import { openNodeProcessor } from '../device/processor/node.ts';
import { openNodeGpu } from '../device/webgpu/node.ts';
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
    webgpu: openNodeGpu,
    processor: () => openNodeProcessor(processorKernels, threads),
  });
}
