/** Every kernel of the policy at the shapes of its training steps, compared with the machine's limits. */
import { surrogates } from '../../src/algorithms/surrogates.ts';
import type { Device, Tensor } from '../../src/device/index.ts';
import { matmul, matmulTransposed, matmulWeightGradient } from '../../src/kernels/matmul.ts';
import { sumParts } from '../../src/kernels/reduce.ts';
import { kernelRegistry } from '../../src/kernels/registry.ts';
import { networkLayout } from '../../src/policy/layout.ts';
import { createPolicy, type Policy } from '../../src/policy/policy.ts';
import {
  adapterTargets,
  type GenerateRequest,
  type PolicyCapacity,
  type PolicyShape,
} from '../../src/policy/types.ts';
import type { Rounds, Spread } from '../measure.ts';
import { captured, type Dispatch, entryName } from './capture.ts';
import type { Limits } from './limits.ts';
import { casePolicy } from './own-step.ts';
import { type Recorded, timeRecorded } from './time-dispatches.ts';
import {
  caseBatch,
  objective,
  optimizerStep,
  type TrainingCase,
  trainingCases,
} from './training-case.ts';
import { productOf, type Work, workOf } from './work.ts';

export interface KernelRow extends Work {
  readonly name: string;
  /** The part of the benchmark to which it belongs, such as a training step. */
  readonly part: string;
  readonly sizes: string;
  /** Number of times that the part dispatches it. */
  readonly count: number;
  /** Milliseconds per dispatch. */
  readonly time: Spread;
  /** Minimum time by the machine's limits, divided by the measured time. */
  readonly share: number;
}

/** A kernel can exceed the machine's limits only by noise: above this share, the limits are wrong. */
export const GREATEST_SHARE = 1.05;

/** The kernels that exceed `GREATEST_SHARE`, one line each. */
export function sharesOverLimit(rows: readonly KernelRow[]): string[] {
  return rows
    .filter(({ share }) => share > GREATEST_SHARE)
    .map(
      ({ name, part, sizes, share }) =>
        `${name} (${part}, ${sizes}): ${(100 * share).toFixed(0)}% of the limit`,
    );
}

/** Thrown if no timed part dispatches a kernel entry. */
export class KernelNotTimedError extends Error {
  override readonly name = 'KernelNotTimedError';
  constructor(entries: readonly string[]) {
    super(
      `The benchmark must time every kernel, but it misses: ${entries.join(', ')}. Make bench/speed/kernels.ts run a part of the policy that dispatches them.`,
    );
  }
}

/**
 * Times every kernel that the policy dispatches in the training step of each case and in a rollout.
 *
 * @throws {KernelNotTimedError} when an entry of the kernel registry is in none of them.
 */
export async function measureKernels(
  device: Device,
  cases: readonly TrainingCase[],
  limits: Limits,
  rounds: Rounds,
): Promise<KernelRow[]> {
  const rows: KernelRow[] = [];
  const seen = new Set<string>();
  for (const training of cases) {
    const policy = await casePolicy(device, training);
    const batch = caseBatch(training);
    const dispatches = await captured(device, () =>
      policy.update([batch], objective, optimizerStep),
    );
    for (const dispatch of dispatches) seen.add(entryName(dispatch));
    const part = `step ${training.name}`;
    rows.push(...(await timeDispatches(device, part, dispatches, limits, rounds)));
    policy.destroy();
  }
  const { dispatches, close } = await otherParts(device, cases[0] ?? trainingCases.S);
  const others = dispatches.filter((dispatch) => {
    const name = entryName(dispatch);
    const fresh = !seen.has(name);
    seen.add(name);
    return fresh;
  });
  rows.push(...(await timeDispatches(device, 'other', others, limits, rounds)));
  close();
  const { features } = device.description;
  const missing = kernelRegistry
    .filter(({ feature }) => feature === undefined || features.includes(feature))
    .filter(({ gpuOnly }) => !gpuOnly || device.kind === 'gpu')
    .flatMap(({ entries }) => entries)
    .filter((entry) => !seen.has(entry));
  if (missing.length > 0) throw new KernelNotTimedError([...new Set(missing)]);
  return rows;
}

/**
 * Cases that a step does not cover: other objectives, a value head, few rows of logits, tied embeddings, and
 * decoding with sampling; each case also with the kernels that this adapter does not use by default, if it
 * can run them.
 */
async function otherParts(device: Device, { shape, sequences, length }: TrainingCase) {
  const tokens = sequences * length;
  const capacity = {
    tokens,
    rows: tokens / 2,
    lossRows: tokens / 2,
    updateRows: tokens / 2,
    episodes: tokens / 2,
    context: length / 8,
  };
  const training = {
    shape: { ...shape, valueHead: true, tiedEmbeddings: true },
    sequences,
    length,
  };
  const policy = await createPolicy(device, training.shape, capacity, 1);
  const whole = caseBatch(training);
  const { rows } = whole;
  // Every second token is context only.
  const some = <T extends Float32Array | Uint32Array>(values: T) =>
    values.filter((_, i) => i % 2 === 1) as T;
  const batch = {
    ...whole,
    rows: some(rows),
    targets: some(whole.targets),
    behaviorLogps: some(whole.behaviorLogps),
    referenceLogps: some(whole.behaviorLogps),
    advantages: some(whole.advantages),
    weights: some(whole.weights),
    oldValues: some(whole.advantages),
    returns: some(whole.advantages),
    episodes: some(rows).map((row) => Math.floor(row / length)),
  };
  const everything = async () => {
    for (const surrogate of surrogates) {
      const value = { coef: 0.5, clip: 0.2 };
      await policy.update([batch], { ...objective, surrogate, value }, optimizerStep);
    }
    // As many episodes as fit, one new token each.
    const slots = Uint32Array.from({ length: capacity.episodes }, (_, i) => i);
    const turn: GenerateRequest = {
      slots,
      cachedLengths: new Uint32Array(slots.length),
      newTokens: whole.tokens.subarray(0, slots.length),
      newTokenStarts: Uint32Array.from({ length: slots.length + 1 }, (_, i) => i),
      maxNewTokens: 2,
      keepCache: true,
      endTokens: [0],
      temperature: 1,
      random: {
        seed: 1,
        iterations: slots,
        episodes: slots,
        offsets: new Uint32Array(slots.length),
      },
    };
    // On a GPU, a small policy takes one dispatch; a pretrained block takes one per kernel.
    for (const one of [policy, ...pretrained.slice(0, 1)]) await one.generate(turn);
    policy.keepReference();
    for (const one of pretrained) await one.update([batch], objective, optimizerStep);
  };
  const pretrained = await pretrainedPolicies(device, training.shape, capacity);
  const canQuads = device.description.features.includes('subgroups');
  const kinds = canQuads ? (['quads', 'gpu'] as const) : [device.kind];
  const dispatches: Dispatch[] = [];
  for (const kind of kinds) {
    dispatches.push(...(await captured(device, everything, kind)));
  }
  const close = () => {
    for (const one of [policy, ...pretrained]) one.destroy();
  };
  return { dispatches, close };
}

/**
 * Networks with every operation of a pretrained block: one with all weights trained, and one with an adapter
 * for each kind of base weights.
 */
async function pretrainedPolicies(
  device: Device,
  small: PolicyShape,
  capacity: PolicyCapacity,
): Promise<Policy[]> {
  const shape: PolicyShape = {
    ...small,
    architecture: {
      modelType: 'qwen3',
      headDim: small.width / small.heads,
      rmsNormEps: 1e-6,
      ropeTheta: 1e6,
      qkvBias: true,
      qkNorm: true,
      postNorms: true,
      activation: 'silu',
      embeddingScale: 2,
      sliding: null,
    },
  };
  const { slots } = networkLayout({ ...shape, valueHead: false });
  const frozen = (name: string) => new Float32Array(slots.get(name)?.length ?? 0).fill(0.01);
  const adapters = (['f16', 'int4'] as const).map((base) => ({
    ...shape,
    valueHead: false,
    adapter: { rank: 16, alpha: 32, targets: adapterTargets, base },
  }));
  return Promise.all(
    [shape, ...adapters].map((one) => createPolicy(device, one, capacity, 1, frozen)),
  );
}

async function timeDispatches(
  device: Device,
  part: string,
  dispatches: readonly Dispatch[],
  limits: Limits,
  rounds: Rounds,
): Promise<KernelRow[]> {
  const recorded: Recorded[] = dispatches.map(({ kernel, tensors, params, workgroups }, i) => ({
    name: `${i}`,
    record: (d) => d.dispatch(kernel, tensors, params, workgroups),
  }));
  const times = await timeRecorded(device, recorded, rounds);
  const rows: KernelRow[] = [];
  for (const [i, dispatch] of dispatches.entries()) {
    const time = times.get(`${i}`);
    if (time === undefined) throw new RangeError(`dispatch ${i} was not timed`);
    const work = await workOf(device, dispatch);
    rows.push({
      name: entryName(dispatch),
      part,
      sizes: sizesOf(dispatch),
      count: dispatch.count,
      time,
      ...work,
      share: leastMilliseconds(work, limits) / time.median,
    });
  }
  return rows;
}

/** The roofline: no kernel can be faster than its arithmetic, nor than its memory. */
export function leastMilliseconds({ flops, bytes }: Work, limits: Limits): number {
  return Math.max(flops / limits.peakGflops, bytes / limits.cacheGbs) / 1e6;
}

function sizesOf(dispatch: Dispatch): string {
  const product = productOf(dispatch);
  if (product) return `${product.rows}×${product.inner}×${product.columns}`;
  const { kernel, workgroups } = dispatch;
  const shown = Object.entries(kernel.constants ?? {}).map(([name, value]) => `${name} ${value}`);
  return [`${workgroups.filter((n) => n !== undefined).join('×')} groups`, ...shown].join(', ');
}

/** Products of linear layers that are compared with the machine's peak individually. */
const LINEAR = [
  { rows: 4096, inputs: 64, outputs: 256 },
  { rows: 4096, inputs: 256, outputs: 64 },
];

/** The forward product and both gradients of linear layers at two fixed sizes. */
export async function measureLinear(
  device: Device,
  limits: Limits,
  rounds: Rounds,
): Promise<KernelRow[]> {
  const made: Tensor[] = [];
  const tensor = (label: string, length: number) => {
    const one = device.tensor(label, length);
    device.upload(
      one,
      Float32Array.from({ length }, (_, i) => Math.sin(i)),
    );
    made.push(one);
    return one;
  };
  const works = LINEAR.flatMap(({ rows, inputs, outputs }) => {
    const x = tensor('x', rows * inputs);
    const w = tensor('w', inputs * outputs);
    const y = tensor('y', rows * outputs);
    const dx = tensor('dx', rows * inputs);
    const dw = tensor('dw', inputs * outputs);
    const partial = tensor('partial', 64 * inputs * outputs);
    const sizes = `${rows}×${inputs}×${outputs}`;
    const forward: Recorded = {
      name: `forward ${sizes}`,
      record: (d) => matmul(d, { a: x, b: w, c: y }, { rows, inner: inputs, columns: outputs }),
    };
    const ofInput: Recorded = {
      name: `input gradient ${sizes}`,
      record: (d) => {
        const size = { rows, inner: outputs, columns: inputs };
        matmulTransposed(d, { a: y, b: w, c: dx }, size, false);
      },
    };
    const ofWeights: Recorded = {
      name: `weight gradient ${sizes}`,
      record: (d) => {
        const size = { rows: inputs, inner: rows, columns: outputs };
        const parts = matmulWeightGradient(d, { a: x, b: y, partial }, size);
        sumParts(d, { partial, y: dw }, { length: inputs * outputs, parts }, false);
      },
    };
    const work = {
      flops: 2 * rows * inputs * outputs,
      bytes: 4 * (rows * inputs + inputs * outputs + rows * outputs),
    };
    return [forward, ofInput, ofWeights].map((recorded) => ({ recorded, work, sizes }));
  });
  const times = await timeRecorded(
    device,
    works.map(({ recorded }) => recorded),
    rounds,
  );
  for (const one of made) device.free(one);
  return works.map(({ recorded: { name }, work, sizes }) => {
    const time = times.get(name);
    if (time === undefined) throw new RangeError(`${name} was not timed`);
    return {
      name: name.replace(` ${sizes}`, ''),
      part: 'linear',
      sizes,
      count: 1,
      time,
      ...work,
      share: work.flops / limits.peakGflops / 1e6 / time.median,
    };
  });
}
