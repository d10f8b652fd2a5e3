/** The expected and the actual diagnosis of a kept run. */

import type { ModeName } from '../runs/mode-names.ts';

/** The failure mode injected into a run, if any, and the iteration. */
export interface DiagnosisQuestion {
  /** The injected failure mode; null for a healthy run. */
  readonly cause: ModeName | null;
  /** The iteration in which it was injected; absent if it was present from the start. */
  readonly from?: number;
}

/** The diagnosis of a run that is monitored from its first iteration to its last. */
export interface Diagnosed {
  /** The first finding after the last iteration; null if there is none. */
  readonly found: {
    readonly mode: ModeName;
    readonly onset: number;
    readonly known: number;
  } | null;
  /** Every change of the first-ranked finding, with the iteration after which it changed. */
  readonly said: readonly { readonly mode: ModeName | null; readonly after: number }[];
}
