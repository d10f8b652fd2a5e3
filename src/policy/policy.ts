import { defaultObjective } from '../algorithms/objective.ts';
import { softmaxScores } from '../algorithms/objective-reference.ts';
import { surrogates } from '../algorithms/surrogates.ts';
import { type Device, KernelArgumentError, type Recorder } from '../device/index.ts';
import { at } from './arrays.ts';
import { backward } from './backward.ts';
import type { BatchIndex } from './batch-index.ts';
import { hiddenStates, logitChunks, logitsOf } from './forward.ts';
import { initialParameters } from './init.ts';
import { type ParameterLayout, PolicyShapeError } from './layout.ts';
import { pulls, scores, wholeUpdate } from './loss.ts';
import { Network } from './network.ts';
import {
  keepReference,
  readNamed,
  readState,
  restartOptimizer,
  writeState,
  writeWeights,
} from './state.ts';
import { generate, recordTurn } from './turn.ts';
import type {
  FrozenWeights,
  GenerateRequest,
  Generation,
  Objective,
  OptimizerStep,
  PolicyCapacity,
  PolicyShape,
  PolicyState,
  RowScores,
  TokenPolicy,
  TrainingBatch,
  UpdateStats,
  Weights,
  WeightTensor,
} from './types.ts';
import {
  batchIndices,
  gradientNorm,
  queueUpdate,
  recordAdamw,
  scoreBatches,
  submitTasks,
} from './update.ts';

/**
 * The agent's network on a device: packed forward and backward passes, cached decoding with
 * sampling, AdamW. In the last block, queries, attention and feed-forward are computed only for the
 * rows whose logits are needed: those that predict one of the agent's tokens.
 */
export class Policy implements TokenPolicy {
  version = 0;
  readonly #net: Network;

  constructor(net: Network) {
    this.#net = net;
  }

  get device(): string {
    return this.#net.device.description.name;
  }

  get shape(): PolicyShape {
    return this.#net.shape;
  }

  get capacity(): PolicyCapacity {
    return this.#net.capacity;
  }

  get layout(): ParameterLayout {
    return this.#net.layout;
  }

  get waves(): number {
    // A turn in one dispatch takes about as long for half the episodes as for all. With two calls in
    // flight, the host steps the episodes of one while the device computes the other. With larger
    // networks each call reads all weights, so a single call is faster.
    return this.#net.turn ? 2 : 1;
  }

  breathe(): Promise<void> {
    return this.#net.device.breathe();
  }

  generate(request: GenerateRequest): Promise<Generation> {
    return generate(this.#net, request, this.version);
  }

  async update(
    batches: readonly TrainingBatch[],
    objective: Objective,
    step: OptimizerStep,
    withScores = false,
  ): Promise<UpdateStats> {
    const stats = queueUpdate(this.#net, batches, objective, step, withScores);
    this.version += 1;
    return stats;
  }

  async score(
    batches: readonly TrainingBatch[],
    temperature: number,
    weights: Weights = 'present',
  ): Promise<RowScores[]> {
    const net = this.#net;
    const parameters = weights === 'present' ? net.parameters : net.reference;
    if (!parameters) throw new KernelArgumentError('policy.score', 'no reference was kept');
    return await scoreBatches(net, batches, temperature, parameters);
  }

  async distributions(
    batches: readonly TrainingBatch[],
    temperature: number,
  ): Promise<Float32Array[]> {
    const net = this.#net;
    const { vocabulary } = net.shape;
    return Promise.all(
      batchIndices('policy.distributions', net, batches, temperature).map(async (index) => {
        const logits = await this.#logits(index);
        const result = new Float32Array(index.lossRows * vocabulary);
        for (let row = 0; row < index.r; row++) {
          const start = row * net.padded;
          const { logps } = softmaxScores(logits.subarray(start, start + vocabulary), temperature);
          const end = at(index.lossStarts, row + 1);
          for (let i = at(index.lossStarts, row); i < end; i++) result.set(logps, i * vocabulary);
        }
        return result;
      }),
    );
  }

  /** (R, padded vocabulary) logits of a micro-batch, chunk by chunk. */
  async #logits(index: BatchIndex): Promise<Float32Array> {
    const net = this.#net;
    const logits = new Float32Array(index.r * net.padded);
    const parts = await Promise.all(
      logitChunks(net, index.r).map(async (chunk) => {
        const record = (d: Recorder) => {
          hiddenStates(d, net, net.pass, index, false);
          logitsOf(d, net, chunk);
        };
        const read = [{ tensor: net.work.logits, length: chunk.rows * net.padded }];
        const [data] = await submitTasks('distributions', net, [{ index, record }], read);
        return { from: chunk.from, data: new Float32Array(data ?? new ArrayBuffer(0)) };
      }),
    );
    for (const { from, data } of parts) logits.set(data, from * net.padded);
    return logits;
  }

  gradientNorm(batches: readonly TrainingBatch[], objective: Objective): Promise<number> {
    return gradientNorm(this.#net, batches, objective);
  }

  restartOptimizer(): void {
    restartOptimizer(this.#net);
  }

  keepReference(): void {
    keepReference(this.#net);
  }

  readWeights(): Promise<Map<string, WeightTensor>> {
    return readNamed(this.#net, this.#net.parameters.flat);
  }

  writeWeights(weights: ReadonlyMap<string, WeightTensor>): void {
    writeWeights(this.#net, weights);
  }

  /** The gradients of the latest `update` or `gradientNorm`, by parameter name, before clipping. */
  gradients(): Promise<Map<string, WeightTensor>> {
    return readNamed(this.#net, this.#net.gradients.flat);
  }

  readState(): Promise<PolicyState> {
    return readState(this.#net, this.version);
  }

  writeState(state: PolicyState): void {
    writeState(this.#net, state);
    this.version = state.version;
  }

  destroy(): void {
    this.#net.destroy();
  }
}

/**
 * Creates a policy with random weights from `seed` and compiles its pipelines. With an adapter, these are
 * the adapter's weights, and `frozen` provides those of the network.
 *
 * @param frozen required if the shape has an adapter
 * @throws PolicyShapeError for an unsupported shape.
 */
export async function createPolicy(
  device: Device,
  shape: PolicyShape,
  capacity: PolicyCapacity,
  seed: number,
  frozen?: FrozenWeights,
): Promise<Policy> {
  if (shape.architecture || shape.adapter) {
    const load = () => import('../kernels/processor/pretrained.ts');
    await device.addKernels(async () => (await load()).pretrainedKernels);
  }
  const net = new Network(device, shape, capacity);
  if (net.frozen) {
    if (!frozen) throw new PolicyShapeError('an adapter needs the weights of the frozen network');
    const { uploadFrozen } = await import('./frozen.ts');
    await uploadFrozen(net, net.frozen, frozen);
  }
  device.upload(net.parameters.flat, initialParameters(net.layout, seed));
  await device.prepare((d) => recordEverything(d, net));
  return new Policy(net);
}

/** Records every kernel once, so that all pipelines are compiled before the first turn. */
function recordEverything(d: Recorder, net: Network): void {
  const { tokens, rows } = net.capacity;
  const both = Math.min(tokens, rows);
  // Kernels choose tiles by the number of rows; the last block depends on whether all rows are needed.
  const passes = [
    { n: Math.min(2, tokens), r: 1 },
    { n: 1, r: 1 },
    { n: tokens, r: 1 },
    { n: both, r: both },
  ];
  const objective = { ...defaultObjective, temperature: 1 };
  for (const sizes of passes) {
    const written = Math.min(sizes.r, net.logitRows);
    recordTurn(
      d,
      net,
      { n: sizes.n, r: written, e: written },
      { maxNewTokens: 2, endTokens: [0], temperature: 1, random: { seed: 0 } },
    );
    const batch = { ...sizes, lossRows: 1 };
    scores(d, net, batch, 0, objective);
    pulls(d, net, batch, 0, objective);
    backward(d, net, batch, 1, objective);
  }
  for (const surrogate of surrogates) {
    wholeUpdate(d, net, { rows: 1, episodes: { count: 2 } }, { ...objective, surrogate });
  }
  recordAdamw(d, net, {
    learningRate: 0,
    beta1: 0,
    beta2: 0,
    epsilon: 1,
    weightDecay: 0,
    maxGradNorm: 1,
  });
}
