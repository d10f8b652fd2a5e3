/** Helpers for tests that run one kernel on a device. */
import type { Device, DeviceKind, Recorder, Tensor } from '../device/index.ts';
import { openNodeProcessor } from '../device/processor/node.ts';
import { openNodeGpu } from '../device/webgpu/node.ts';
import type { TensorData } from './operation.ts';
import { processorKernels } from './processor/index.ts';
import { pretrainedKernels } from './processor/pretrained.ts';

/** The devices to run tests on, and the kinds of kernels that each can run. */
export const testDevices: readonly {
  readonly on: string;
  readonly kinds: readonly DeviceKind[];
  open(): Promise<Device>;
}[] = [
  { on: 'WebGPU', kinds: ['gpu', 'quads'], open: () => openNodeGpu() },
  {
    on: 'the processor',
    kinds: ['processor'],
    open: async () => openNodeProcessor({ ...processorKernels, ...pretrainedKernels }),
  },
];

/** Creates tensors with the given contents. */
export function upload<Names extends string>(
  device: Device,
  contents: Readonly<Record<Names, TensorData>>,
): Record<Names, Tensor> {
  const tensors: Partial<Record<Names, Tensor>> = {};
  for (const name in contents) {
    const data = contents[name];
    const tensor = device.tensor(name, data.length);
    device.upload(tensor, data);
    tensors[name] = tensor;
  }
  return tensors as Record<Names, Tensor>;
}

/** Submits the work recorded by `record`, then reads all `tensors` back as float32. */
export async function runAndRead<Names extends string>(
  device: Device,
  tensors: Readonly<Record<Names, Tensor>>,
  record: (recorder: Recorder) => void,
): Promise<Record<Names, Float32Array>> {
  const names = Object.keys(tensors) as Names[];
  const buffers = await device.submit(
    'test',
    record,
    names.map((name) => ({ tensor: tensors[name], length: tensors[name].length })),
  );
  await device.idle();
  const results: Partial<Record<Names, Float32Array>> = {};
  names.forEach((name, i) => {
    results[name] = new Float32Array(buffers[i] ?? new ArrayBuffer(0));
  });
  return results as Record<Names, Float32Array>;
}
