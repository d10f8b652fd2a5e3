/** The training step to time: its shape, weights, tokens and objective. The same for all peers. */
import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { mersenne } from 'pure-rand/generator/mersenne';
import { defaultObjective } from '../../src/algorithms/objective.ts';
import { initialParameters } from '../../src/policy/init.ts';
import { parameterLayout } from '../../src/policy/layout.ts';
import type {
  Objective,
  OptimizerStep,
  PolicyShape,
  TrainingBatch,
  WeightTensor,
} from '../../src/policy/types.ts';

/** One training step on `sequences` sequences of `length` tokens, with a loss on every token. */
export interface TrainingCase {
  readonly name: string;
  readonly shape: PolicyShape;
  readonly sequences: number;
  readonly length: number;
}

const VOCABULARY = 64;

function llama(layers: number, width: number, heads = 4): PolicyShape {
  return {
    vocabulary: VOCABULARY,
    layers,
    width,
    heads,
    kvHeads: heads,
    // As in the lab's presets.
    ffnWidth: 3 * width,
    tiedEmbeddings: false,
    valueHead: false,
  };
}

export const trainingCases = {
  /** Large enough to reveal errors, small enough for tests. */
  XS: { name: 'XS', shape: llama(1, 32), sequences: 4, length: 32 },
  S: { name: 'S', shape: llama(2, 64), sequences: 16, length: 64 },
  M: { name: 'M', shape: llama(4, 128), sequences: 32, length: 128 },
  /** Arithmetic dominates: 85 million weights, so it only runs on GPUs. */
  L: { name: 'L', shape: llama(12, 768, 12), sequences: 16, length: 128 },
} as const satisfies Record<string, TrainingCase>;

/** PPO's clipped surrogate without other terms. */
export const objective: Objective = { ...defaultObjective, temperature: 1 };

export const optimizerStep: OptimizerStep = {
  learningRate: 1e-3,
  beta1: 0.9,
  beta2: 0.95,
  epsilon: 1e-8,
  weightDecay: 0.1,
  maxGradNorm: 1,
};

const SEED = 1;

/** Weights by the policy's names, initialized like the policy. */
export function caseWeights(shape: PolicyShape): Map<string, WeightTensor> {
  const layout = parameterLayout(shape);
  const flat = initialParameters(layout, SEED);
  return new Map(
    [...layout.slots.values()].map(({ name, shape: size, start, length }) => [
      name,
      { shape: size, values: flat.slice(start, start + length) },
    ]),
  );
}

/**
 * Random tokens, targets and advantages. Behavior log-probabilities are close to those of an untrained
 * policy, so that some ratios are clipped and others are not.
 */
export function caseBatch({ shape, sequences, length }: Omit<TrainingCase, 'name'>): TrainingBatch {
  const random = mersenne(SEED);
  const n = sequences * length;
  const tokens = () =>
    Uint32Array.from({ length: n }, () => uniformInt(random, 0, shape.vocabulary - 1));
  const around = (center: number, spread: number) =>
    Float32Array.from(
      { length: n },
      () => center + spread * Math.sqrt(3) * (2 * uniformFloat64(random) - 1),
    );
  return {
    tokens: tokens(),
    sequenceStarts: Uint32Array.from({ length: sequences + 1 }, (_, s) => s * length),
    rows: Uint32Array.from({ length: n }, (_, i) => i),
    targets: tokens(),
    behaviorLogps: around(-Math.log(shape.vocabulary), 0.2),
    advantages: around(0, 1),
    weights: new Float32Array(n).fill(1 / n),
  };
}

/**
 * Minimum number of floating-point operations of a step: two for each multiply–add of the linear layers,
 * three times (forward, gradient of the inputs, gradient of the weights), and of attention over the causal
 * pairs (2 products forward, 5 backward).
 */
export function stepFlops({ shape, sequences, length }: Omit<TrainingCase, 'name'>): number {
  const { width, kvHeads, heads, ffnWidth, layers, vocabulary } = shape;
  const kvWidth = (width / heads) * kvHeads;
  const linear = layers * (2 * width * width + 2 * width * kvWidth + 3 * width * ffnWidth);
  const pairs = (sequences * length * (length + 1)) / 2;
  return 6 * sequences * length * (linear + width * vocabulary) + 7 * 2 * pairs * width * layers;
}
