import type { Config } from '../config/schema.ts';
import type { Environment } from '../envs/types.ts';
import type { Tokenizer } from '../policy/tokenizer.ts';
import type { Adapter, FrozenWeights, PolicyShape, WeightTensor } from '../policy/types.ts';

/** Identity of a pretrained model. An adapter only applies to the model that it was trained on. */
export interface ModelIdentity {
  readonly name: string;
  /**
   * 64 hexadecimal digits: SHA-256 over its configuration, its tokenizer and samples of its
   * weights.
   */
  readonly digest: string;
}

/** A pretrained language model, and the adapter that is trained on it. */
export interface PretrainedModel {
  readonly identity: ModelIdentity;
  /** Shape of the network with its adapter, without a value head. */
  readonly shape: PolicyShape & { readonly adapter: Adapter };
  /** Reads the frozen weights. */
  readonly weights: FrozenWeights;
  /** The adapter that training starts from; null starts from the model itself. */
  readonly initial: ReadonlyMap<string, WeightTensor> | null;
  /** The tokenizer, with the model's chat template around the dialogues of an environment. */
  tokenizerFor(
    environment: Pick<Environment, 'instruction'>,
    format: Config['agent']['format'],
  ): Tokenizer;
}
