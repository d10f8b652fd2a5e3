import { afterAll, describe, expect, it } from 'vitest';
import type { PretrainedModel } from '../../agents/pretrained.ts';
import { parseConfig } from '../../config/check.ts';
import type { Config, ConfigInput } from '../../config/schema.ts';
import { openNodeProcessor } from '../../device/processor/node.ts';
import { processorKernels } from '../../kernels/processor/index.ts';
import { createPolicy } from '../../policy/policy.ts';
import type { CreatePolicy, TrainingBatch, WeightTensor } from '../../policy/types.ts';
import { decodeCheckpoint, encodeCheckpoint } from '../../runs/checkpoint.ts';
import { createRun, resumeRun } from '../create-run.ts';
import { iterate, quietCorridor, timeless } from '../testing/corridor-run.ts';
import { Trainer } from '../trainer.ts';
import { correct, mismatch } from './mismatch.ts';
import { SampledPolicy } from './policy.ts';
import { rounded } from './precision.ts';

const device = await openNodeProcessor(processorKernels, 1);
afterAll(() => device.close());
const onProcessor: CreatePolicy = (shape, capacity, seed) =>
  createPolicy(device, shape, capacity, seed);

const exact = { precision: 'float32', lag: 0, importance: 'token', cap: 2 } as const;

/** Two groups of eight episodes, two epochs of two mini-batches, a small network. */
const config = (over: ConfigInput = {}): Config =>
  parseConfig({
    seed: 3,
    policy: { layers: 1, width: 16 },
    rollout: { tasks_per_iteration: 2, group_size: 8 },
    horizon: { schedule: 'fixed', turns: 6 },
    optimizer: { learning_rate: 0.02, warmup_updates: 0 },
    evaluation: { interval: 1 },
    stopping: { iterations: 6 },
    ...over,
  });

const options = (over: ConfigInput = {}) => ({
  ...{ config: config(over), environment: quietCorridor, createPolicy: onProcessor },
});

const metricsOf = async (run: Trainer, iterations: number) =>
  (await iterate(run, iterations)).map(({ metrics }) => metrics);

describe('rounded', () => {
  const matrix = (values: readonly number[], width = values.length) =>
    new Map<string, WeightTensor>([
      ['w', { shape: [values.length / width, width], values: Float32Array.from(values) }],
    ]);
  const valuesOf = (weights: ReadonlyMap<string, WeightTensor>) => [
    ...(weights.get('w')?.values ?? []),
  ];

  it('maps the value of largest magnitude to the lowest integer', () => {
    // Scale −4 / −2 = 2; the levels are −2, −1, 0 and 1.
    expect(valuesOf(rounded(matrix([-4, -1.9, 0.9, 4]), 'int2'))).toEqual([-4, -2, 0, 2]);
    // Scale 8 / −8 = −1.
    expect(valuesOf(rounded(matrix([8, 2.4, -0.6, -8]), 'int4'))).toEqual([8, 2, -1, -7]);
  });

  it('has one scale per 32 values of a row', () => {
    const row = [64, ...new Array<number>(31).fill(0), 1, 0.5];
    expect(valuesOf(rounded(matrix(row), 'int2')).slice(32)).toEqual([1, 0.5]);
    expect(valuesOf(rounded(matrix([64, 1], 1), 'int2'))).toEqual([64, 1]);
    expect(valuesOf(rounded(matrix([64, 1]), 'int2'))).toEqual([64, 0]);
  });

  it('rounds to the nearest bfloat16 and float16, ties to even', () => {
    const values = [1 + 2 ** -8, 1 + 3 * 2 ** -8, 1 + 2 ** -11, -3];
    expect(valuesOf(rounded(matrix(values), 'bfloat16'))).toEqual([1, 1 + 2 ** -6, 1, -3]);
    expect(valuesOf(rounded(matrix(values), 'float16'))).toEqual([
      1 + 2 ** -8,
      1 + 3 * 2 ** -8,
      1,
      -3,
    ]);
  });

  it('errs less the more bits there are, and never in float32', () => {
    const values = Array.from({ length: 320 }, (_, i) => Math.sin(i * 12.9898) * 0.1);
    const errors = (
      ['float32', 'float16', 'bfloat16', 'int8', 'int4', 'int3', 'int2'] as const
    ).map((precision) =>
      valuesOf(rounded(matrix(values), precision)).reduce(
        (sum, value, i) => sum + Math.abs(value - Math.fround(values[i] ?? 0)),
        0,
      ),
    );
    expect(errors[0]).toBe(0);
    expect(errors).toEqual(errors.toSorted((a, b) => a - b));
    expect(new Set(errors).size).toBe(errors.length);
  });

  it('keeps vectors and zeros', () => {
    const weights = new Map([['gain', { shape: [3], values: Float32Array.of(1, 0.3, 5) }]]);
    expect(rounded(weights, 'int2')).toEqual(weights);
    expect(valuesOf(rounded(matrix([0, 0]), 'int4'))).toEqual([0, 0]);
  });
});

/** A batch with two rows of episode 0 and one of episode 1. */
function batch(): TrainingBatch {
  return {
    tokens: Uint32Array.of(0, 0, 0),
    sequenceStarts: Uint32Array.of(0, 3),
    rows: Uint32Array.of(0, 1, 2),
    targets: Uint32Array.of(0, 0, 0),
    behaviorLogps: Float32Array.from([0.5, 0.5, 0.25], Math.log),
    proximalLogps: Float32Array.from([0.75, 0.25, 1], Math.log),
    advantages: Float32Array.of(1, 1, 1),
    weights: Float32Array.of(1, 1, 1),
    episodes: Uint32Array.of(0, 0, 1),
  };
}

describe('correct', () => {
  const weightsAfter = (...args: readonly [Parameters<typeof correct>[1], number]) => {
    const own = batch();
    correct([own], ...args);
    return [...own.behaviorLogps].map((logp, i) => Math.exp((own.proximalLogps?.[i] ?? 0) - logp));
  };

  it('leaves token weights to the objective', () => {
    const own = batch();
    correct([own], 'token', 2);
    expect(own).toEqual(batch());
  });

  it('sets every weight to 1 with none', () => {
    expect(weightsAfter('none', 2)).toEqual([1, 1, 1]);
  });

  it('multiplies the ratios of an episode’s tokens and truncates the product', () => {
    const all = weightsAfter('sequence', Number.POSITIVE_INFINITY);
    [0.75, 0.75, 4].forEach((weight, i) => void expect(all[i]).toBeCloseTo(weight, 6));
    const truncated = weightsAfter('sequence', 2);
    [0.75, 0.75, 2].forEach((weight, i) => void expect(truncated[i]).toBeCloseTo(weight, 6));
  });

  it('adds up an episode whose rows are in several micro-batches', () => {
    const [first, second] = [batch(), { ...batch(), episodes: Uint32Array.of(2, 2, 0) }];
    correct([first, second], 'sequence', 100);
    expect(Math.exp((first.proximalLogps?.[0] ?? 0) - (first.behaviorLogps[0] ?? 0))).toBeCloseTo(
      1.5 * 0.5 * 4,
      5,
    );
  });
});

describe('mismatch', () => {
  it('matches hand-computed values', () => {
    const own = batch();
    const logps = own.proximalLogps ?? new Float32Array();
    const scores = [{ logps, entropies: logps, values: logps }];
    const found = mismatch([own], [own.behaviorLogps], scores);
    // w is 1.5, 0.5 and 4; over the episodes 0.75 and 4.
    expect(found['policy/sampler_gap']).toBeCloseTo((0.25 + 0.25 + 0.75) / 3, 6);
    expect(found['policy/sampler_kl']).toBeCloseTo((6 - 3 - Math.log(1.5 * 0.5 * 4)) / 3, 6);
    expect(found['policy/sampler_ess']).toBeCloseTo(36 / (3 * 18.5), 6);
    expect(found['policy/sampler_ess_episodes']).toBeCloseTo(4.75 ** 2 / (2 * 16.5625), 6);
  });

  it('stays finite for long episodes', () => {
    const own = { ...batch(), episodes: Uint32Array.of(0, 0, 0) };
    const logps = Float32Array.of(-1, -1, -1);
    const scores = [{ logps, entropies: logps, values: logps }];
    const rare = Float32Array.of(-600, -600, -600);
    expect(mismatch([own], [rare], scores)['policy/sampler_ess_episodes']).toBe(1);
  });
});

describe('a separate sampler', () => {
  it('trains with the same bits as no sampler if it is exact', async () => {
    const plain = await Trainer.create(options());
    const own = await Trainer.create({
      ...options(),
      createPolicy: async (...args) =>
        new SampledPolicy(await onProcessor(...args), await onProcessor(...args), exact),
    });
    const rows = (await metricsOf(plain, 3)).map(timeless);
    expect((await metricsOf(own, 3)).map(timeless)).toEqual(rows);
    plain.destroy();
    own.destroy();
  });

  it('is the trainer itself if only importance weights differ', async () => {
    let created = 0;
    const run = await createRun({
      ...options({ algorithm: { ratio_to: 'proximal', importance_weight: 'none' } }),
      createPolicy: (...args) => {
        created++;
        return onProcessor(...args);
      },
    });
    const rows = await metricsOf(run, 2);
    expect(created).toBe(1);
    expect(rows.at(-1)?.['policy/sampler_kl']).toBeLessThan(1e-9);
    run.destroy();
  });

  it('is not created for a config without one', async () => {
    const run = await createRun(options());
    expect(run.agent.policy).not.toBeInstanceOf(SampledPolicy);
    const [row] = await metricsOf(run, 1);
    expect(row).not.toHaveProperty(['policy/sampler_kl']);
    run.destroy();
  });

  it('diverges more from the trainer the fewer bits it has', async () => {
    const divergences: number[] = [];
    for (const precision of ['float16', 'int8', 'int4', 'int2'] as const) {
      const run = await createRun(options({ sampler: { precision } }));
      const rows = await metricsOf(run, 3);
      divergences.push(rows.at(-1)?.['policy/sampler_kl'] ?? Number.NaN);
      expect(rows.at(-1)?.['policy/sampler_ess']).toBeLessThanOrEqual(1);
      run.destroy();
    }
    expect(divergences).toEqual(divergences.toSorted((a, b) => a - b));
    expect(divergences.at(-1)).toBeGreaterThan(1e-4);
  });

  it('plays weights that are as many versions old as the lag', async () => {
    const run = await createRun(options({ sampler: { lag: 2 } }));
    const results = await iterate(run, 5);
    const versions = results.map(({ trajectories }) => [
      ...new Set(trajectories.flatMap(({ turns }) => turns.map(({ version }) => version))),
    ]);
    // Four updates in each iteration.
    expect(versions).toEqual([[0], [0], [0], [4], [8]]);
    expect(results[0]?.metrics['policy/sampler_kl']).toBeLessThan(1e-9);
    expect(results[4]?.metrics['policy/sampler_kl']).toBeGreaterThan(1e-4);
    run.destroy();
  });

  it('leaves greedy evaluation to the trainer’s weights', async () => {
    const run = await createRun(options({ sampler: { precision: 'int2' } }));
    await iterate(run, 2);
    const { policy } = run.agent;
    const plain = await onProcessor(policy.shape, policy.capacity, 1);
    plain.writeWeights(await policy.readWeights());
    const request = (temperature: number) => ({
      slots: Uint32Array.of(0),
      cachedLengths: Uint32Array.of(0),
      newTokens: Uint32Array.of(1, 2, 3),
      newTokenStarts: Uint32Array.of(0, 3),
      ...{ maxNewTokens: 1, keepCache: false, endTokens: [0], temperature },
      random: {
        ...{ seed: 1, iterations: Uint32Array.of(0) },
        ...{ episodes: Uint32Array.of(0), offsets: Uint32Array.of(0) },
      },
    });
    expect((await policy.generate(request(0))).entropies).toEqual(
      (await plain.generate(request(0))).entropies,
    );
    expect((await policy.generate(request(1))).entropies).not.toEqual(
      (await plain.generate(request(1))).entropies,
    );
    plain.destroy();
    run.destroy();
  });

  const separate: readonly (readonly [string, ConfigInput])[] = [
    ['an int4 sampler', { sampler: { precision: 'int4' } }],
    ['a sampler with a lag', { sampler: { lag: 2, precision: 'int8' } }],
    [
      'sequence weights',
      {
        ...{ sampler: { lag: 1 } },
        algorithm: { ratio_to: 'proximal', importance_weight: 'sequence', importance_cap: 2 },
      },
    ],
  ];

  it.each(separate)('resumes bit-identically with %s', async (_, over) => {
    const run = await createRun(options(over));
    await iterate(run, 3);
    const file = encodeCheckpoint(await run.checkpoint());
    const rest = (await metricsOf(run, 3)).map(timeless);
    const resumed = await resumeRun(decodeCheckpoint(file), {
      ...{ environment: quietCorridor, createPolicy: onProcessor },
    });
    expect((await metricsOf(resumed, 3)).map(timeless)).toEqual(rest);
    run.destroy();
    resumed.destroy();
  });

  it('continues with the same sampler when a setting changes', async () => {
    const over = { sampler: { lag: 2 } } as const;
    const plain = await createRun(options(over));
    const changed = await createRun({
      ...options(),
      config: parseConfig({ ...config(over), changes: '4:algorithm.clip_high=1.2' }),
    });
    const rows = (await metricsOf(plain, 5)).map(timeless);
    expect((await metricsOf(changed, 5)).map(timeless)).toEqual(rows);
    plain.destroy();
    changed.destroy();
  });

  it.each([0, 1])('resumes with a lag of %d what was saved with a larger one', async (lag) => {
    const run = await createRun(options({ sampler: { lag: 2 } }));
    await iterate(run, 3);
    const checkpoint = decodeCheckpoint(encodeCheckpoint(await run.checkpoint()));
    const fork = await resumeRun(checkpoint, options({ sampler: { lag } }));
    const [result] = await iterate(fork, 1);
    const versions = result?.trajectories.flatMap(({ turns }) => turns.map((turn) => turn.version));
    expect(new Set(versions)).toEqual(new Set([12 - 4 * lag]));
    run.destroy();
    fork.destroy();
  });

  it('changes what is learned with the importance weight', async () => {
    const rows: object[] = [];
    for (const importance_weight of ['token', 'sequence', 'none'] as const) {
      const run = await createRun(
        options({
          sampler: { precision: 'int2' },
          algorithm: { ratio_to: 'proximal', importance_weight },
        }),
      );
      rows.push((await metricsOf(run, 2)).map((row) => row['policy/grad_norm']));
      run.destroy();
    }
    expect(new Set(rows.map((row) => JSON.stringify(row))).size).toBe(3);
  });

  it.each([
    [
      { sampler: { precision: 'int8' } },
      'sampler.precision: must be float32 for a pretrained model, got int8',
    ],
    [{ sampler: { lag: 1 } }, 'sampler.lag: must be 0 for a pretrained model, got 1'],
    [
      { algorithm: { ratio_to: 'proximal', importance_weight: 'none' } },
      'algorithm.importance_weight: must be token for a pretrained model, got none',
    ],
  ] as const)('is refused for a pretrained model: %j', async (over, message) => {
    // Refused before anything of the model is read.
    const run = createRun({ ...options(over), model: {} as PretrainedModel });
    await expect(run).rejects.toThrow(message);
  });
});
