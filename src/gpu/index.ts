export {
  DeviceLostError,
  GpuCommandError,
  KernelArgumentError,
  WebGpuUnavailableError,
} from './errors.ts';
export {
  type AdapterDescription,
  type Dispatcher,
  Gpu,
  type GpuCounters,
  type KernelEntry,
  type Recorder,
  type Tensor,
} from './gpu.ts';
export type { GpuProfile, ProfileDetail, ProfileShare } from './profile.ts';
