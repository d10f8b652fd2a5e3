/**
 * How much is read of a run's log. These stand apart from the other limits (`limits.ts`), which training
 * reads: a change here makes no kept run old.
 */

import type { JsonLimits } from './limits.ts';

const KIB = 2 ** 10;
const MIB = 2 ** 20;

export const logLimits = {
  /** Bytes of a log of rows; one of 10,000 iterations has 12 MB. */
  bytes: 256 * MIB,
  /** A line of it; the last one has the run's config. */
  line: { bytes: MIB, objects: 4000, values: 20_000, depth: 24 } satisfies JsonLimits,
} as const;

/** Logs of other tools. They are read in pieces, so that a file may be larger than memory. */
export const foreignLimits = {
  /** Files that are opened at once: a folder of MLflow has one for each metric. */
  files: 10_000,
  /** Bytes of all of them together. */
  bytes: 4096 * MIB,
  /** Bytes of a log that is followed over HTTP, which is kept in memory. */
  followed: 512 * MIB,
  /** Bytes that are taken out of a file at once. */
  piece: 4 * MIB,
  /** Series of one run. */
  series: 5000,
  /** Characters of a series' name. */
  key: 512,
  /** Measurements of one run; each takes 16 bytes. */
  points: 20_000_000,
  /** Bytes of a line, of a row of CSV, and of a record that is no larger picture or histogram. */
  line: MIB,
  /** Bytes of a file that has to be parsed as a whole: `trainer_state.json`, a JSON list. */
  whole: 64 * MIB,
  wholeJson: { bytes: 64 * MIB, objects: 1_000_000, values: 20_000_000, depth: 24 } as JsonLimits,
  lineJson: { bytes: MIB, objects: 4000, values: 20_000, depth: 24 } as JsonLimits,
  /** Settings that are kept of a run, and characters of one of them. */
  settings: 2000,
  setting: KIB,
  /** Rows that a diagnosis looks at; of longer logs several make one. */
  rows: 5000,
  /** Bytes of a Parquet file's footer, of a column in one group, and of a page when it is unpacked. */
  parquetFooter: 16 * MIB,
  parquetColumn: 256 * MIB,
  parquetPage: 64 * MIB,
} as const;

/** Files of episodes. Their texts stay in the files, so these may be larger than memory. */
export const rolloutLimits = {
  episodes: 2_000_000,
  /** Bytes of one episode; longer ones are left out. */
  item: 16 * MIB,
  json: { bytes: 16 * MIB, objects: 100_000, values: 4_000_000, depth: 32 } as JsonLimits,
  /** Bytes of a file of torch.save, which is unpacked as a whole. */
  pickle: 512 * MIB,
  /** Bytes of a group of rows of a Parquet file when it is unpacked. */
  group: 512 * MIB,
} as const;
