/**
 * Typical curves of failure modes: `signatures.json`, taken from the recorded runs. `signatures.test.ts`
 * writes and checks it.
 */

import type { ModeName } from '../runs/mode-names.ts';
import type { Remedy } from './finding.ts';

export interface Signature {
  /** The command that made the run. */
  readonly command: string;
  /** The text of the finding. */
  readonly text: string;
  readonly onset: number;
  /** Iterations between which the onset lies. */
  readonly from: number;
  readonly to: number;
  readonly known: number;
  /** The proposed remedies. */
  readonly remedies: readonly Remedy[];
  /** The metrics shown as evidence, with one value per iteration from the first on. */
  readonly proofs: readonly {
    readonly metric: string;
    /** Null if it was not measured. */
    readonly values: readonly (number | null)[];
  }[];
}

export interface Signatures {
  /** Values of the healthy preset for each metric shown as evidence. */
  readonly sound: Readonly<Record<string, readonly (number | null)[]>>;
  readonly modes: Readonly<Partial<Record<ModeName, Signature>>>;
}

/** Loaded on first use. */
export async function loadSignatures(): Promise<Signatures> {
  const { default: signatures } = await import('./signatures.json');
  return signatures;
}
