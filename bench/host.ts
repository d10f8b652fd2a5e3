/** Host time per turn of the default preset, with a policy of almost no cost. */
import { byStatistic } from '../src/algorithms/row-statistics.ts';
import { defaultPreset } from '../src/config/preset-names.ts';
import { findPreset } from '../src/config/presets.ts';
import { setConfigValues } from '../src/config/text.ts';
import type {
  GenerateRequest,
  Generation,
  PolicyCapacity,
  PolicyShape,
  RowScores,
  TokenPolicy,
  TrainingBatch,
  UpdateStats,
} from '../src/policy/types.ts';
import { Trainer } from '../src/training/trainer.ts';

export interface HostReport {
  readonly iterations: number;
  readonly turns: number;
  /** Microseconds per turn: wall-clock time, and CPU time of all threads including garbage collection. */
  readonly wall: number;
  readonly processor: number;
}

/**
 * Time per turn of rollouts, advantages, packing and metrics, with a table as a policy of
 * almost no cost.
 *
 * @param iterations number of measured iterations, after a quarter as many for warm-up
 */
export async function measureHost(iterations: number): Promise<HostReport> {
  const config = setConfigValues(findPreset(defaultPreset).config, [
    ['stopping.success', '0'],
    ['evaluation.interval', '0'],
  ]);
  const run = await Trainer.create({
    config,
    createPolicy: async (shape, capacity) => new TablePolicy(shape, capacity),
  });
  for (let i = 0; i < iterations / 4; i++) await run.iterate();
  const { turns } = run;
  const since = performance.now();
  const before = process.cpuUsage();
  for (let i = 0; i < iterations; i++) await run.iterate();
  const { user, system } = process.cpuUsage(before);
  const milliseconds = performance.now() - since;
  const played = run.turns - turns;
  run.destroy();
  return {
    iterations,
    turns: played,
    wall: (milliseconds * 1000) / played,
    processor: (user + system) / played,
  };
}

/** A policy that gives all tokens the same probability in every context. */
class TablePolicy implements TokenPolicy {
  readonly device = 'a table';
  readonly shape: PolicyShape;
  readonly capacity: PolicyCapacity;
  readonly waves = 1;
  version = 0;

  constructor(shape: PolicyShape, capacity: PolicyCapacity) {
    this.shape = shape;
    this.capacity = capacity;
  }

  async breathe(): Promise<void> {}

  async generate({ slots, maxNewTokens, random }: GenerateRequest): Promise<Generation> {
    const { vocabulary } = this.shape;
    const length = slots.length * maxNewTokens;
    return {
      tokens: Uint32Array.from({ length }, (_, i) => {
        const e = Math.floor(i / maxNewTokens);
        const key = (random.episodes[e] ?? 0) * 7919 + (random.offsets[e] ?? 0) * 104_729;
        return (Math.imul(key + (random.iterations[e] ?? 0), 0x9e3779b1) >>> 8) % vocabulary;
      }),
      logps: new Float32Array(length).fill(-Math.log(vocabulary)),
      entropies: new Float32Array(length).fill(Math.log(vocabulary)),
      lengths: new Uint32Array(slots.length).fill(maxNewTokens),
      version: this.version,
    };
  }

  async update(
    batches: readonly TrainingBatch[],
    _objective: unknown,
    _step: unknown,
    withScores = false,
  ): Promise<UpdateStats> {
    this.version += 1;
    const zones = { below: 0, inside: 0, above: 0 };
    return {
      rows: batches.reduce((sum, { targets }) => sum + targets.length, 0),
      ...{ loss: 0, sums: byStatistic(() => 0), clipLow: 0.8, clipHigh: 1.2, positiveShare: 0.5 },
      ...{ positiveCounts: zones, negativeCounts: zones, positivePull: zones, negativePull: zones },
      gradNorm: 1,
      skipped: false,
      cause: null,
      ...(withScores ? { scores: this.#scores(batches) } : {}),
    };
  }

  async score(batches: readonly TrainingBatch[]): Promise<RowScores[]> {
    return this.#scores(batches);
  }

  #scores(batches: readonly TrainingBatch[]): RowScores[] {
    const { vocabulary } = this.shape;
    return batches.map(({ targets: { length } }) => ({
      logps: new Float32Array(length).fill(-Math.log(vocabulary)),
      entropies: new Float32Array(length).fill(Math.log(vocabulary)),
      values: new Float32Array(length),
    }));
  }

  async distributions(batches: readonly TrainingBatch[]): Promise<Float32Array[]> {
    const { vocabulary } = this.shape;
    return batches.map(({ targets: { length } }) =>
      new Float32Array(length * vocabulary).fill(-Math.log(vocabulary)),
    );
  }

  async gradientNorm(): Promise<number> {
    return 1;
  }

  restartOptimizer(): void {}
  keepReference(): void {}
  readWeights(): never {
    throw new Error('A table has no weights.');
  }
  writeWeights(): void {}
  readState(): never {
    throw new Error('A table has no state.');
  }
  writeState(): void {}
  destroy(): void {}
}
