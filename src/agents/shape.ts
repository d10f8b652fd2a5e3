import { estimators } from '../algorithms/advantages.ts';
import type { Config } from '../config/schema.ts';
import type { PolicyShape } from '../policy/types.ts';

/** The policy's shape for a vocabulary. */
export function policyShape({ policy, algorithm }: Config, vocabulary: number): PolicyShape {
  return {
    vocabulary,
    layers: policy.layers,
    width: policy.width,
    heads: policy.heads,
    kvHeads: policy.kv_heads,
    ffnWidth: policy.ffn_width,
    tiedEmbeddings: policy.tied_embeddings,
    valueHead: estimators[algorithm.advantage].against === 'values',
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
