/** Rollouts and updates of a whole network do not depend on how many threads compute them. */
import { afterAll, describe, expect, it } from 'vitest';
import { defaultObjective } from '../algorithms/objective.ts';
import { openNodeProcessor } from '../device/processor/node.ts';
import { processorKernels } from '../kernels/processor/index.ts';
import { TestRandom } from '../kernels/reference/random.ts';
import { createPolicy } from './policy.ts';
import type { GenerateRequest, PolicyShape, TrainingBatch } from './types.ts';

// Large enough that matrix products, attention and the loss are each shared among threads.
const shape: PolicyShape = {
  vocabulary: 101,
  layers: 2,
  width: 64,
  heads: 4,
  kvHeads: 2,
  ffnWidth: 96,
  tiedEmbeddings: true,
  valueHead: true,
};
const episodes = 24;
const promptLength = 20;
const written = 4;
const capacity = {
  tokens: episodes * (promptLength + written),
  rows: episodes * written,
  lossRows: episodes * written,
  updateRows: episodes * written,
  episodes,
  context: promptLength + written,
};

const count = (length: number) => Uint32Array.from({ length }, (_, i) => i);

function request(prompts: Uint32Array): GenerateRequest {
  return {
    slots: count(episodes),
    cachedLengths: new Uint32Array(episodes),
    newTokens: prompts,
    newTokenStarts: count(episodes + 1).map((e) => e * promptLength),
    maxNewTokens: written,
    keepCache: false,
    endTokens: [shape.vocabulary],
    temperature: 1,
    random: {
      seed: 3,
      iterations: new Uint32Array(episodes),
      episodes: count(episodes),
      offsets: new Uint32Array(episodes),
    },
  };
}

/** The generated sequences as a training batch. */
function batchOf(
  prompts: Uint32Array,
  { tokens, logps }: { tokens: Uint32Array; logps: Float32Array },
  random: TestRandom,
): TrainingBatch {
  const length = promptLength + written - 1;
  const sequences = Array.from({ length: episodes }, (_, e) => [
    ...prompts.subarray(e * promptLength, (e + 1) * promptLength),
    ...tokens.subarray(e * written, (e + 1) * written - 1),
  ]);
  const rows = count(episodes * written);
  return {
    tokens: Uint32Array.from(sequences.flat()),
    sequenceStarts: count(episodes + 1).map((e) => e * length),
    rows: rows.map((i) => Math.floor(i / written) * length + promptLength - 1 + (i % written)),
    targets: tokens,
    behaviorLogps: logps,
    advantages: random.floats(rows.length),
    weights: new Float32Array(rows.length).fill(1 / rows.length),
    oldValues: new Float32Array(rows.length),
    returns: random.floats(rows.length),
    episodes: rows.map((i) => Math.floor(i / written)),
  };
}

/**
 * The tokens, log-probabilities, losses and gradient norms of three iterations and the final
 * weights, as bits.
 */
async function bitsOf(threads: number): Promise<Uint32Array> {
  const device = openNodeProcessor(processorKernels, threads);
  afterAll(() => device.close());
  const policy = await createPolicy(device, shape, capacity, 5);
  const random = new TestRandom(6);
  const record: number[] = [];
  for (const surrogate of ['ppo_clip', 'bapo', 'gspo'] as const) {
    const prompts = random.wholes(episodes * promptLength, shape.vocabulary);
    const generation = await policy.generate(request(prompts));
    record.push(...generation.tokens, ...generation.logps);
    const batch = batchOf(prompts, generation, random);
    const objective = {
      ...defaultObjective,
      surrogate,
      entropyCoef: 0.01,
      value: { coef: 0.5, clip: Number.POSITIVE_INFINITY },
      temperature: 1,
    };
    const step = {
      learningRate: 0.01,
      beta1: 0.9,
      beta2: 0.999,
      epsilon: 1e-8,
      weightDecay: 0.1,
      maxGradNorm: 1,
    };
    const stats = await policy.update([batch], objective, step);
    record.push(stats.loss, stats.gradNorm);
  }
  for (const { values } of (await policy.readWeights()).values()) {
    for (const value of values) record.push(value);
  }
  device.check();
  return new Uint32Array(Float32Array.from(record).buffer);
}

describe('a network on the processor', () => {
  it('generates and trains bit-identically on one, two, three and five threads', async () => {
    const one = await bitsOf(1);
    expect(one.length).toBeGreaterThan(60_000);
    expect(new Set(one).size).toBeGreaterThan(50_000);
    for (const threads of [2, 3, 5]) expect(await bitsOf(threads)).toEqual(one);
  });
});
