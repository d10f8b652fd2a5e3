import { openDeviceHere } from '#here';
import type { DeviceChoice } from '../device/choice.ts';
import { createPolicy } from '../policy/policy.ts';
import type { CreatePolicy } from '../policy/types.ts';
import type { Room } from '../training/room.ts';

/** What is to compute. */
export interface DeviceOptions {
  /** `auto`, which is the default, takes a GPU where there is one, else the processor. */
  readonly device?: DeviceChoice;
  /**
   * Of the processor; as many as the machine runs at once where absent. They change no bit of a run. A
   * page that is not isolated from others, and a page's own thread, have one.
   */
  readonly threads?: number;
}

/** A device that has been opened. */
export interface OpenedMachine {
  /** What computes, in words. */
  readonly name: string;
  /** Bytes that it has room for. */
  readonly room: Room;
  readonly createPolicy: CreatePolicy;
  /** Gives the device back. */
  close(): void;
}

/**
 * @throws WebGpuUnavailableError where `webgpu` was asked for and there is none.
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
