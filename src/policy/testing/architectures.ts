/** Small shapes of every pretrained block, for tests. */
import { TestRandom } from '../../kernels/reference/random.ts';
import { networkLayout } from '../layout.ts';
import type { Architecture, FrozenWeights, PolicyShape, WeightTensor } from '../types.ts';

const plain: Architecture = {
  modelType: 'llama',
  headDim: 8,
  rmsNormEps: 1e-5,
  ropeTheta: 100_000,
  qkvBias: false,
  qkNorm: false,
  postNorms: false,
  activation: 'silu',
  embeddingScale: 1,
  sliding: null,
};

const size = {
  vocabulary: 13,
  layers: 2,
  width: 16,
  heads: 2,
  kvHeads: 1,
  ffnWidth: 24,
  tiedEmbeddings: true,
  valueHead: false,
};

/** Which layers have a sliding window in Gemma: five in a row do, the sixth has full attention. */
const slides = (layers: number) => Array.from({ length: layers }, (_, l) => (l + 1) % 6 !== 0);

export const smallArchitectures: readonly { readonly what: string; readonly shape: PolicyShape }[] =
  [
    { what: 'llama (SmolLM2)', shape: { ...size, architecture: plain } },
    {
      what: 'qwen2, untied',
      shape: {
        ...size,
        tiedEmbeddings: false,
        architecture: {
          ...plain,
          modelType: 'qwen2',
          rmsNormEps: 1e-6,
          ropeTheta: 1e6,
          qkvBias: true,
        },
      },
    },
    {
      what: 'qwen3, heads wider than the residual stream',
      shape: {
        ...size,
        heads: 4,
        kvHeads: 2,
        architecture: {
          ...plain,
          modelType: 'qwen3',
          rmsNormEps: 1e-6,
          ropeTheta: 1e6,
          qkNorm: true,
        },
      },
    },
    {
      what: 'gemma3_text, windows of 3 tokens',
      shape: {
        ...size,
        layers: 7,
        width: 8,
        ffnWidth: 12,
        heads: 2,
        architecture: {
          ...plain,
          modelType: 'gemma3_text',
          headDim: 4,
          rmsNormEps: 1e-6,
          ropeTheta: 1e6,
          qkNorm: true,
          postNorms: true,
          activation: 'gelu_pytorch_tanh',
          embeddingScale: Math.sqrt(8),
          sliding: { tokens: 3, ropeTheta: 10_000, layers: slides(7) },
        },
      },
    },
  ];

/** Random weights with gains around 1 and biases that are not 0. */
export function randomWeights(shape: PolicyShape, seed: number): Map<string, WeightTensor> {
  const random = new TestRandom(seed);
  return new Map(
    [...networkLayout(shape).slots.values()].map(({ name, shape: dims, length, init }) => {
      const std = typeof init === 'object' ? init.std : 0.2;
      const middle = init === 'ones' ? 1 : 0;
      const values = random.floats(length).map((value) => middle + 1.7 * std * value);
      return [name, { shape: dims, values }];
    }),
  );
}

/** Weights of a network in the layout of a frozen one. */
export function frozenWeights(
  shape: PolicyShape,
  weights: ReadonlyMap<string, WeightTensor>,
): FrozenWeights {
  const { slots } = networkLayout(shape);
  return (name) => {
    const { values = new Float32Array(0) } = weights.get(name) ?? {};
    const [rows = 0, columns = 0] = slots.get(name)?.shape ?? [];
    if (name === 'embedding') return values.subarray(0, shape.vocabulary * shape.width);
    if (slots.get(name)?.shape.length !== 2) return values;
    const turned = new Float32Array(values.length);
    for (let i = 0; i < values.length; i++) {
      turned[(i % columns) * rows + Math.floor(i / columns)] = values[i] ?? 0;
    }
    return name === 'head' ? turned.subarray(0, shape.vocabulary * shape.width) : turned;
  };
}
