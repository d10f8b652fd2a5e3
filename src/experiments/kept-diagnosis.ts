/** What an experiment asks of diagnosis, and what diagnosis says of a kept run. */

import type { ModeName } from '../runs/mode-names.ts';

/** What is known of a run because it was made so. */
export interface DiagnosisQuestion {
  /** What was made to be the cause; null of a sound run. */
  readonly cause: ModeName | null;
  /** The iteration in which it was switched on; absent where it was there from the start. */
  readonly from?: number;
}

/** What diagnosis says of a run that was watched from its first iteration to its last. */
export interface Diagnosed {
  /** The first finding after the last iteration; null where nothing was found. */
  readonly found: {
    readonly mode: ModeName;
    readonly onset: number;
    readonly known: number;
  } | null;
  /** Every change of what came first on the way, with the iteration after which it was said. */
  readonly said: readonly { readonly mode: ModeName | null; readonly after: number }[];
}
