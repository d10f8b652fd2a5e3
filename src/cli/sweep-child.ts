/** The child process of `sweep` and `work` that computes runs. */
import { openNodeDevice } from '../kernels/open-device.node.ts';
import { createPolicy } from '../policy/policy.ts';
import { serveParent } from '../workers/child.node.ts';
import type { Program } from '../workers/child-process.node.ts';
import { deviceRequest } from './device-options.ts';
import { Command, required } from './flags.ts';
import type { DeviceRequest } from './machine.node.ts';
import { workerFlags } from './sweep-options.ts';

/** The internal argument that starts such a process. */
const CHILD = 'compute-for-parent';

const child = new Command({
  name: CHILD,
  about: 'Computes runs for the parent process.',
  flags: { ...workerFlags, folder: required('DIR', 'the folder of the sweep') },
});

export const isChild = (args: readonly string[]) => args[0] === CHILD;

/** @param file the bundled program of the command */
export function childProgram(
  file: string,
  folder: string,
  { device, threads }: DeviceRequest,
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
  const parsed = child.parse(args.slice(1));
  if (parsed === null) return;
  const { values } = parsed;
  await serveParent({
    folder: values.folder,
    keepEvery: values['save-every'],
    open: async () => {
      const { device: choice, threads } = deviceRequest(values);
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
