import { traitsOf } from '../../algorithms/surrogates.ts';
import type { SamplerSettings } from '../../config/sampler.ts';
import type {
  GenerateRequest,
  Generation,
  Objective,
  OptimizerStep,
  PolicyState,
  RowScores,
  TokenPolicy,
  TrainingBatch,
  UpdateStats,
  Weights,
  WeightTensor,
} from '../../policy/types.ts';
import type { MetricRow } from '../../runs/metrics.ts';
import { correct, mismatch } from './mismatch.ts';
import { rounded } from './precision.ts';

/** Weights of one version of the trainer. */
interface Version {
  readonly version: number;
  readonly weights: ReadonlyMap<string, WeightTensor>;
}

/**
 * A policy whose rollouts come from a separate sampler, as in systems with an inference engine:
 * sampled tokens are generated with rounded or older weights, everything else (scores, updates,
 * greedy evaluation) uses the trainer's weights. Stored log-probabilities are the sampler's.
 */
export class SampledPolicy implements TokenPolicy {
  readonly #trainer: TokenPolicy;
  readonly #sampler: TokenPolicy;
  readonly #settings: SamplerSettings;
  /** The versions that were sampled from last, oldest first; at most `lag` + 1. */
  #versions: Version[] = [];
  /** Version of the trainer when the sampler's weights were last set; null before. */
  #refreshed: number | null = null;
  #refreshing: Promise<void> = Promise.resolve();
  /** The sampler's log-probabilities of batches whose importance weights are corrected. */
  readonly #samplerLogps = new WeakMap<TrainingBatch, Float32Array>();
  #mismatch: MetricRow | null = null;
  /** Version of the trainer at the last measurement. */
  #measured: number | null = null;

  /** @param sampler a policy of the same shape, or the trainer if their weights are the same */
  constructor(trainer: TokenPolicy, sampler: TokenPolicy, settings: SamplerSettings) {
    this.#trainer = trainer;
    this.#sampler = sampler;
    this.#settings = settings;
  }

  get device(): string {
    return this.#trainer.device;
  }

  get shape() {
    return this.#trainer.shape;
  }

  get capacity() {
    return this.#trainer.capacity;
  }

  get waves(): number {
    return this.#trainer.waves;
  }

  get version(): number {
    return this.#trainer.version;
  }

  breathe(): Promise<void> {
    return this.#trainer.breathe();
  }

  async generate(request: GenerateRequest): Promise<Generation> {
    if (request.temperature === 0) return this.#trainer.generate(request);
    if (this.#refreshed !== this.version) {
      this.#refreshed = this.version;
      this.#refreshing = this.#refresh();
    }
    await this.#refreshing;
    const generation = await this.#sampler.generate(request);
    return { ...generation, version: this.#versions[0]?.version ?? this.version };
  }

  /** Sets the sampler's weights from the trainer's, or from those of an older version. */
  async #refresh(): Promise<void> {
    const { version } = this;
    if (this.#versions.at(-1)?.version !== version) {
      const weights = await this.#trainer.readWeights();
      this.#versions = [...this.#versions, { version, weights }].slice(-1 - this.#settings.lag);
    }
    const [oldest] = this.#versions;
    if (oldest && this.#sampler !== this.#trainer)
      this.#sampler.writeWeights(rounded(oldest.weights, this.#settings.precision));
  }

  async update(
    batches: readonly TrainingBatch[],
    objective: Objective,
    step: OptimizerStep,
    withScores = false,
  ): Promise<UpdateStats> {
    const logps = this.#correct(batches);
    const first =
      this.version === this.#refreshed &&
      this.version !== this.#measured &&
      traitsOf(objective.surrogate).reinforces;
    if (!first) return this.#trainer.update(batches, objective, step, withScores);
    this.#measured = this.version;
    const { scores, ...stats } = await this.#trainer.update(batches, objective, step, true);
    if (scores && !stats.skipped) this.#mismatch = mismatch(batches, logps, scores);
    return { ...stats, ...(withScores && scores ? { scores } : {}) };
  }

  /** The mismatch in the updates since the last call; null if none began after a rollout. */
  takeMismatch(): MetricRow | null {
    const taken = this.#mismatch;
    this.#mismatch = null;
    return taken;
  }

  /** Corrects the importance weights of an update's batches once. Returns the sampler's log-probabilities. */
  #correct(batches: readonly TrainingBatch[]): readonly Float32Array[] {
    const { importance, cap } = this.#settings;
    if (importance === 'token') return batches.map(({ behaviorLogps }) => behaviorLogps);
    const known = batches.map((batch) => this.#samplerLogps.get(batch));
    if (known.every((logps) => logps !== undefined)) return known;
    const logps = batches.map(({ behaviorLogps }) => behaviorLogps.slice());
    for (const [i, batch] of batches.entries()) {
      const own = logps[i];
      if (own) this.#samplerLogps.set(batch, own);
    }
    correct(batches, importance, cap);
    return logps;
  }

  score(
    batches: readonly TrainingBatch[],
    temperature: number,
    weights?: Weights,
  ): Promise<RowScores[]> {
    // The step-through scores an update before it is made, and shows its importance weights.
    this.#correct(batches);
    return this.#trainer.score(batches, temperature, weights);
  }

  gradientNorm(batches: readonly TrainingBatch[], objective: Objective): Promise<number> {
    this.#correct(batches);
    return this.#trainer.gradientNorm(batches, objective);
  }

  restartOptimizer(): void {
    this.#trainer.restartOptimizer();
  }

  keepReference(): void {
    this.#trainer.keepReference();
  }

  readWeights(): Promise<ReadonlyMap<string, WeightTensor>> {
    return this.#trainer.readWeights();
  }

  writeWeights(weights: ReadonlyMap<string, WeightTensor>): void {
    this.#trainer.writeWeights(weights);
    this.#forget([]);
  }

  /** The trainer's state. The versions that a sampler with a lag still needs are among its moments. */
  async readState(): Promise<PolicyState> {
    const state = await this.#trainer.readState();
    const older = this.#settings.lag === 0 ? [] : this.#versions;
    return { ...state, firstMoments: new Map([...state.firstMoments, ...packVersions(older)]) };
  }

  writeState(state: PolicyState): void {
    const { moments, versions } = unpackVersions(state.firstMoments);
    this.#trainer.writeState({ ...state, firstMoments: moments });
    // A fork of the run may have a smaller lag.
    this.#forget(versions.slice(-1 - this.#settings.lag));
  }

  #forget(versions: Version[]): void {
    this.#versions = versions;
    this.#refreshed = null;
  }

  distributions(batches: readonly TrainingBatch[], temperature: number): Promise<Float32Array[]> {
    return this.#trainer.distributions(batches, temperature);
  }

  destroy(): void {
    this.#trainer.destroy();
    if (this.#sampler !== this.#trainer) this.#sampler.destroy();
  }
}

/** Name of a version's tensor in a checkpoint: `sampler.VERSION.NAME`. */
const pattern = /^sampler\.(\d+)\.(.+)$/;

function packVersions(versions: readonly Version[]): [string, WeightTensor][] {
  return versions.flatMap(({ version, weights }) =>
    [...weights].map(([name, tensor]): [string, WeightTensor] => [
      `sampler.${version}.${name}`,
      tensor,
    ]),
  );
}

/** Separates the versions from the moments of a state. */
export function unpackVersions(tensors: ReadonlyMap<string, WeightTensor>) {
  const moments = new Map<string, WeightTensor>();
  const byVersion = new Map<number, Map<string, WeightTensor>>();
  for (const [name, tensor] of tensors) {
    const [, version, own] = pattern.exec(name) ?? [];
    if (version === undefined || own === undefined) {
      moments.set(name, tensor);
      continue;
    }
    const weights = byVersion.get(Number(version)) ?? new Map<string, WeightTensor>();
    byVersion.set(Number(version), weights.set(own, tensor));
  }
  const versions = [...byVersion].map(([version, weights]): Version => ({ version, weights }));
  return { moments, versions: versions.sort((a, b) => a.version - b.version) };
}
