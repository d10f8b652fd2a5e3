import type { Device } from './device.ts';
import { ProcessorUnavailableError, WebGpuUnavailableError } from './errors.ts';

/** Device choices offered to the user. `auto`: a GPU if available, else the processor. */
export const deviceChoices = ['auto', 'webgpu', 'processor'] as const;
export type DeviceChoice = (typeof deviceChoices)[number];

/** Functions that open each device on this platform. */
export interface DeviceWays {
  /** @throws WebGpuUnavailableError */
  readonly webgpu: () => Promise<Device>;
  /** @throws ProcessorUnavailableError */
  readonly processor: () => Device;
}

/** An opened device, and why it is not a GPU. */
export interface OpenedDevice {
  readonly device: Device;
  /** One sentence on why `auto` did not choose a GPU; null if it did, or was not requested. */
  readonly withoutGpu: string | null;
}

/**
 * Opens the requested device. `auto` prefers a GPU; without one, or with one emulated on the
 * processor, it uses the processor directly, which is several times faster than the emulation.
 *
 * @throws WebGpuUnavailableError if `webgpu` is requested but unavailable
 * @throws ProcessorUnavailableError if the processor is needed but cannot be used
 */
export async function openDevice(choice: DeviceChoice, ways: DeviceWays): Promise<OpenedDevice> {
  if (choice === 'webgpu') return { device: await ways.webgpu(), withoutGpu: null };
  if (choice === 'processor') return { device: ways.processor(), withoutGpu: null };
  let gpu: Device;
  try {
    gpu = await ways.webgpu();
  } catch (error) {
    if (!(error instanceof WebGpuUnavailableError)) throw error;
    return { device: ways.processor(), withoutGpu: error.message };
  }
  if (!gpu.description.software) return { device: gpu, withoutGpu: null };
  const withoutGpu = `WebGPU is there, but ${gpu.description.name} only imitates a GPU on the processor.`;
  try {
    const device = ways.processor();
    gpu.close();
    return { device, withoutGpu };
  } catch (error) {
    if (!(error instanceof ProcessorUnavailableError)) throw error;
    return { device: gpu, withoutGpu };
  }
}
