/** What a run of the benchmark found, as it is kept in `bench/results/`. */
import type { Spread } from '../measure.ts';
import type { KernelRow } from './kernels.ts';
import type { Limits } from './limits.ts';
import type { StepReport } from './steps.ts';

/** The parts of the benchmark, in the order in which they run. */
export const partNames = ['limits', 'kernels', 'steps'] as const;
export type PartName = (typeof partNames)[number];

export interface KernelsReport {
  /** The linear layers at two fixed sizes. */
  readonly linear: readonly KernelRow[];
  /** Every kernel that the policy dispatches. */
  readonly all: readonly KernelRow[];
}

/** What each part reports. */
export interface PartReports {
  readonly limits: Limits;
  readonly kernels: KernelsReport;
  readonly steps: readonly StepReport[];
}

export interface SpeedReport extends Partial<PartReports> {
  /** ISO 8601. */
  readonly date: string;
  readonly command: string;
  /** What was measured, as git describes it. */
  readonly commit: string | null;
  /** The graphics adapter by its own name. */
  readonly adapter: string;
  readonly software: boolean;
  /** Browser or Node, with its version. */
  readonly host: string;
  readonly processor: string;
  readonly cores: number;
  readonly quick: boolean;
}

/** Times of several subjects that took turns. */
export type Times = Readonly<Record<string, Spread>>;
