/** The benchmark's parts on one device, in a browser or in Node. */
import type { Device } from '../../src/device/index.ts';
import type { PolicyShape } from '../../src/policy/types.ts';
import type { Rounds } from '../measure.ts';
import { type DecodeRow, measureDecode } from './decode.ts';
import { measureGrowth } from './growth.ts';
import { measureKernels, measureLinear } from './kernels.ts';
import { type Limits, measureLimits } from './limits.ts';
import { measureLoop } from './loop.ts';
import { type Decoder, decoder } from './own-decode.ts';
import { ownTrainer, type Trainer } from './own-step.ts';
import type { ProcessorBench, SuiteOptions } from './processor-bench.ts';
import type { PartReports, ProcessorReport, SuitePart } from './report.ts';
import { measureSteps, type StepReport } from './steps.ts';
import { type TrainingCase, trainingCases } from './training-case.ts';

/** What differs between a browser and Node. */
export interface Host {
  readonly device: Device;
  /** The processor with different numbers of threads. */
  readonly processors?: readonly ProcessorBench[];
  /** Peers' trainers for a case, besides Palestra's; those that the host cannot run are omitted. */
  peers(training: TrainingCase): Promise<readonly Trainer[]>;
  /** Peers that decode the same network, by name. */
  decoders(shape: PolicyShape, episodes: number): Promise<ReadonlyMap<string, Decoder>>;
}

export class Suite {
  readonly #host: Host;
  readonly #options: SuiteOptions;
  #limits: Limits | undefined;

  constructor(host: Host, options: SuiteOptions) {
    this.#host = host;
    this.#options = options;
  }

  /** Runs a part by its name. */
  run<Name extends SuitePart>(name: Name): Promise<PartReports[Name]> {
    const parts: { [Part in SuitePart]: () => Promise<PartReports[Part]> } = {
      limits: () => this.#limitsOnce(),
      kernels: () => this.#kernels(),
      stepS: () => this.#step(this.#cases[0]),
      decode: () => this.#decode(),
      loop: () => measureLoop(this.#host.device, this.#options.quick ? 1 : 5),
      growth: () => measureGrowth(this.#host.device, this.#rounds, this.#options.quick),
      stepM: () => this.#step(this.#cases[1]),
      stepL: () => this.#step(this.#options.quick ? trainingCases.XS : trainingCases.L),
      onProcessor: () => this.#onProcessor(),
    };
    return parts[name]();
  }

  get #rounds(): Rounds {
    return this.#options.quick
      ? { rounds: 2, least: 2, budget: 1000, milliseconds: 4 }
      : { rounds: 9, least: 3, budget: 500, milliseconds: 15 };
  }

  get #cases(): readonly [TrainingCase, TrainingCase] {
    const { XS, S, M } = trainingCases;
    return this.#options.quick ? [XS, XS] : [S, M];
  }

  async #limitsOnce(): Promise<Limits> {
    this.#limits ??= await measureLimits(this.#host.device, this.#rounds);
    return this.#limits;
  }

  async #kernels() {
    const { device } = this.#host;
    const limits = await this.#limitsOnce();
    return {
      linear: await measureLinear(device, limits, this.#rounds),
      all: await measureKernels(device, [...new Set(this.#cases)], limits, this.#rounds),
    };
  }

  async #step(training: TrainingCase): Promise<StepReport> {
    const own = await ownTrainer(this.#host.device, training);
    // Shape L needs more memory than WebAssembly can address.
    const processors = training.name === 'L' ? [] : (this.#host.processors ?? []);
    const trainers = [
      own,
      ...(await Promise.all(processors.map((processor) => processor.trainer(training)))),
      ...(await this.#host.peers(training)),
    ];
    const rounds = this.#options.quick
      ? { rounds: 1, least: 1, budget: 0, milliseconds: 0 }
      : { rounds: 15, least: 3, budget: 10_000, milliseconds: 0 };
    const report = await measureSteps(training, trainers, rounds);
    for (const trainer of trainers) await trainer.close();
    return report;
  }

  async #onProcessor(): Promise<ProcessorReport[]> {
    const reports: ProcessorReport[] = [];
    for (const one of this.#host.processors ?? []) reports.push(await one.measure(this.#options));
    return reports;
  }

  async #decode(): Promise<DecodeRow[]> {
    const { quick } = this.#options;
    const { shape } = quick ? trainingCases.XS : trainingCases.S;
    const rows: DecodeRow[] = [];
    for (const episodes of quick ? [4] : [1, 64, 512]) {
      const own = await decoder(this.#host.device, shape, episodes);
      const decoders = new Map<string, Decoder>([['Palestra', own]]);
      for (const processor of this.#host.processors ?? []) {
        decoders.set(`Palestra, ${processor.name}`, await processor.decoder(shape, episodes));
      }
      for (const [name, peer] of await this.#host.decoders(shape, episodes)) {
        decoders.set(name, peer);
      }
      rows.push(...(await measureDecode(episodes, decoders, this.#rounds)));
      for (const one of decoders.values()) await one.close();
    }
    return rows;
  }
}
