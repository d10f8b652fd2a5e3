/**
 * Tests dispatch counts and results of the kernels that are fused for real GPUs. Runs on any
 * GPU adapter.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { byTier, fast, thorough } from '../../scripts/tier.mjs';
import { policyShape } from '../agents/shape.ts';
import { defaultObjective } from '../algorithms/objective.ts';
import { completeConfig } from '../config/check.ts';
import { findPreset } from '../config/presets.ts';
import type { Device } from '../device/index.ts';
import { openNodeGpu } from '../device/webgpu/node.ts';
import { TestRandom } from '../kernels/reference/random.ts';
import { fitsTurn } from '../kernels/turn.ts';
import { initialParameters } from './init.ts';
import { paddedVocabulary, parameterLayout, VALUE_COLUMNS } from './layout.ts';
import { Network } from './network.ts';
import { createPolicy } from './policy.ts';
import { referenceForward, referenceUpdate } from './reference.ts';
import { generate } from './turn.ts';
import type {
  GenerateRequest,
  Generation,
  OptimizerStep,
  PolicyCapacity,
  PolicyShape,
  TrainingBatch,
} from './types.ts';

const capacity: PolicyCapacity = {
  tokens: 96,
  rows: 96,
  lossRows: 96,
  updateRows: 256,
  episodes: 8,
  context: 24,
};

const step: OptimizerStep = {
  learningRate: 0,
  beta1: 0.9,
  beta2: 0.95,
  epsilon: 1e-8,
  weightDecay: 0.1,
  maxGradNorm: 1,
};

const objective = { ...defaultObjective, temperature: 1 };

function shapeOf(changed: Partial<PolicyShape>): PolicyShape {
  return {
    vocabulary: 13,
    layers: 2,
    width: 32,
    heads: 4,
    kvHeads: 2,
    ffnWidth: 24,
    tiedEmbeddings: false,
    valueHead: false,
    ...changed,
  };
}

/** A shape of the benchmark. */
const llama = (layers: number, width: number) =>
  shapeOf({ vocabulary: 64, layers, width, kvHeads: 4, ffnWidth: 3 * width });

/** Sequences of 8 tokens with a loss row at every `every`-th token. */
function batch(sequences: number, { vocabulary }: PolicyShape, every = 1): TrainingBatch {
  const random = new TestRandom(5);
  const n = 8 * sequences;
  const rows = Array.from({ length: n }, (_, t) => t).filter((t) => t % every === every - 1);
  const column = () => random.floats(rows.length);
  return {
    tokens: random.wholes(n, vocabulary),
    sequenceStarts: Uint32Array.from({ length: sequences + 1 }, (_, s) => 8 * s),
    rows: Uint32Array.from(rows),
    targets: random.wholes(rows.length, vocabulary),
    behaviorLogps: column().map((x) => x * 0.1 - Math.log(vocabulary)),
    advantages: column(),
    weights: new Float32Array(rows.length).fill(1 / rows.length),
    oldValues: column(),
    returns: column(),
    episodes: Uint32Array.from(rows, (t) => Math.floor(t / 8)),
  };
}

let device: Device;
beforeAll(async () => {
  device = await openNodeGpu({ kind: 'gpu' });
});
afterAll(() => device?.close());

async function dispatchesOf(work: () => Promise<unknown>): Promise<number> {
  const before = device.counters.dispatches;
  await work();
  return device.counters.dispatches - before;
}

describe('an update', () => {
  const steps = [
    { name: 'S', shape: llama(2, 64), exactly: 46, most: 50 },
    { name: 'M', shape: llama(4, 128), exactly: 76, most: 90 },
  ];
  it.each(byTier(steps.slice(0, 1), steps, steps))(
    'uses $exactly dispatches for shape $name',
    async ({ shape, exactly, most }) => {
      const policy = await createPolicy(device, shape, capacity, 1);
      const count = await dispatchesOf(() => policy.update([batch(1, shape)], objective, step));
      policy.destroy();
      expect(count).toBe(exactly);
      expect(count).toBeLessThanOrEqual(most);
    },
  );

  // A sum over the parameters needs more workgroups than a device runs in a row.
  it.runIf(thorough)('trains 5 million parameters', async () => {
    const policy = await createPolicy(device, llama(6, 256), capacity, 1);
    policy.keepReference();
    const { gradNorm, skipped } = await policy.update([batch(2, policy.shape)], objective, {
      ...step,
      learningRate: 0.01,
    });
    const gradients = await policy.gradients();
    const { weights, reference } = await policy.readState();
    policy.destroy();
    expect(skipped).toBe(false);
    let squares = 0;
    for (const [name, { values }] of gradients) {
      squares += values.reduce((sum, g) => sum + g * g, 0);
      const before = reference?.get(name)?.values;
      const moved = weights.get(name)?.values.filter((value, i) => value !== before?.[i]).length;
      // Gradients of unused tokens are zero.
      expect(moved, name).toBeGreaterThan(0.3 * values.length);
    }
    expect(gradNorm).toBeCloseTo(Math.sqrt(squares), 4);
  });
});

/** A turn of `episodes` episodes, each with `read` new tokens after `cached` cached ones. */
function request(
  { vocabulary }: PolicyShape,
  episodes: number,
  {
    read = 6,
    cached = 0,
    maxNewTokens = 3,
    temperature = 1,
    endTokens = [vocabulary],
    seed = 8,
  } = {},
): GenerateRequest {
  const numbers = Uint32Array.from({ length: episodes }, (_, i) => i);
  return {
    slots: numbers.map((i) => episodes - 1 - i),
    cachedLengths: new Uint32Array(episodes).fill(cached),
    newTokens: new TestRandom(seed).wholes(read * episodes, vocabulary),
    newTokenStarts: Uint32Array.from({ length: episodes + 1 }, (_, i) => read * i),
    ...{ maxNewTokens, temperature, endTokens },
    keepCache: true,
    random: {
      seed: 1,
      iterations: numbers.map(() => 2),
      episodes: numbers.map((i) => i + 7),
      offsets: numbers.map(() => cached),
    },
  };
}

describe('a turn', () => {
  it.each([
    { name: 'S', shape: llama(2, 64), tokens: 1, exactly: 1 },
    { name: 'S', shape: llama(2, 64), tokens: 4, exactly: 1 },
  ])(
    'uses $exactly dispatches for $tokens tokens with shape $name',
    async ({ shape, tokens, exactly }) => {
      const policy = await createPolicy(device, shape, capacity, 1);
      const asked = request(shape, 4, { maxNewTokens: tokens });
      await policy.generate(asked);
      const before = { ...device.counters };
      await policy.generate(asked);
      const { dispatches, buffers, bindGroups, pipelines } = device.counters;
      policy.destroy();
      expect(dispatches - before.dispatches).toBe(exactly);
      expect([buffers, bindGroups, pipelines]).toEqual([
        before.buffers,
        before.bindGroups,
        before.pipelines,
      ]);
    },
  );
});

describe('generate with two calls in flight', () => {
  it('gives the same results as sequential calls', async () => {
    const shape = shapeOf({});
    const policy = await createPolicy(device, shape, capacity, 1);
    expect(policy.waves).toBe(2);
    const first = request(shape, 4);
    const second = {
      ...request(shape, 4, { read: 9 }),
      slots: first.slots.map((slot) => slot + 4),
    };
    const apart = [await policy.generate(first), await policy.generate(second)];
    const together = await Promise.all([policy.generate(first), policy.generate(second)]);
    policy.destroy();
    expect(together).toEqual(apart);
    expect(apart[0]?.logps).not.toEqual(apart[1]?.logps);
  });
});

describe('a turn in one dispatch', () => {
  it.each([
    { name: 'S', shape: llama(2, 64), fits: true },
    {
      name: 'the maze preset',
      shape: policyShape(completeConfig(findPreset('maze').config), 64),
      fits: true,
    },
    { name: 'M', shape: llama(4, 128), fits: false },
    { name: 'heads of 4 dimensions', shape: shapeOf({ heads: 8 }), fits: false },
  ])('is used for a shape if and only if it fits into one workgroup: $name', ({ shape, fits }) => {
    expect(fitsTurn({ ...shape, padded: paddedVocabulary(shape) })).toBe(fits);
  });

  const shapes = [
    { what: 'shared heads', changed: {} },
    { what: 'tied embeddings', changed: { tiedEmbeddings: true, kvHeads: 4, layers: 1 } },
  ].slice(0, fast ? 1 : 2);
  const turns = [
    { temperature: 0.7, endTokens: [0, 1, 2, 3], read: 11 },
    // Continues from the caches of the first turn with one greedy token.
    { cached: 12, temperature: 0, maxNewTokens: 1, read: 2, seed: 9 },
  ];

  it.each(shapes)('equals the separate kernels bit for bit: $what', async ({ changed }) => {
    const shape = shapeOf(changed);
    const net = new Network(device, shape, capacity);
    device.upload(net.parameters.flat, initialParameters(net.layout, 6));
    expect(net.turn).not.toBeNull();
    const play = async (turn: Network['turn']) => {
      const generations: Generation[] = [];
      for (const settings of turns)
        generations.push(await generate(net, request(shape, 5, settings), 0, turn));
      return generations;
    };
    const separate = await play(null);
    for (const cache of net.caches) device.upload(cache, new Float32Array(cache.length));
    const together = await play(net.turn);
    net.destroy();
    expect(together).toEqual(separate);
    expect(new Set(together[0]?.lengths).size).toBeGreaterThan(1);
  });

  it('equals the float64 reference', async () => {
    const shape = shapeOf({});
    const policy = await createPolicy(device, shape, capacity, 6);
    const asked = request(shape, 4, { maxNewTokens: 2 });
    const { tokens, logps } = await policy.generate(asked);
    const parameters = Object.fromEntries(
      [...(await policy.readWeights())].map(([name, { values }]) => [
        name,
        Float64Array.from(values),
      ]),
    );
    policy.destroy();
    const sequences = Array.from({ length: 4 }, (_, e) => [
      ...asked.newTokens.subarray(6 * e, 6 * e + 6),
      ...tokens.subarray(2 * e, 2 * e + 1),
    ]);
    const { logits } = referenceForward(shape, parameters, {
      tokens: Uint32Array.from(sequences.flat()),
      sequenceStarts: Uint32Array.from({ length: 5 }, (_, e) => 7 * e),
    });
    const padded = logits.length / 28;
    logps.forEach((logp, i) => {
      const at = (7 * Math.floor(i / 2) + 5 + (i % 2)) * padded;
      const row = logits.subarray(at, at + shape.vocabulary);
      const total = row.reduce((sum, z) => sum + Math.exp(z), 0);
      expect(logp).toBeCloseTo((row[tokens[i] ?? 0] ?? 0) - Math.log(total), 5);
    });
  });

  it('gives an episode bit-identical results alone and with other episodes', async () => {
    const shape = shapeOf({});
    const policy = await createPolicy(device, shape, capacity, 6);
    const all = request(shape, 5);
    const { logps, tokens } = await policy.generate(all);
    const one = (of: Uint32Array) => of.subarray(3, 4);
    const { random } = all;
    const alone = await policy.generate({
      ...all,
      slots: one(all.slots),
      cachedLengths: one(all.cachedLengths),
      newTokens: all.newTokens.subarray(18, 24),
      newTokenStarts: Uint32Array.of(0, 6),
      random: {
        seed: random.seed,
        iterations: one(random.iterations),
        episodes: one(random.episodes),
        offsets: one(random.offsets),
      },
    });
    policy.destroy();
    expect(alone.tokens).toEqual(tokens.slice(9, 12));
    expect(alone.logps).toEqual(logps.slice(9, 12));
  });

  it('gives episodes that share a context the same tokens as the separate kernels', async () => {
    const shape = shapeOf({});
    const net = new Network(device, shape, capacity);
    device.upload(net.parameters.flat, initialParameters(net.layout, 6));
    const asked = { ...request(shape, 6, { maxNewTokens: 1 }), keepCache: false };
    for (const e of [2, 3, 5]) asked.newTokens.copyWithin(6 * e, 0, 6);
    const separate = await generate(net, asked, 0, null);
    const together = await generate(net, asked, 0);
    net.destroy();
    expect(together).toEqual(separate);
  });
});

describe('the gradient of fused kernels', () => {
  it.each([
    { what: 'a loss row for every token', changed: {}, every: 1 },
    { what: 'a loss row for every third token', changed: {}, every: 3 },
    { what: 'a value head', changed: { valueHead: true }, every: 2 },
    { what: 'tied embeddings', changed: { tiedEmbeddings: true }, every: 1 },
    { what: 'one layer', changed: { layers: 1, kvHeads: 4 }, every: 1 },
  ])('equals the float64 reference: $what', async ({ changed, every }) => {
    const shape = shapeOf(changed);
    const policy = await createPolicy(device, shape, capacity, 3);
    const value = { ...defaultObjective.value, coef: shape.valueHead ? 0.5 : 0 };
    const asked = { ...objective, value };
    // Two micro-batches, to check that their partial sums are not mixed up.
    const batches = [batch(9, shape, every), batch(4, shape, every)];
    const parameters = Object.fromEntries(
      [...(await policy.readWeights())].map(([name, { values }]) => [
        name,
        Float64Array.from(values),
      ]),
    );
    await policy.update(batches, asked, step);
    const got = await policy.gradients();
    policy.destroy();
    const { gradients } = referenceUpdate(shape, parameters, batches, asked);
    for (const { name } of parameterLayout(shape).slots.values()) {
      const expected = gradients[name] ?? new Float64Array();
      const values = got.get(name)?.values ?? new Float32Array();
      const scale = Math.max(1e-3, ...expected.map(Math.abs));
      const errors = Array.from(values, (g, i) =>
        // Columns that pad the value head have no gradient in the reference.
        name === 'value_head' && i % VALUE_COLUMNS > 0 ? 0 : Math.abs(g - (expected[i] ?? 0)),
      );
      expect(errors.length, name).toBe(expected.length);
      expect(Math.max(...errors) / scale, name).toBeLessThan(1e-4);
    }
  });
});

describe('a token in rollout and in training', () => {
  it.each([1, 3])(
    'has a bit-identical log-probability, with %d tokens per turn',
    async (tokens) => {
      const shape = shapeOf({});
      const policy = await createPolicy(device, shape, capacity, 4);
      const episodes = 5;
      const numbers = Uint32Array.from({ length: episodes }, (_, i) => i);
      const read = 6;
      const newTokens = new TestRandom(8).wholes(read * episodes, shape.vocabulary);
      const generation = await policy.generate({
        slots: numbers,
        cachedLengths: new Uint32Array(episodes),
        newTokens,
        newTokenStarts: Uint32Array.from({ length: episodes + 1 }, (_, i) => read * i),
        maxNewTokens: tokens,
        keepCache: false,
        endTokens: [shape.vocabulary],
        temperature: 1,
        random: { seed: 1, iterations: numbers, episodes: numbers, offsets: numbers.map(() => 0) },
      });
      const length = read + tokens - 1;
      const sequences = Array.from({ length: episodes }, (_, e) => [
        ...newTokens.subarray(read * e, read * (e + 1)),
        ...generation.tokens.subarray(tokens * e, tokens * (e + 1) - 1),
      ]);
      const rows = Array.from({ length: episodes * tokens }, (_, i) => {
        return Math.floor(i / tokens) * length + read - 1 + (i % tokens);
      });
      const filled = new Float32Array(rows.length);
      const [scores] = await policy.score(
        [
          {
            tokens: Uint32Array.from(sequences.flat()),
            sequenceStarts: Uint32Array.from({ length: episodes + 1 }, (_, e) => length * e),
            rows: Uint32Array.from(rows),
            targets: generation.tokens,
            behaviorLogps: filled,
            advantages: filled,
            weights: filled,
          },
        ],
        1,
      );
      policy.destroy();
      expect(scores?.logps).toEqual(generation.logps);
    },
  );
});
