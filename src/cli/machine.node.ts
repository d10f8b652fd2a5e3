import { type DeviceChoice, deviceChoices } from '../device/index.ts';
import { openNodeDevice } from '../kernels/open-device.node.ts';
import { createPolicy } from '../policy/policy.ts';
import type { CreatePolicy } from '../policy/types.ts';
import type { Room } from '../training/room.ts';

/** What a command is to compute on. */
export interface DeviceWish {
  readonly device: DeviceChoice;
  /** Of the processor; as many as the machine runs at once where absent. */
  readonly threads?: number;
}

/** What computes where nothing is asked for: `PALESTRA_DEVICE` says so, else it is WebGPU. */
export const defaultWish: DeviceWish = {
  device: deviceChoices.find((name) => name === process.env.PALESTRA_DEVICE) ?? 'webgpu',
};

/** This machine's device as the command line's programs use it. */
export interface Machine {
  /** What the device is, in words. */
  readonly adapter: string;
  /** One sentence: why no GPU computes; null where one does, or none was asked for. */
  readonly withoutGpu: string | null;
  /** Bytes that it has room for. */
  readonly room: Room;
  readonly createPolicy: CreatePolicy;
  readonly close: () => void;
}

export type OpenMachine = (wish: DeviceWish) => Promise<Machine>;

/**
 * @throws WebGpuUnavailableError where no driver answers and the processor was not asked for.
 * @throws ProcessorUnavailableError
 */
export const openMachine: OpenMachine = async ({ device: choice, threads }) => {
  const { device, withoutGpu } = await openNodeDevice(choice, threads);
  return {
    adapter: device.description.detail,
    withoutGpu,
    room: device.description.room,
    createPolicy: (shape, capacity, seed) => createPolicy(device, shape, capacity, seed),
    close: () => device.close(),
  };
};
