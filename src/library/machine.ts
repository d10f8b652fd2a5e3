import { openDeviceHere } from '#here';
import type { DeviceChoice } from '../device/choice.ts';
import { createPolicy } from '../policy/policy.ts';
import type { CreatePolicy } from '../policy/types.ts';
import type { Room } from '../training/room.ts';

/** The device to compute on. */
export interface DeviceOptions {
  /** `auto`, the default, uses a GPU if there is one, otherwise the processor. */
  readonly device?: DeviceChoice;
  /**
   * Number of CPU threads; by default, one for each logical CPU, in a browser at most eight. It does
   * not affect results. A page that is not cross-origin isolated, and a page's main thread, use one.
   */
  readonly threads?: number;
}

/** An open device. */
export interface OpenedMachine {
  /** Name of the device. */
  readonly name: string;
  /** Memory available to a run. */
  readonly room: Room;
  readonly createPolicy: CreatePolicy;
  /** Releases the device. */
  close(): void;
}

/**
 * @throws WebGpuUnavailableError if `webgpu` is requested but unavailable
 * @throws ProcessorUnavailableError
 */
export async function openMachine({
  device: choice = 'auto',
  threads,
}: DeviceOptions): Promise<OpenedMachine> {
  const { device } = await openDeviceHere(choice, threads);
  return {
    name: device.description.detail,
    room: device.description.room,
    createPolicy: (shape, capacity, seed) => createPolicy(device, shape, capacity, seed),
    close: () => device.close(),
  };
}
