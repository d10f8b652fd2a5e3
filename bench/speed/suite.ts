/** The benchmark's parts on one device, in a browser or in Node. */
import type { Gpu } from '../../src/gpu/index.ts';
import type { Rounds } from '../measure.ts';
import { measureKernels, measureLinear } from './kernels.ts';
import { type Limits, measureLimits } from './limits.ts';
import { ownTrainer, type Trainer } from './own-step.ts';
import type { PartName, PartReports } from './report.ts';
import { measureSteps, type StepReport } from './steps.ts';
import { type TrainingCase, trainingCases } from './training-case.ts';

export interface SuiteOptions {
  /** Small shapes and few measurements: whether everything runs, not how fast. */
  readonly quick: boolean;
}

/** What differs between the hosts. */
export interface Host {
  readonly gpu: Gpu;
  /** Peers' trainers of a case, besides Palestra's own; those that the host cannot run are left out. */
  peers(training: TrainingCase): Promise<readonly Trainer[]>;
}

/** The adapter as the benchmark's reports name it. */
export function adapterName({ description: { vendor, architecture, description } }: Gpu): string {
  return [vendor, architecture, description].filter((part) => part !== '').join(', ');
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
  run<Name extends PartName>(name: Name): Promise<PartReports[Name]> {
    const parts: { [Part in PartName]: () => Promise<PartReports[Part]> } = {
      limits: () => this.#limitsOnce(),
      kernels: () => this.#kernels(),
      steps: () => this.#steps(),
    };
    return parts[name]();
  }

  get #rounds(): Rounds {
    return this.#options.quick
      ? { rounds: 2, least: 2, budget: 1000, milliseconds: 4 }
      : { rounds: 9, least: 5, budget: 2000, milliseconds: 20 };
  }

  get #cases(): readonly TrainingCase[] {
    return this.#options.quick ? [trainingCases.XS] : [trainingCases.S, trainingCases.M];
  }

  async #limitsOnce(): Promise<Limits> {
    this.#limits ??= await measureLimits(this.#host.gpu, this.#rounds);
    return this.#limits;
  }

  async #kernels() {
    const { gpu } = this.#host;
    const limits = await this.#limitsOnce();
    return {
      linear: await measureLinear(gpu, limits, this.#rounds),
      all: await measureKernels(gpu, this.#cases, limits, this.#rounds),
    };
  }

  async #steps(): Promise<StepReport[]> {
    const reports: StepReport[] = [];
    for (const training of this.#cases) {
      const own = await ownTrainer(this.#host.gpu, training);
      const trainers = [own, ...(await this.#host.peers(training))];
      const rounds = this.#options.quick
        ? { rounds: 1, least: 1, budget: 0, milliseconds: 0 }
        : { rounds: 15, least: 3, budget: 10_000, milliseconds: 0 };
      reports.push(await measureSteps(training, trainers, rounds));
      for (const trainer of trainers) await trainer.close();
    }
    return reports;
  }
}
