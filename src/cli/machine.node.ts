import { type DeviceChoice, deviceChoices } from '../device/index.ts';
import { openNodeDevice } from '../kernels/open-device.node.ts';
import { createPolicy } from '../policy/policy.ts';
import type { CreatePolicy } from '../policy/types.ts';
import type { Room } from '../training/room.ts';

/** The device that `--device` and `--threads` select. */
export interface DeviceRequest {
  readonly device: DeviceChoice;
  /** Threads of the processor; all hardware threads if absent. */
  readonly threads?: number;
}

/** The device used without `--device`: the one named by `PALESTRA_DEVICE`, else `auto`. */
export const defaultDevice: DeviceChoice =
  deviceChoices.find((name) => name === process.env.PALESTRA_DEVICE) ?? 'auto';

/** The device that a command computes on. */
export interface Machine {
  /** Description of the device, such as `processor, 2 threads`. */
  readonly adapter: string;
  /** Why `auto` found no GPU, in one sentence; null if a GPU computes or none was requested. */
  readonly withoutGpu: string | null;
  /** Memory in bytes. */
  readonly room: Room;
  readonly createPolicy: CreatePolicy;
  readonly close: () => void;
}

export type OpenMachine = (request: DeviceRequest) => Promise<Machine>;

/**
 * @throws WebGpuUnavailableError if WebGPU was requested and no driver answers.
 * @throws ProcessorUnavailableError
 */
export const openMachine: OpenMachine = async ({ device: choice, threads }) => {
  const { device, withoutGpu } = await openNodeDevice(choice, threads);
  return {
    adapter: device.description.detail,
    withoutGpu,
    room: device.description.room,
    createPolicy: (shape, capacity, seed, frozen) =>
      createPolicy(device, shape, capacity, seed, frozen),
    close: () => device.close(),
  };
};

/** The log line that names the chosen device and why it is not a GPU. */
export function deviceLine({ adapter, withoutGpu }: Pick<Machine, 'adapter' | 'withoutGpu'>) {
  return `device: ${adapter}${withoutGpu === null ? '' : ` (${withoutGpu})`}`;
}
