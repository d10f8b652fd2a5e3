/**
 * How much is read of a run's log. These stand apart from the other limits (`limits.ts`), which training
 * reads: a change here makes no kept run old.
 */

import type { JsonLimits } from './limits.ts';

const MIB = 2 ** 20;

export const logLimits = {
  /** Bytes of a log of rows; one of 10,000 iterations has 12 MB. */
  bytes: 256 * MIB,
  /** A line of it; the last one has the run's config. */
  line: { bytes: MIB, objects: 4000, values: 20_000, depth: 24 } satisfies JsonLimits,
} as const;
