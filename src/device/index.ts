export type { DeviceChoice, DeviceWays, OpenedDevice } from './choice.ts';
export { deviceChoices, openDevice } from './choice.ts';
export type {
  Device,
  DeviceCounters,
  DeviceDescription,
  DeviceKind,
  Dispatcher,
  KernelEntry,
  Recorder,
  Shader,
  Signature,
  Tensor,
} from './device.ts';
export {
  DeviceLostError,
  GpuCommandError,
  KernelArgumentError,
  ProcessorUnavailableError,
  WebGpuUnavailableError,
} from './errors.ts';
export { nextTask } from './next-task.ts';
export type { DeviceProfile, ProfileDetail, ProfileShare } from './profile.ts';
export { Gpu } from './webgpu/gpu.ts';
