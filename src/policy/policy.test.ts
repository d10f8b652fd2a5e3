import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ppoClipReference } from '../algorithms/ppo-clip.ts';
import { type Gpu, KernelArgumentError } from '../gpu/index.ts';
import { openNodeGpu } from '../gpu/node.ts';
import { adamwReference } from '../kernels/reference/adamw.ts';
import { TestRandom } from '../kernels/reference/random.ts';
import { Policy } from './policy.ts';
import { type Parameters, referenceForward, referenceUpdate } from './reference.ts';
import type {
  GenerateRequest,
  Generation,
  Objective,
  OptimizerStep,
  PolicyCapacity,
  PolicyShape,
  TrainingBatch,
} from './types.ts';

let gpu: Gpu;
beforeAll(async () => {
  gpu = await openNodeGpu();
});
afterEach(() => gpu.check());
afterAll(() => gpu?.close());

const small: PolicyShape = {
  vocabulary: 13,
  layers: 2,
  width: 16,
  heads: 2,
  kvHeads: 1,
  ffnWidth: 24,
  tiedEmbeddings: false,
};
const capacity: PolicyCapacity = {
  tokens: 96,
  rows: 48,
  lossRows: 64,
  episodes: 12,
  context: 40,
};
const objective: Objective = { clipLow: 0.8, clipHigh: 1.25, entropyCoef: 0.05, temperature: 0.9 };
const adam: OptimizerStep = {
  learningRate: 0.02,
  beta1: 0.9,
  beta2: 0.999,
  epsilon: 1e-8,
  weightDecay: 0.1,
  maxGradNorm: 0.5,
};
/** Computes gradients and statistics, and changes no parameter. */
const still: OptimizerStep = { ...adam, learningRate: 0 };

function element(values: ArrayLike<number>, i: number): number {
  const value = values[i];
  if (value === undefined) throw new RangeError(`no element ${i} among ${values.length}`);
  return value;
}

function bits(values: Float32Array | Uint32Array): number[] {
  return Array.from(new Uint32Array(values.buffer, values.byteOffset, values.length));
}

async function parametersOf(policy: Policy): Promise<Record<string, Float64Array>> {
  const parameters: Record<string, Float64Array> = {};
  for (const [name, values] of await policy.parameters()) {
    parameters[name] = Float64Array.from(values);
  }
  return parameters;
}

/** log π of each token of the vocabulary after each token of `packed`, in float64. */
function referenceLogps(
  shape: PolicyShape,
  parameters: Parameters,
  packed: { tokens: Uint32Array; sequenceStarts: Uint32Array },
  temperature: number,
): number[][] {
  const { logits } = referenceForward(shape, parameters, packed);
  const stride = logits.length / packed.tokens.length;
  return Array.from(packed.tokens, (_, t) => {
    const row = Array.from(
      logits.slice(t * stride, t * stride + shape.vocabulary),
      (z) => z / temperature,
    );
    const total = Math.log(row.reduce((sum, z) => sum + Math.exp(z), 0));
    return row.map((z) => z - total);
  });
}

/**
 * Random sequences; `rows` are the positions with a loss. The behaviour policy is the given one,
 * shifted so that ratios fall below, between and above the objective's bounds (none within 0.5 % of
 * one, where float32 may rightly decide otherwise).
 */
function randomBatch(
  shape: PolicyShape,
  parameters: Parameters,
  lengths: readonly number[],
  rows: readonly number[],
  seed: number,
): TrainingBatch {
  const random = new TestRandom(seed);
  const starts = [0];
  for (const length of lengths) starts.push((starts.at(-1) ?? 0) + length);
  const packed = {
    tokens: random.wholes(starts.at(-1) ?? 0, shape.vocabulary),
    sequenceStarts: Uint32Array.from(starts),
  };
  const targets = random.wholes(rows.length, shape.vocabulary);
  const logps = referenceLogps(shape, parameters, packed, objective.temperature);
  const behaviourLogps = Float32Array.from(rows, (row, i) => {
    const ratio = element([0.5, 0.7, 0.9, 1, 1.1, 1.4, 2], random.whole(7));
    return element(logps[row] ?? [], element(targets, i)) - Math.log(ratio);
  });
  return {
    ...packed,
    rows: Uint32Array.from(rows),
    targets,
    behaviourLogps,
    advantages: random.floats(rows.length, 2),
    weights: Float32Array.from(rows, () => (0.5 + random.unit()) / rows.length),
  };
}

/** A policy whose norm gains are not all ones any more. */
async function trained(shape: PolicyShape, seed = 1, size = capacity): Promise<Policy> {
  const policy = await Policy.create(gpu, shape, size, seed);
  const batch = randomBatch(shape, await parametersOf(policy), [9, 4], [3, 8, 12], seed + 100);
  await policy.update([batch], objective, { ...adam, learningRate: 0.1 });
  return policy;
}

describe('loss and gradients', () => {
  const everyRow = Array.from({ length: 17 }, (_, i) => i);
  it.each<{ name: string; shape: PolicyShape; batches: [number[], number[]][] }>([
    {
      name: 'grouped queries, an odd vocabulary, repeated rows, two micro-batches',
      shape: small,
      batches: [
        [
          [7, 1, 12, 3],
          [2, 6, 6, 6, 7, 15, 19, 22],
        ],
        [[1], [0, 0]],
      ],
    },
    {
      name: 'tied embeddings, three layers, two heads a group',
      shape: { ...small, tiedEmbeddings: true, layers: 3, heads: 4, kvHeads: 2, vocabulary: 8 },
      batches: [
        [
          [5, 11, 2],
          [0, 4, 9, 9, 15, 17],
        ],
      ],
    },
    {
      name: 'one layer, a loss at every token',
      shape: { ...small, layers: 1, kvHeads: 2, vocabulary: 5 },
      batches: [[[10, 1, 6], everyRow]],
    },
    {
      name: 'one layer, rows of the first sequence only, more tokens than a workgroup',
      shape: { ...small, layers: 1, heads: 1, vocabulary: 70, width: 8 },
      batches: [
        [
          [40, 30, 20],
          [1, 2, 3, 39],
        ],
      ],
    },
  ])('equal the float64 model’s: $name', async ({ shape, batches: sizes }) => {
    const policy = await trained(shape);
    const parameters = await parametersOf(policy);
    const batches = sizes.map(([lengths, rows], i) =>
      randomBatch(shape, parameters, lengths, rows, 20 + i),
    );
    const expected = referenceUpdate(shape, parameters, batches, objective, ppoClipReference);
    const stats = await policy.update(batches, objective, still);

    const rows = sizes.reduce((sum, [, list]) => sum + list.length, 0);
    expect(stats.rows).toBe(rows);
    expect(stats.skipped).toBe(false);
    const [loss, entropySum, approxKlSum, ratioSum, clippedLow, clippedHigh] = expected.totals;
    for (const [got, wanted] of [
      [stats.loss, loss],
      [stats.entropySum, entropySum],
      [stats.approxKlSum, approxKlSum],
      [stats.ratioSum, ratioSum],
    ] as const) {
      const scale = Math.max(1e-2, Math.abs(wanted ?? Number.NaN));
      expect(Math.abs(got - (wanted ?? Number.NaN)) / scale).toBeLessThan(1e-4);
    }
    expect([stats.clippedLow, stats.clippedHigh]).toEqual([clippedLow, clippedHigh]);

    const norm = (values: ArrayLike<number>) => Math.hypot(...Array.from(values));
    const whole = norm(Object.values(expected.gradients).map(norm));
    expect(Math.abs(stats.gradNorm / whole - 1)).toBeLessThan(1e-3);
    const gradients = await policy.gradients();
    expect([...gradients.keys()].sort()).toEqual(Object.keys(expected.gradients).sort());
    for (const [name, got] of gradients) {
      const wanted = expected.gradients[name] ?? new Float64Array();
      expect(got.length, name).toBe(wanted.length);
      const error = norm(wanted.map((value, i) => element(got, i) - value));
      // A gradient that vanishes exactly is compared with the whole gradient's size.
      expect(error, name).toBeLessThan(1e-3 * norm(wanted) + 1e-6 * whole);
    }
  });

  it('no loss rows at all: no gradient, no loss', async () => {
    const policy = await trained(small);
    const before = await policy.parameters();
    const empty = randomBatch(small, await parametersOf(policy), [5], [], 1);
    const stats = await policy.update([empty], objective, still);
    expect(stats).toMatchObject({ rows: 0, loss: 0, gradNorm: 0, skipped: false });
    const after = await policy.parameters();
    for (const [name, values] of before) expect(after.get(name)).toEqual(values);
  });
});

describe('the optimiser', () => {
  it('steps as the reference does, matrices decayed and norm gains not', async () => {
    const policy = await Policy.create(gpu, small, capacity, 3);
    const names = [...policy.layout.slots.keys()];
    const isGain = (name: string) => name.endsWith('norm');
    // Matrices first, as `decayEnd` asks.
    names.sort((a, b) => Number(isGain(a)) - Number(isGain(b)));
    const flat = (values: ReadonlyMap<string, Float32Array>) =>
      Float64Array.from(names.flatMap((name) => Array.from(values.get(name) ?? [])));
    const initial = await policy.parameters();
    const decayEnd = names
      .filter((name) => !isGain(name))
      .reduce((sum, name) => sum + (initial.get(name)?.length ?? 0), 0);
    const parameters = flat(initial);
    const state = {
      parameters,
      m: new Float64Array(parameters.length),
      v: new Float64Array(parameters.length),
      steps: 0,
    };
    for (let t = 0; t < 3; t++) {
      const batch = randomBatch(small, await parametersOf(policy), [6, 9], [2, 5, 14], 40 + t);
      const { gradNorm } = await policy.update([batch], objective, adam);
      const expected = adamwReference(
        state,
        flat(await policy.gradients()),
        { ...adam, beta1: Math.fround(adam.beta1), beta2: Math.fround(adam.beta2) },
        decayEnd,
      );
      expect(Math.abs(gradNorm / expected.gradNorm - 1)).toBeLessThan(1e-5);
      const got = flat(await policy.parameters());
      got.forEach((value, i) => {
        expect(Math.abs(value - element(state.parameters, i))).toBeLessThan(1e-5);
      });
    }
  });

  it('skips a gradient that is not finite, and says so', async () => {
    const policy = await trained(small);
    const before = await policy.parameters();
    const good = randomBatch(small, await parametersOf(policy), [6], [2, 5], 9);
    const bad = { ...good, advantages: Float32Array.of(1, Number.NaN) };
    expect((await policy.update([good, bad], objective, adam)).skipped).toBe(true);
    const after = await policy.parameters();
    for (const [name, values] of before)
      expect(bits(after.get(name) ?? values)).toEqual(bits(values));
    expect((await policy.update([good], objective, adam)).skipped).toBe(false);
  });
});

/** Prompts of uneven lengths, one for each episode. */
function prompts(count: number, vocabulary: number, seed: number): Uint32Array[] {
  const random = new TestRandom(seed);
  return Array.from({ length: count }, (_, e) =>
    random.wholes(e === 0 ? 1 : 1 + random.whole(12), vocabulary),
  );
}

function request(
  contexts: readonly Uint32Array[],
  changed: Partial<GenerateRequest> = {},
  episodes: readonly number[] = contexts.map((_, e) => e),
): GenerateRequest {
  const starts = [0];
  for (const context of contexts) starts.push((starts.at(-1) ?? 0) + context.length);
  const count = contexts.length;
  return {
    slots: Uint32Array.from(episodes),
    cachedLengths: new Uint32Array(count),
    newTokens: Uint32Array.from(contexts.flatMap((context) => Array.from(context))),
    newTokenStarts: Uint32Array.from(starts),
    maxNewTokens: 6,
    keepCache: true,
    endToken: 4,
    temperature: objective.temperature,
    random: {
      seed: 11,
      iteration: 2,
      episodes: Uint32Array.from(episodes),
      offsets: new Uint32Array(count),
    },
    ...changed,
  };
}

/** What each episode wrote, with the bits of its log-probabilities and entropies. */
function written({ tokens, logps, entropies, lengths }: Generation) {
  const width = tokens.length / lengths.length;
  return Array.from(lengths, (length, e) => {
    const part = <T extends Float32Array | Uint32Array>(values: T) =>
      values.slice(e * width, e * width + length) as T;
    return {
      tokens: Array.from(part(tokens)),
      logps: part(logps),
      logpBits: bits(part(logps)),
      entropies: part(entropies),
    };
  });
}

describe('generation', () => {
  it.each<{ name: string; shape: PolicyShape }>([
    { name: 'grouped queries', shape: small },
    { name: 'tied embeddings', shape: { ...small, tiedEmbeddings: true, layers: 1, kvHeads: 2 } },
  ])('with a cache equals the full forward pass: $name', async ({ shape }) => {
    const policy = await trained(shape);
    const parameters = await parametersOf(policy);
    const contexts = prompts(8, shape.vocabulary, 5);
    const generation = await policy.generate(request(contexts));
    const answers = written(generation);
    expect(new Set(generation.lengths).size).toBeGreaterThan(1);

    const sequences = contexts.map((context, e) => [...context, ...(answers[e]?.tokens ?? [])]);
    const starts = [0];
    for (const sequence of sequences) starts.push((starts.at(-1) ?? 0) + sequence.length);
    const packed = {
      tokens: Uint32Array.from(sequences.flat()),
      sequenceStarts: Uint32Array.from(starts),
    };
    const logps = referenceLogps(shape, parameters, packed, objective.temperature);
    const rows: number[] = [];
    const targets: number[] = [];
    const behaviour: number[] = [];
    answers.forEach(({ tokens, logps: got, entropies }, e) => {
      tokens.forEach((token, i) => {
        const row = element(starts, e) + (contexts[e]?.length ?? 0) + i - 1;
        const expected = logps[row] ?? [];
        expect(Math.abs(element(got, i) - element(expected, token))).toBeLessThan(1e-5);
        const entropy = -expected.reduce((sum, logp) => sum + Math.exp(logp) * logp, 0);
        expect(Math.abs(element(entropies, i) - entropy)).toBeLessThan(1e-5);
        rows.push(row);
        targets.push(token);
        behaviour.push(element(got, i));
      });
    });

    // Recomputed by the training pass, every ratio is 1: the trainer sees what the sampler saw.
    const count = rows.length;
    const stats = await policy.update(
      [
        {
          ...packed,
          rows: Uint32Array.from(rows),
          targets: Uint32Array.from(targets),
          behaviourLogps: Float32Array.from(behaviour),
          advantages: new Float32Array(count).fill(1),
          weights: new Float32Array(count).fill(1 / count),
        },
      ],
      objective,
      still,
    );
    expect(stats.ratioSum).toBe(count);
    expect(stats.approxKlSum).toBe(0);
  });

  it('continues a cache as if it read everything anew', async () => {
    const policy = await trained(small);
    const contexts = prompts(6, small.vocabulary, 6);
    const first = written(await policy.generate(request(contexts)));
    // The last token written has not been read yet, so it comes first among the new ones.
    const replies = prompts(6, small.vocabulary, 7);
    const news = first.map(({ tokens }, e) =>
      Uint32Array.from([tokens.at(-1) ?? 0, ...(replies[e] ?? [])]),
    );
    const offsets = Uint32Array.from(first, ({ tokens }) => tokens.length);
    const random = { seed: 11, iteration: 2, episodes: Uint32Array.of(0, 1, 2, 3, 4, 5), offsets };
    const continued = await policy.generate(
      request(news, {
        cachedLengths: Uint32Array.from(
          contexts,
          (context, e) => context.length + element(offsets, e) - 1,
        ),
        random,
      }),
    );
    const whole = contexts.map((context, e) =>
      Uint32Array.from([...context, ...(first[e]?.tokens ?? []), ...(replies[e] ?? [])]),
    );
    const anew = await policy.generate(request(whole, { random }));
    expect(written(continued)).toEqual(written(anew));
  });

  it('does not depend on the company, the order or the slot of an episode', async () => {
    const policy = await trained(small);
    const contexts = prompts(9, small.vocabulary, 8);
    const together = written(await policy.generate(request(contexts)));
    expect(written(await policy.generate(request(contexts)))).toEqual(together);
    const backwards = await policy.generate(
      request(contexts.toReversed(), {}, [8, 7, 6, 5, 4, 3, 2, 1, 0]),
    );
    expect(written(backwards).toReversed()).toEqual(together);
    for (const e of [0, 5]) {
      const alone = request([contexts[e] ?? new Uint32Array()], { slots: Uint32Array.of(11) }, [e]);
      expect(written(await policy.generate(alone))[0]).toEqual(together[e]);
    }
  });

  it('shares the pass over equal contexts without changing a bit', async () => {
    const policy = await trained(small);
    const [a, b] = [Uint32Array.of(3, 1, 2), Uint32Array.of(3, 1)];
    const contexts = [a, b, a, a, b];
    const one = { maxNewTokens: 1 };
    const shared = await policy.generate(request(contexts, { ...one, keepCache: false }));
    const apart = await policy.generate(request(contexts, { ...one, keepCache: true }));
    expect(written(shared)).toEqual(written(apart));
  });

  it('writes as many tokens as a turn may have, in a policy of three layers', async () => {
    const shape = { ...small, layers: 3 };
    const policy = await trained(shape, 1, { ...capacity, context: 80 });
    const { lengths } = await policy.generate(
      request([Uint32Array.of(1)], { maxNewTokens: 64, endToken: shape.vocabulary }),
    );
    expect(Array.from(lengths)).toEqual([64]);
  });

  it.each<{ what: string; changed: Partial<GenerateRequest> }>([
    { what: 'a token outside the vocabulary', changed: { newTokens: Uint32Array.of(1, 13, 2) } },
    { what: 'a slot that does not exist', changed: { slots: Uint32Array.of(0, 12) } },
    { what: 'more tokens than a cache holds', changed: { cachedLengths: Uint32Array.of(39, 0) } },
    { what: 'an episode without new tokens', changed: { newTokenStarts: Uint32Array.of(0, 0, 3) } },
    { what: 'no token to write', changed: { maxNewTokens: 0 } },
  ])('refuses $what', async ({ changed }) => {
    const policy = await Policy.create(gpu, small, capacity, 1);
    const good = request([Uint32Array.of(1, 2), Uint32Array.of(3)]);
    await expect(policy.generate({ ...good, ...changed })).rejects.toThrow(KernelArgumentError);
    expect((await policy.generate(good)).lengths.length).toBe(2);
  });
});

describe('learning', () => {
  /** Sequences [context, a, b, c] whose continuation differs with the context. */
  const sequences = [
    [0, 5, 9, 1],
    [1, 6, 2, 2],
    [2, 7, 2, 12],
    [3, 11, 0, 8],
  ];
  const supervised: TrainingBatch = {
    tokens: Uint32Array.from(sequences.flatMap((sequence) => sequence.slice(0, 3))),
    sequenceStarts: Uint32Array.of(0, 3, 6, 9, 12),
    rows: Uint32Array.from({ length: 12 }, (_, i) => i),
    targets: Uint32Array.from(sequences.flatMap((sequence) => sequence.slice(1))),
    behaviourLogps: new Float32Array(12),
    advantages: new Float32Array(12).fill(1),
    weights: new Float32Array(12).fill(1 / 12),
  };
  // Ratio to a behaviour policy that is certain of the targets: the loss is −Σ π(target)/12.
  const likelihood = { clipLow: 0, clipHigh: 2, entropyCoef: 0, temperature: 1 };

  it('learns a few sequences by heart, and says them', async () => {
    const policy = await Policy.create(gpu, small, capacity, 5);
    let loss = 0;
    for (let t = 0; t < 60; t++) {
      ({ loss } = await policy.update([supervised], likelihood, {
        ...adam,
        learningRate: 0.01,
        weightDecay: 0,
        maxGradNorm: 1,
      }));
      if (t === 0) expect(loss).toBeGreaterThan(-0.2);
    }
    expect(loss).toBeLessThan(-0.95);
    expect(policy.version).toBe(60);
    const spoken = written(
      await policy.generate(
        request(
          sequences.map(([first]) => Uint32Array.of(first ?? 0)),
          { temperature: 0, maxNewTokens: 3, endToken: small.vocabulary },
        ),
      ),
    );
    expect(spoken.map(({ tokens }) => tokens)).toEqual(
      sequences.map((sequence) => sequence.slice(1)),
    );
  });

  it('gives the same bits in a second run, and others from another seed', async () => {
    const run = async (seed: number) => {
      const policy = await Policy.create(gpu, small, capacity, seed);
      const record: number[] = [];
      for (let t = 0; t < 4; t++) {
        const generation = await policy.generate(request(prompts(5, small.vocabulary, 60 + t)));
        for (const { tokens, logpBits } of written(generation)) record.push(...tokens, ...logpBits);
        const stats = await policy.update([supervised, supervised], likelihood, adam);
        record.push(stats.loss, stats.gradNorm);
      }
      for (const values of (await policy.parameters()).values()) record.push(...bits(values));
      // The next run's buffers take this one's place.
      policy.destroy();
      return record;
    };
    const first = await run(8);
    expect(await run(8)).toEqual(first);
    expect(await run(9)).not.toEqual(first);
  });
});
