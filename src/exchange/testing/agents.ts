import { dialogueLexicon } from '../../agents/format.ts';
import { policyShape } from '../../agents/shape.ts';
import { parseConfig } from '../../config/check.ts';
import type { ConfigInput } from '../../config/schema.ts';
import { environmentFor } from '../../envs/registry.ts';
import { TestRandom } from '../../kernels/reference/random.ts';
import { parameterLayout } from '../../policy/layout.ts';
import { referenceForward } from '../../policy/reference.ts';
import { WordTokenizer } from '../../policy/tokenizer.ts';
import type { PolicyShape, WeightTensor } from '../../policy/types.ts';
import type { KeptAgent } from '../../runs/checkpoint.ts';

/** An agent with random weights, large enough that its output depends on its input. */
export function randomAgent(input: ConfigInput, seed: number): KeptAgent {
  const config = parseConfig(input);
  const environment = environmentFor(config.env);
  const { tokens } = new WordTokenizer(dialogueLexicon(environment, config.agent.format));
  const random = new TestRandom(seed);
  const { slots } = parameterLayout(policyShape(config, tokens.length));
  const weights = new Map(
    [...slots.values()].map(({ name, shape, length, init }) => {
      const scale = typeof init === 'object' ? 2 * init.std : 0.2;
      const center = typeof init === 'object' || init === 'zeros' ? 0 : 1;
      const values = Float32Array.from(random.floats(length), (x) => center + scale * x);
      return [name, { shape, values }];
    }),
  );
  return {
    config,
    vocabulary: tokens,
    bpe: null,
    weights,
    iteration: 3,
    turns: 40,
    tokens: 50,
  };
}

/** Logits (L, V) and values (L) of the policy's float64 reference for one sequence. */
export function referenceOutputs(
  {
    shape,
    weights,
  }: {
    readonly shape: PolicyShape;
    readonly weights: ReadonlyMap<string, Pick<WeightTensor, 'values'>>;
  },
  tokens: readonly number[],
) {
  const parameters = Object.fromEntries(
    [...weights].map(([name, { values }]) => [name, Float64Array.from(values)]),
  );
  const { logits, values } = referenceForward(shape, parameters, {
    tokens: Uint32Array.from(tokens),
    sequenceStarts: Uint32Array.of(0, tokens.length),
  });
  const padded = logits.length / tokens.length;
  return {
    logits: tokens.map((_, t) => [...logits.subarray(t * padded, t * padded + shape.vocabulary)]),
    values: [...values],
  };
}
