import type { PolicyShape } from '../../src/policy/types.ts';
import type { Decoder } from './own-decode.ts';
import type { Trainer } from './own-step.ts';
import type { ProcessorReport } from './report.ts';
import type { TrainingCase } from './training-case.ts';

export interface SuiteOptions {
  /** Small shapes and few measurements: checks that everything runs. */
  readonly quick: boolean;
}

/** The benchmark's interface to the processor; a page runs it in a worker, which can wait for threads. */
export interface ProcessorBench {
  /** Display name, such as `processor, 2 threads`. */
  readonly name: string;
  measure(options: SuiteOptions): Promise<ProcessorReport>;
  trainer(training: TrainingCase): Promise<Trainer>;
  decoder(shape: PolicyShape, episodes: number): Promise<Decoder>;
  close(): void;
}
