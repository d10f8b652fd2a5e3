/**
 * Limits of logs. Training imports `limits.ts`, so these are kept separate: changing them does not
 * make kept runs stale.
 */

import type { JsonLimits } from './limits.ts';

const KIB = 2 ** 10;
const MIB = 2 ** 20;

export const logLimits = {
  /** Bytes of a log of rows; 10,000 iterations take 12 MB. */
  bytes: 256 * MIB,
  /** A line of the log. The last one contains the run's config. */
  line: { bytes: MIB, objects: 4000, values: 20_000, depth: 24 } satisfies JsonLimits,
} as const;

/** Logs of other tools. They are read in chunks, so a file may be larger than memory. */
export const foreignLimits = {
  /** Number of files opened together. An MLflow folder has one for each metric. */
  files: 10_000,
  /** Total bytes of these files. */
  bytes: 4096 * MIB,
  /** Bytes of a log followed over HTTP, which is kept in memory. */
  followed: 512 * MIB,
  /** Bytes read from a file at once. */
  piece: 4 * MIB,
  /** Number of series in a run. */
  series: 5000,
  /** Characters of a series name. */
  key: 512,
  /** Number of measurements in a run; each takes 16 bytes. */
  points: 20_000_000,
  /** Bytes of a line, a CSV row or a record. Larger records (images, histograms) are skipped. */
  line: MIB,
  /** Bytes of a file that must be parsed at once: `trainer_state.json` or a JSON list. */
  whole: 64 * MIB,
  wholeJson: { bytes: 64 * MIB, objects: 1_000_000, values: 20_000_000, depth: 24 } as JsonLimits,
  lineJson: { bytes: MIB, objects: 4000, values: 20_000, depth: 24 } as JsonLimits,
  /** Number of settings stored for a run, and characters per setting. */
  settings: 2000,
  setting: KIB,
  /** Number of rows for a diagnosis; in longer logs, several rows are combined into one. */
  rows: 5000,
  /** Bytes of a Parquet footer, of a column in one row group, and of an unpacked page. */
  parquetFooter: 16 * MIB,
  parquetColumn: 256 * MIB,
  parquetPage: 64 * MIB,
} as const;

/** Files of episodes. Texts stay in the file until needed, so a file may be larger than memory. */
export const rolloutLimits = {
  episodes: 2_000_000,
  /** Bytes of one episode; longer ones are skipped. */
  item: 16 * MIB,
  json: { bytes: 16 * MIB, objects: 100_000, values: 4_000_000, depth: 32 } as JsonLimits,
  /** Bytes of a `torch.save` file, which is unpacked at once. */
  pickle: 512 * MIB,
  /** Bytes of an unpacked Parquet row group. */
  group: 512 * MIB,
} as const;
