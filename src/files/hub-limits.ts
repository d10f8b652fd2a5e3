/**
 * Limits for responses of the Hugging Face Hub; docs/EXCHANGE.md lists the same numbers. Separate
 * from `limits.ts`, so that changing them does not make kept runs stale.
 */
import type { JsonLimits } from './limits.ts';

export const hubLimits = {
  /** A page of a model's file list; the Hub lists 1000 files per page. */
  list: { bytes: 2 ** 22, objects: 20_000, values: 100_000, depth: 6 } satisfies JsonLimits,
  /** Number of pages of a file list. */
  pages: 10,
} as const;
