/** `palestra`: trains an agent; configs, methods, presets and metrics. */

export { defaultConfig, parseConfig } from '../config/check.ts';
export { ConfigError } from '../config/error.ts';
export { type ConfigField, describeConfig } from '../config/fields.ts';
export {
  type Method,
  type MethodForm,
  methods,
  UnknownMethodError,
  withMethod,
} from '../config/methods.ts';
export { type Preset, presetConfig, presets, UnknownPresetError } from '../config/presets.ts';
export type { Config, ConfigInput } from '../config/schema.ts';
export type { DeviceChoice } from '../device/choice.ts';
export { ProcessorUnavailableError, WebGpuUnavailableError } from '../device/errors.ts';
export type { PolicyShape } from '../policy/types.ts';
export { CheckpointError } from '../runs/checkpoint.ts';
export { type Metric, type MetricKey, type MetricRow, metrics } from '../runs/metrics.ts';
export type { Evaluation } from '../training/evaluate.ts';
export { NonFiniteError } from '../training/learn/updates.ts';
export { RunTooLargeError } from '../training/room.ts';
export type { IterationResult, StopReason } from '../training/trainer.ts';
export type { DeviceOptions } from './machine.ts';
export { type Trained, type TrainOptions, train } from './train.ts';
