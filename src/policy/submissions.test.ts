/** Submissions and device objects that a warm training loop needs. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { fast } from '../../scripts/tier.mjs';
import { defaultObjective } from '../algorithms/objective.ts';
import { type Surrogate, surrogates } from '../algorithms/surrogates.ts';
import type { Device, DeviceCounters } from '../device/index.ts';
import { testDevices } from '../kernels/testing.ts';
import { createPolicy, type Policy } from './policy.ts';
import type { GenerateRequest, PolicyShape, TrainingBatch } from './types.ts';

const shape: PolicyShape = {
  vocabulary: 12,
  layers: 2,
  width: 16,
  heads: 2,
  kvHeads: 1,
  ffnWidth: 24,
  tiedEmbeddings: true,
  valueHead: true,
};
const capacity = {
  tokens: 64,
  rows: 32,
  lossRows: 32,
  updateRows: 512,
  episodes: 8,
  context: 24,
};
const adam = {
  learningRate: 1e-3,
  beta1: 0.9,
  beta2: 0.999,
  epsilon: 1e-8,
  weightDecay: 0,
  maxGradNorm: 1,
};

// Slow devices need more submissions. A constant clock makes every device look fast.
beforeAll(() => void vi.spyOn(performance, 'now').mockReturnValue(0));
afterAll(() => vi.restoreAllMocks());

let device: Device;
let policy: Policy;

/** Sequences of 8 tokens, of which the agent generated the last 3. */
function batch(sequences: number, seed: number): TrainingBatch {
  const token = (i: number) => (i * 7 + seed * 5 + (i % 3)) % shape.vocabulary;
  const rows = Array.from({ length: 3 * sequences }, (_, i) => 8 * Math.floor(i / 3) + 4 + (i % 3));
  const column = (value: (i: number) => number) => Float32Array.from(rows, (_, i) => value(i));
  return {
    tokens: Uint32Array.from({ length: 8 * sequences }, (_, i) => token(i)),
    sequenceStarts: Uint32Array.from({ length: sequences + 1 }, (_, s) => 8 * s),
    rows: Uint32Array.from(rows),
    targets: Uint32Array.from(rows, (row) => token(row + 1)),
    behaviorLogps: column(() => -2.4),
    referenceLogps: column(() => -2.5),
    advantages: column((i) => (i % 2 === 0 ? 1 : -1)),
    weights: column(() => 0.01),
    oldValues: column(() => 0),
    returns: column(() => 1),
    episodes: Uint32Array.from(rows, (_, i) => Math.floor(i / 3)),
  };
}

function turn(episodes: number, maxNewTokens: number, seed: number): GenerateRequest {
  const numbers = Uint32Array.from({ length: episodes }, (_, i) => i);
  return {
    slots: numbers,
    cachedLengths: new Uint32Array(episodes),
    newTokens: Uint32Array.from({ length: 6 * episodes }, (_, i) => (i * seed) % shape.vocabulary),
    newTokenStarts: Uint32Array.from({ length: episodes + 1 }, (_, i) => 6 * i),
    maxNewTokens,
    keepCache: false,
    endTokens: [0],
    temperature: 1,
    random: {
      seed,
      iterations: numbers.map(() => seed),
      episodes: numbers,
      offsets: numbers.map(() => 0),
    },
  };
}

const objective = (surrogate: Surrogate) => ({
  ...defaultObjective,
  surrogate,
  value: { ...defaultObjective.value, coef: 0.5 },
  temperature: 1,
});

/** The increase of each counter during `work`. */
async function spent(work: () => Promise<unknown>): Promise<DeviceCounters> {
  const before = { ...device.counters };
  await work();
  const difference = { ...device.counters };
  for (const name of Object.keys(before) as (keyof DeviceCounters)[])
    difference[name] -= before[name];
  return difference;
}

const nothingMade = { buffers: 0, bufferBytes: 0, bindGroups: 0, pipelines: 0 };

describe.each(testDevices)('on $on', ({ kinds, open }) => {
  beforeAll(async () => {
    device = await open();
    policy = await createPolicy(device, shape, capacity, 1);
  });
  afterAll(() => device?.close());

  describe('a warm training loop', () => {
    it.each(surrogates)(
      'takes one submission per update and creates no objects (%s)',
      async (surrogate) => {
        const update = (seed: number) =>
          policy.update(
            [8, 5, 7, 2].map((s) => batch(s, seed + s)),
            objective(surrogate),
            adam,
          );
        for (let i = 0; i < 3; i++) await update(i);
        expect(await spent(() => update(3))).toMatchObject({ submissions: 1, ...nothingMade });
        // Updates of other sizes, queued together as in an iteration.
        const several = () =>
          Promise.all(
            [3, 8, 1].map((s) => policy.update([batch(s, s)], objective(surrogate), adam)),
          );
        await several();
        expect(await spent(several)).toMatchObject({ submissions: 3, ...nothingMade });
      },
    );

    it.each([1, 3])(
      'takes one submission per turn of %d tokens and creates no objects',
      async (tokens) => {
        for (let i = 1; i < 4; i++) await policy.generate(turn(8, tokens, i));
        for (const episodes of [8, 3, 5]) {
          const made = await spent(() => policy.generate(turn(episodes, tokens, 9)));
          expect(made).toMatchObject({ submissions: 1, ...nothingMade });
        }
      },
    );

    it('takes one submission to score several micro-batches and creates no objects', async () => {
      const score = () => policy.score([batch(8, 1), batch(4, 2), batch(6, 3)], 1);
      for (let i = 0; i < 3; i++) await score();
      expect(await spent(score)).toMatchObject({ submissions: 1, ...nothingMade });
    });

    // On the processor a function compiles in less than a millisecond, when it first runs.
    const compiling = kinds.includes('gpu') ? ['WebGPU'] : [];
    it.each(compiling)('compiles no pipeline after the policy is created', async () => {
      const fresh = await createPolicy(
        device,
        { ...shape, heads: 4, valueHead: false },
        capacity,
        2,
      );
      const made = await spent(async () => {
        for (const surrogate of surrogates) {
          const plain = { ...objective(surrogate), value: { ...defaultObjective.value, coef: 0 } };
          await fresh.update([batch(8, 1), batch(3, 2)], plain, adam);
          await fresh.gradientNorm([batch(8, 1)], plain);
        }
        await fresh.generate(turn(8, 3, 1));
        fresh.keepReference();
        await fresh.score([batch(8, 1)], 1, 'reference');
        await fresh.distributions([batch(2, 1)], 1);
      });
      expect(made.pipelines).toBe(0);
      fresh.destroy();
    });
  });

  // Takes minutes with software WebGPU on a busy processor.
  it.skipIf(fast)(
    'computes the same bits if the indices of an update need several submissions',
    async () => {
      const batches = Array.from({ length: 170 }, (_, i) => batch(2, i));
      const run = async (rows: number) => {
        const learner = await createPolicy(
          device,
          shape,
          { ...capacity, rows, updateRows: 2048 },
          5,
        );
        // GSPO needs statistics of the whole update, so all micro-batches but one are scored twice.
        await learner.update(batches, objective('ppo_clip'), adam);
        const made = await spent(() => learner.update(batches, objective('gspo'), adam));
        const weights = await learner.readWeights();
        learner.destroy();
        return { weights, submissions: made.submissions };
      };
      // A larger row capacity leaves room for more indices.
      const inParts = await run(8);
      const together = await run(512);
      expect(inParts.submissions).toBeGreaterThan(1);
      expect(inParts.weights).toEqual(together.weights);
    },
  );
});
