import { estimators } from '../algorithms/advantages.ts';
import type { Config } from '../config/schema.ts';
import type { PolicyShape } from '../policy/types.ts';
import type { PretrainedModel } from './pretrained.ts';

/** Whether the algorithm needs a value head. */
function needsValues({ algorithm }: Pick<Config, 'algorithm'>): boolean {
  return estimators[algorithm.advantage].against === 'values';
}

/** The shape of a pretrained model with its adapter; the algorithm decides on the value head. */
export function pretrainedShape({ shape }: Pick<PretrainedModel, 'shape'>, config: Config) {
  return { ...shape, valueHead: needsValues(config) };
}

/** The policy's shape for a vocabulary. */
export function policyShape(config: Config, vocabulary: number): PolicyShape {
  const { policy } = config;
  return {
    vocabulary,
    layers: policy.layers,
    width: policy.width,
    heads: policy.heads,
    kvHeads: policy.kv_heads,
    ffnWidth: policy.ffn_width,
    tiedEmbeddings: policy.tied_embeddings,
    valueHead: needsValues(config),
  };
}

/** The settings that give a policy its shape; its value head follows from the algorithm. */
export function policySettings(shape: PolicyShape): Config['policy'] {
  return {
    layers: shape.layers,
    width: shape.width,
    heads: shape.heads,
    kv_heads: shape.kvHeads,
    ffn_width: shape.ffnWidth,
    tied_embeddings: shape.tiedEmbeddings,
  };
}
