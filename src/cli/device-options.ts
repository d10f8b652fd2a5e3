/** `--device` and `--threads`, which every command that computes takes. */
import { type DeviceChoice, deviceChoices } from '../device/index.ts';
import { oneOf, optional, whole, withDefault } from './flags.ts';
import { type DeviceRequest, defaultDevice } from './machine.node.ts';
import { UsageError } from './usage.ts';

/** More threads than any real machine has, but few enough to start. */
const MOST_THREADS = 256;

/** The options, with the given default device. Sweeps use the processor by default. */
export const deviceFlagsFor = (device: DeviceChoice) => ({
  device: withDefault(
    device,
    optional(
      'NAME',
      `${deviceChoices.join(', ')}; auto uses a GPU if available, else the processor`,
      oneOf(deviceChoices),
    ),
  ),
  threads: optional(
    'N',
    'number of threads for the processor (default: all hardware threads); does not affect results',
    whole(1, MOST_THREADS),
  ),
});

export const deviceFlags = deviceFlagsFor(defaultDevice);

/** @throws {UsageError} if threads are given for a GPU */
export function deviceRequest({
  device,
  threads,
}: {
  readonly device: DeviceChoice;
  readonly threads: number | undefined;
}): DeviceRequest {
  if (threads === undefined) return { device };
  if (device === 'webgpu') {
    throw new UsageError('--threads applies to the processor only; add --device processor');
  }
  return { device, threads };
}
