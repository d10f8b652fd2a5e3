import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defaultObjective } from '../algorithms/objective.ts';
import type { Device } from '../device/index.ts';
import type { BasePrecision } from '../kernels/frozen-pack.ts';
import { packMatrix, unpackMatrix } from '../kernels/frozen-pack.ts';
import { TestRandom } from '../kernels/reference/random.ts';
import { at } from '../kernels/reference/values.ts';
import { testDevices } from '../kernels/testing.ts';
import { adaptedLinears, adapterNames, networkLayout } from './layout.ts';
import { mergedWeights } from './merge.ts';
import { createPolicy, type Policy } from './policy.ts';
import { type Parameters, referenceForward, referenceUpdate } from './reference.ts';
import { frozenWeights, randomWeights, smallArchitectures } from './testing/architectures.ts';
import type {
  Adapter,
  GenerateRequest,
  Objective,
  OptimizerStep,
  PolicyCapacity,
  PolicyShape,
  TrainingBatch,
  WeightTensor,
} from './types.ts';

const capacity: PolicyCapacity = {
  ...{ tokens: 96, rows: 90, lossRows: 120, updateRows: 240 },
  ...{ episodes: 4, context: 40 },
};
const objective: Objective = {
  ...defaultObjective,
  clipLow: 0.8,
  clipHigh: 1.25,
  entropyCoef: 0.05,
  temperature: 0.9,
};
const still: OptimizerStep = {
  ...{ learningRate: 0, beta1: 0.9, beta2: 0.999, epsilon: 1e-8 },
  ...{ weightDecay: 0, maxGradNorm: 1 },
};

/** Two sequences with loss rows at the given positions. */
function batchOf(shape: PolicyShape, rows: readonly number[], seed: number): TrainingBatch {
  const random = new TestRandom(seed);
  const length = Math.max(30, 1 + (rows.at(-1) ?? 0));
  return {
    tokens: random.wholes(length, shape.vocabulary),
    sequenceStarts: Uint32Array.of(0, 11, length),
    rows: Uint32Array.from(rows),
    targets: random.wholes(rows.length, shape.vocabulary),
    behaviorLogps: Float32Array.from(rows, () => -2.5 - random.unit()),
    advantages: random.floats(rows.length, 2),
    weights: Float32Array.from(rows, () => 1 / rows.length),
  };
}

const everyRow = Array.from({ length: 30 }, (_, i) => i);
/** More rows of logits than a network with an adapter computes at once. */
const manyRows = Array.from({ length: 85 }, (_, i) => i);
const fewRows = [4, 9, 13, 14, 28];

function float64(weights: ReadonlyMap<string, WeightTensor>): Parameters {
  return Object.fromEntries(
    [...weights].map(([name, { values }]) => [name, Float64Array.from(values)]),
  );
}

/** log π(target) of each row of a batch in float64. */
function referenceLogps(shape: PolicyShape, parameters: Parameters, batch: TrainingBatch) {
  const { logits } = referenceForward(shape, parameters, batch);
  const stride = logits.length / batch.tokens.length;
  return Array.from(batch.rows, (row, i) => {
    const z = Array.from(
      logits.subarray(row * stride, row * stride + shape.vocabulary),
      (value) => value / objective.temperature,
    );
    const total = Math.log(z.reduce((sum, value) => sum + Math.exp(value), 0));
    return (z[at(batch.targets, i)] ?? 0) - total;
  });
}

function expectClose(
  got: ArrayLike<number>,
  expected: ArrayLike<number>,
  tolerance: number,
  what: string,
): void {
  expect(got.length, what).toBe(expected.length);
  let largest = 0;
  for (let i = 0; i < got.length; i++) {
    largest = Math.max(largest, Math.abs(at(got, i) - at(expected, i)));
  }
  expect(largest, what).toBeLessThan(tolerance);
}

/** Two episodes that generate ten tokens each after 3 and 7 context tokens. */
function generation(shape: PolicyShape, temperature = 1): GenerateRequest {
  const random = new TestRandom(8);
  return {
    slots: Uint32Array.of(2, 0),
    cachedLengths: Uint32Array.of(0, 0),
    newTokens: random.wholes(10, shape.vocabulary),
    newTokenStarts: Uint32Array.of(0, 3, 10),
    maxNewTokens: 10,
    keepCache: true,
    endTokens: [shape.vocabulary],
    temperature,
    random: {
      seed: 5,
      iterations: Uint32Array.of(1, 1),
      episodes: Uint32Array.of(0, 1),
      offsets: Uint32Array.of(0, 0),
    },
  };
}

/** The generated episodes as a batch with a loss row for each generated token. */
async function playedBatch(policy: Policy, shape: PolicyShape) {
  const request = generation(shape);
  const written = await policy.generate(request);
  const tokens: number[] = [];
  const rows: number[] = [];
  const targets: number[] = [];
  const starts = [0];
  for (const e of [0, 1]) {
    const begin = tokens.length;
    const prompt = request.newTokens.subarray(
      at(request.newTokenStarts, e),
      at(request.newTokenStarts, e + 1),
    );
    tokens.push(...prompt);
    for (let i = 0; i < 10; i++) {
      const token = at(written.tokens, 10 * e + i);
      rows.push(begin + prompt.length + i - 1);
      targets.push(token);
      tokens.push(token);
    }
    starts.push(tokens.length);
  }
  const batch: TrainingBatch = {
    tokens: Uint32Array.from(tokens),
    sequenceStarts: Uint32Array.from(starts),
    rows: Uint32Array.from(rows),
    targets: Uint32Array.from(targets),
    behaviorLogps: written.logps,
    advantages: new Float32Array(rows.length),
    weights: new Float32Array(rows.length),
  };
  return { batch, logps: written.logps };
}

describe.each(testDevices)('on $on', ({ open }) => {
  let device: Device;
  beforeAll(async () => {
    device = await open();
  });
  afterAll(() => device.close());

  describe.each(smallArchitectures)('$what', ({ shape }) => {
    const weights = randomWeights(shape, 4);
    const parameters = float64(weights);

    it.each([
      { what: 'every row', rows: everyRow },
      { what: 'few rows', rows: fewRows },
    ])('matches the scores and gradients of the float64 reference: $what', async ({ rows }) => {
      const policy = await createPolicy(device, shape, capacity, 1);
      policy.writeWeights(weights);
      const batch = batchOf(shape, rows, 6);
      const [scores] = await policy.score([batch], objective.temperature);
      expectClose(scores?.logps ?? [], referenceLogps(shape, parameters, batch), 2e-4, 'scores');

      await policy.update([batch], objective, still);
      const { gradients } = referenceUpdate(shape, parameters, [batch], objective);
      for (const [name, { values }] of await policy.gradients()) {
        const expected = gradients[name] ?? new Float64Array(0);
        const size = Math.max(...Array.from(expected, Math.abs));
        expectClose(values, expected, 2e-5 + 1e-3 * size, name);
      }
      policy.destroy();
    });

    it('gives a token bit-identical log-probabilities in rollout and training', async () => {
      const policy = await createPolicy(device, shape, capacity, 1);
      policy.writeWeights(weights);
      const { batch, logps } = await playedBatch(policy, shape);
      const [scores] = await policy.score([batch], 1);
      expect(Array.from(scores?.logps ?? [])).toEqual(Array.from(logps));
      policy.destroy();
    });
  });

  describe.each(
    smallArchitectures.flatMap(({ what, shape }) =>
      (['f32', 'f16', 'int4'] as const).map((base) => ({ what, base, shape: wide(shape) })),
    ),
  )('an adapter on $what, $base', ({ base, shape: network }) => {
    const adapter: Adapter = {
      ...{ rank: 4, alpha: 10, base },
      targets: ['q_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj'],
    };
    const shape: PolicyShape = { ...network, adapter };
    const weights = randomWeights(network, 4);
    /** The weights as stored in the frozen matrices. */
    const kept = packed(network, weights, base);

    const adapted = async () => {
      const policy = await createPolicy(
        device,
        shape,
        capacity,
        1,
        frozenWeights(network, weights),
      );
      const random = new TestRandom(12);
      const drawn = new Map(
        [...(await policy.readWeights())].map(([name, { shape: dims, values }]) => [
          name,
          {
            shape: dims,
            values: name.endsWith('lora_b')
              ? masked(shape, name, random.floats(values.length, 0.2))
              : values,
          },
        ]),
      );
      return { policy, drawn };
    };

    it("does not change the network's outputs before its first update", async () => {
      const { policy } = await adapted();
      const batch = batchOf(shape, fewRows, 6);
      const [scores] = await policy.score([batch], objective.temperature);
      const reference = referenceLogps(network, float64(kept), batch);
      expectClose(scores?.logps ?? [], reference, 3e-4, 'scores');
      policy.destroy();
    });

    it.each([
      { what: 'every row, in chunks of logits', rows: manyRows },
      { what: 'few rows', rows: fewRows },
    ])('matches the scores and gradients of the merged network: $what', async ({ rows }) => {
      const { policy, drawn } = await adapted();
      policy.writeWeights(drawn);
      const merged = float64(mergedWeights(shape, kept, drawn));
      const batch = batchOf(shape, rows, 6);
      const [scores] = await policy.score([batch], objective.temperature);
      expectClose(scores?.logps ?? [], referenceLogps(network, merged, batch), 4e-4, 'scores');

      await policy.update([batch], objective, still);
      const { gradients } = referenceUpdate(network, merged, [batch], objective);
      const got = await policy.gradients();
      for (const [name, linear] of adaptedLinears(shape)) {
        const names = adapterNames(name);
        const expected = chained(linear, adapter, {
          dw: gradients[name] ?? new Float64Array(0),
          a: drawn.get(names.a)?.values ?? [],
          b: drawn.get(names.b)?.values ?? [],
        });
        for (const part of ['a', 'b'] as const) {
          const size = Math.max(...Array.from(expected[part], Math.abs));
          const values = got.get(names[part])?.values ?? [];
          expectClose(values, expected[part], 2e-5 + 2e-3 * size, names[part]);
        }
      }
      policy.destroy();
    });

    it('gives a token bit-identical log-probabilities in rollout and training', async () => {
      const { policy, drawn } = await adapted();
      policy.writeWeights(drawn);
      const { batch, logps } = await playedBatch(policy, shape);
      const [scores] = await policy.score([batch], 1);
      expect(Array.from(scores?.logps ?? [])).toEqual(Array.from(logps));
      policy.destroy();
    });
  });

  it('keeps the network under an adapter as the reference policy', async () => {
    const shape: PolicyShape = {
      ...wide(smallArchitectures[0]?.shape ?? ({} as PolicyShape)),
      adapter: { rank: 8, alpha: 16, targets: ['q_proj', 'down_proj'], base: 'f16' },
    };
    const network = { ...shape };
    delete (network as { adapter?: Adapter }).adapter;
    const frozen = frozenWeights(network, randomWeights(network, 3));
    const policy = await createPolicy(device, shape, capacity, 1, frozen);
    const batch = batchOf(shape, everyRow, 2);
    const [before] = await policy.score([batch], 1);
    policy.keepReference();
    await policy.update([batch], objective, { ...still, learningRate: 0.01 });
    await policy.update([batch], objective, { ...still, learningRate: 0.01 });
    const [after] = await policy.score([batch], 1);
    const [reference] = await policy.score([batch], 1, 'reference');
    expect(Array.from(reference?.logps ?? [])).toEqual(Array.from(before?.logps ?? []));
    expect(Array.from(after?.logps ?? [])).not.toEqual(Array.from(before?.logps ?? []));

    // A checkpoint holds only the adapter, and another policy resumes from it bit-identically.
    const other = await createPolicy(device, shape, capacity, 9, frozen);
    const state = await policy.readState();
    expect([...state.weights.keys()].every((name) => name.includes('lora'))).toBe(true);
    other.writeState(state);
    const step = { ...still, learningRate: 0.01 };
    await Promise.all([policy, other].map((each) => each.update([batch], objective, step)));
    const [first, second] = await Promise.all(
      [policy, other].map(async (each) => (await each.score([batch], 1))[0]),
    );
    expect(Array.from(second?.logps ?? [])).toEqual(Array.from(first?.logps ?? []));
    policy.destroy();
    other.destroy();
  });
});

/** The same architecture with input widths that are multiples of 32. */
function wide(shape: PolicyShape): PolicyShape {
  const { architecture } = shape;
  if (!architecture) return shape;
  const headDim = 32 / shape.heads;
  return {
    ...shape,
    ...{ width: 32, ffnWidth: 64, vocabulary: 30 },
    architecture: { ...architecture, headDim },
  };
}

/** Weights as the frozen matrices hold them: packed along their inputs and unpacked again. */
function packed(
  shape: PolicyShape,
  weights: ReadonlyMap<string, WeightTensor>,
  base: BasePrecision,
): Map<string, WeightTensor> {
  return new Map(
    [...weights].map(([name, tensor]) => {
      if (tensor.shape.length !== 2) return [name, tensor];
      const ofTokens = name === 'embedding' || name === 'head';
      const precision = base === 'int4' && ofTokens ? 'f16' : base;
      const { slots } = networkLayout(shape);
      const [rows = 0, columns = 0] = slots.get(name)?.shape ?? [];
      const turn = (values: Float32Array, r: number, c: number) =>
        Float32Array.from(values, (_, i) => at(values, (i % r) * c + Math.floor(i / r)));
      const flip = name !== 'embedding';
      const lying = flip ? turn(tensor.values, rows, columns) : tensor.values;
      const back = unpackMatrix(precision, packMatrix(precision, lying));
      return [
        name,
        { shape: tensor.shape, values: flip ? turn(back, columns, rows) : Float32Array.from(back) },
      ];
    }),
  );
}

/** B (ranks, outputs) with all elements outside the parts' blocks set to 0, as in the policy. */
function masked(shape: PolicyShape, name: string, values: Float32Array): Float32Array {
  const linear = adaptedLinears(shape).get(name.replace(/\.lora_b$/, ''));
  if (!linear) throw new RangeError(name);
  const rank = linear.ranks / linear.parts.length;
  return values.map((value, i) => {
    const part = linear.parts[Math.floor(i / linear.outputs / rank)];
    const column = i % linear.outputs;
    return part && column >= part.begin && column < part.end ? value : 0;
  });
}

/**
 * Gradients of A and B from the merged matrix's gradient, within B's blocks: dA = s·dW·Bᵀ and
 * dB = s·Aᵀ·dW.
 */
function chained(
  {
    inputs,
    outputs,
    ranks,
    parts,
  }: {
    inputs: number;
    outputs: number;
    ranks: number;
    parts: readonly { begin: number; end: number }[];
  },
  { alpha, rank }: Adapter,
  { dw, a, b }: { dw: Float64Array; a: ArrayLike<number>; b: ArrayLike<number> },
) {
  const scale = alpha / rank;
  const da = new Float64Array(inputs * ranks);
  const db = new Float64Array(ranks * outputs);
  for (let r = 0; r < ranks; r++) {
    const { begin = 0, end = 0 } = parts[Math.floor(r / rank)] ?? {};
    for (let i = 0; i < inputs; i++) {
      for (let o = begin; o < end; o++) {
        const d = scale * at(dw, i * outputs + o);
        da[i * ranks + r] = at(da, i * ranks + r) + d * at(b, r * outputs + o);
        db[r * outputs + o] = at(db, r * outputs + o) + d * at(a, i * ranks + r);
      }
    }
  }
  return { a: da, b: db };
}
