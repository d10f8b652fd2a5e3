import type { Config, ImportanceWeight, SamplerPrecision } from './schema.ts';

export interface SamplerSettings {
  readonly precision: SamplerPrecision;
  /** How many versions its weights are behind the trainer's. */
  readonly lag: number;
  readonly importance: ImportanceWeight;
  /** Upper limit of the weight of an episode. */
  readonly cap: number;
}

export function samplerSettings({ sampler, algorithm }: Config): SamplerSettings {
  return {
    precision: sampler.precision,
    lag: sampler.lag,
    importance: algorithm.ratio_to === 'proximal' ? algorithm.importance_weight : 'token',
    cap: algorithm.importance_cap || Number.POSITIVE_INFINITY,
  };
}

/** Whether the sampler has the trainer's weights. */
export function isExact({ precision, lag }: Config['sampler']): boolean {
  return precision === 'float32' && lag === 0;
}

/** Whether rollouts need a separate sampler, or updates other importance weights than per token. */
export function isSeparate(settings: SamplerSettings): boolean {
  return !isExact(settings) || settings.importance !== 'token';
}
