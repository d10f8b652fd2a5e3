/** The process beneath `sweep` and `work` that computes. */
import { openNodeDevice } from '../kernels/open-device.node.ts';
import { createPolicy } from '../policy/policy.ts';
import { serveParent } from '../workers/child.node.ts';
import type { Program } from '../workers/child-process.node.ts';
import { readDeviceWish } from './device-options.ts';
import type { DeviceWish } from './machine.node.ts';
import { parseFlags } from './usage.ts';

/** What a command's program is called with to be such a process; no part of the command line. */
const CHILD = 'compute-for-parent';

const flags = {
  folder: { type: 'string' },
  'save-every': { type: 'string' },
  device: { type: 'string' },
  threads: { type: 'string' },
} as const;

export const isChild = (args: readonly string[]) => args[0] === CHILD;

/** @param file the bundled program of the command */
export function childProgram(
  file: string,
  folder: string,
  { device, threads }: DeviceWish,
  keepEvery: number,
): Program {
  return {
    file,
    args: [
      ...[CHILD, '--folder', folder, '--save-every', String(keepEvery), '--device', device],
      ...(threads === undefined ? [] : ['--threads', String(threads)]),
    ],
  };
}

export async function serveSweepParent(args: readonly string[]): Promise<void> {
  const values = parseFlags(args.slice(1), flags);
  await serveParent({
    folder: values.folder ?? '',
    keepEvery: Number(values['save-every']),
    open: async () => {
      const { device: choice, threads } = readDeviceWish(values);
      const { device } = await openNodeDevice(choice, threads);
      const { name, detail } = device.description;
      return {
        adapter: detail,
        kind: name,
        createPolicy: (shape, capacity, seed) => createPolicy(device, shape, capacity, seed),
      };
    },
  });
}
