import type { PolicyShape } from '../../src/policy/types.ts';
import type { Decoder } from './own-decode.ts';
import type { Trainer } from './own-step.ts';
import type { ProcessorReport } from './report.ts';
import type { TrainingCase } from './training-case.ts';

export interface SuiteOptions {
  /** Small shapes and few measurements: whether everything runs, not how fast. */
  readonly quick: boolean;
}

/** What the benchmark asks of the processor; a page asks it of a worker, which may wait for threads. */
export interface ProcessorBench {
  /** `processor, 2 threads`. */
  readonly name: string;
  measure(options: SuiteOptions): Promise<ProcessorReport>;
  trainer(training: TrainingCase): Promise<Trainer>;
  decoder(shape: PolicyShape, episodes: number): Promise<Decoder>;
  close(): void;
}
