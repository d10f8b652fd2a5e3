/** How much is read of a sweep's folder. Apart from the other limits, so that a change here makes no kept run old. */

import type { JsonLimits } from './limits.ts';

const MIB = 2 ** 20;

export const sweepLimits = {
  /** Files of the folder: of 10,000 runs each has a record, each trial a file. */
  files: 25_000,
  /** Bytes of those that are read together; a record of 200 rows has 100 kB. */
  bytes: 1024 * MIB,
  /** Bytes of a zip of them, and of what it unpacks to. */
  zip: 256 * MIB,
  /** A record, or `sweep.json`. */
  json: { bytes: 4 * MIB, objects: 4000, values: 200_000, depth: 24 } satisfies JsonLimits,
  parameters: 200,
  /** Of a parameter, and seeds of a trial. */
  values: 1000,
  rungs: 100,
  /** Rows of a record, and columns of a row. */
  rows: 10_000,
  /** Faults that are named one by one. */
  notes: 20,
} as const;
