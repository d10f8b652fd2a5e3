/**
 * Limits of sweep folders. Separate from `limits.ts`, so that changing them does not make kept runs
 * stale.
 */

import type { JsonLimits } from './limits.ts';

const MIB = 2 ** 20;

export const sweepLimits = {
  /** Number of files: a record for each of 10,000 runs, and a file for each trial. */
  files: 25_000,
  /** Total bytes of the files read; a record of 200 rows takes 100 kB. */
  bytes: 1024 * MIB,
  /** Bytes of a zipped folder, packed and unpacked. */
  zip: 256 * MIB,
  /** A record, or `sweep.json`. */
  json: { bytes: 4 * MIB, objects: 4000, values: 200_000, depth: 24 } satisfies JsonLimits,
  parameters: 200,
  /** Number of values of a parameter, and of seeds per trial. */
  values: 1000,
  rungs: 100,
  /** Number of rows in a record, and of columns in a row. */
  rows: 10_000,
  /** Number of errors reported individually. */
  notes: 20,
} as const;
