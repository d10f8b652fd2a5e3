/** Captures the policy's dispatches, so that each can be timed alone. */
import type { Device, KernelEntry, Recorder, Tensor } from '../../src/device/index.ts';

/** A dispatch as recorded by the policy, and its number of repetitions. */
export interface Dispatch {
  readonly kernel: KernelEntry;
  readonly tensors: Readonly<Record<string, Tensor>>;
  readonly params: Readonly<Record<string, number>>;
  readonly workgroups: readonly [number, number?, number?];
  readonly count: number;
}

/** `file.entry`, as the kernel registry names it. */
export function entryName({ kernel }: Pick<Dispatch, 'kernel'>): string {
  return `${kernel.kernel}.${kernel.entry}`;
}

/**
 * Runs `work` and returns its dispatches. Dispatches of one kernel with equal sizes are merged, whichever
 * layer they belong to.
 * @param kind the kind of device for which kernels choose their variants; by default the device's own
 */
export async function captured(
  device: Device,
  work: () => Promise<unknown>,
  kind = device.kind,
): Promise<Dispatch[]> {
  const found = new Map<string, Dispatch>();
  const submit = device.submit;
  device.submit = (label, record, read) =>
    submit.call(device, label, (recorder) => record({ ...listening(recorder, found), kind }), read);
  try {
    await work();
  } finally {
    device.submit = submit;
  }
  return [...found.values()];
}

function listening(recorder: Recorder, found: Map<string, Dispatch>): Recorder {
  return {
    ...recorder,
    dispatch: (kernel, tensors, params, workgroups) => {
      const lengths = Object.entries(tensors).map(([name, { length }]) => [name, length]);
      const key = JSON.stringify([entryName({ kernel }), kernel.constants, params, lengths]);
      const before = found.get(key)?.count ?? 0;
      found.set(key, { kernel, tensors, params, workgroups, count: before + 1 });
      recorder.dispatch(kernel, tensors, params, workgroups);
    },
  };
}
