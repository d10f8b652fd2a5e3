/** The results of a benchmark run, as stored in `bench/results/`. */
import type { DecodeRow } from './decode.ts';
import type { Growth } from './growth.ts';
import type { KernelRow } from './kernels.ts';
import type { Limits } from './limits.ts';
import type { LoopReport } from './loop.ts';
import type { StartupReport } from './startup.ts';
import type { StepReport } from './steps.ts';

/** The parts of the benchmark, in the order in which they run. */
export const partNames = [
  'limits',
  'kernels',
  'onProcessor',
  'stepS',
  'decode',
  'loop',
  'growth',
  'startup',
  'stepM',
  'stepL',
] as const;
export type PartName = (typeof partNames)[number];

export interface KernelsReport {
  /** The linear layers at two fixed sizes. */
  readonly linear: readonly KernelRow[];
  /** Every kernel that the policy dispatches. */
  readonly all: readonly KernelRow[];
}

/** Parts of the quick run. It omits slow parts, and start-up because the browser tests cover it. */
export const quickParts: readonly PartName[] = [
  'limits',
  'kernels',
  'onProcessor',
  'stepS',
  'decode',
  'loop',
];

/** The processor with a given number of threads, measured like the graphics adapter. */
export interface ProcessorReport {
  readonly name: string;
  readonly limits: Limits;
  readonly kernels: KernelsReport;
  readonly loop: LoopReport;
}

/** The results of each part. */
export interface PartReports {
  readonly limits: Limits;
  readonly kernels: KernelsReport;
  readonly onProcessor: readonly ProcessorReport[];
  readonly stepS: StepReport;
  readonly decode: readonly DecodeRow[];
  readonly loop: LoopReport;
  readonly growth: readonly Growth[];
  /** Null if there is no page. */
  readonly startup: StartupReport | null;
  readonly stepM: StepReport;
  readonly stepL: StepReport;
}

/** The parts that run on one device; only a page measures start-up. */
export type SuitePart = Exclude<PartName, 'startup'>;

export interface SpeedReport extends Partial<PartReports> {
  /** When each part was measured (ISO 8601), and at which commit. */
  readonly measured: Readonly<
    Partial<Record<PartName, { readonly date: string; readonly commit: string | null }>>
  >;
  /** The name that the graphics adapter reports. */
  readonly adapter: string;
  /** The card's name according to the driver's tool, if the adapter does not report it. */
  readonly card?: string;
  readonly software: boolean;
  /** Browser or Node, with its version. */
  readonly host: string;
  readonly processor: string;
  readonly cores: number;
  readonly quick: boolean;
}
