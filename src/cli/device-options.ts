/** `--device` and `--threads`, which every command that computes takes. */
import { deviceChoices } from '../device/index.ts';
import { type DeviceWish, defaultWish } from './machine.node.ts';
import { readWhole, UsageError } from './usage.ts';

export const deviceFlags = {
  device: { type: 'string' },
  threads: { type: 'string' },
} as const;

/** More than any machine has, and few enough to be started. */
const MOST_THREADS = 256;

/** @throws {UsageError} */
export function readDeviceWish(values: {
  readonly device?: string | undefined;
  readonly threads?: string | undefined;
}): DeviceWish {
  const text = values.device ?? defaultWish.device;
  const device = deviceChoices.find((name) => name === text);
  if (device === undefined) {
    throw new UsageError(
      `--device is one of ${deviceChoices.join(', ')}, got ${JSON.stringify(text)}`,
    );
  }
  const threads = readWhole('--threads', values.threads, 1, MOST_THREADS);
  if (threads === undefined) return { device };
  if (device === 'webgpu') {
    throw new UsageError('--threads is about the processor; add --device processor');
  }
  return { device, threads };
}

/**
 * The lines of `--help`.
 *
 * @param width of the column of options
 */
export function deviceHelp(width: number): string {
  const indent = ' '.repeat(width + 2);
  const option = (name: string) => `  ${name.padEnd(width)}`;
  return [
    `${option('--device NAME')}${deviceChoices.join(', ')}: what computes. auto takes a GPU where there`,
    `${indent}is one, else the processor; ${defaultWish.device} if not given`,
    `${option('--threads N')}of the processor; as many as the machine runs at once if not given. The`,
    `${indent}number of threads changes no bit of a run; the device does`,
  ].join('\n');
}
