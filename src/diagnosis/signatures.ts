/**
 * What a way to fail looks like in a run that was made to fail so: `signatures.json`, drawn from the
 * recorded runs (`signatures.test.ts` writes it, and holds it to them).
 */

import type { ModeName } from '../runs/mode-names.ts';
import type { Remedy } from './finding.ts';

export interface Signature {
  /** What made the run. */
  readonly command: string;
  /** What was said of it. */
  readonly text: string;
  readonly onset: number;
  /** Iterations between which it began. */
  readonly from: number;
  readonly to: number;
  readonly known: number;
  /** What was proposed. */
  readonly remedies: readonly Remedy[];
  /** The finding's proofs, metric by metric, an entry for each iteration from the first on. */
  readonly proofs: readonly {
    readonly metric: string;
    /** Null where it was not measured. */
    readonly values: readonly (number | null)[];
  }[];
}

export interface Signatures {
  /** Of each metric of a proof: the preset's values when nothing is wrong with it. */
  readonly sound: Readonly<Record<string, readonly (number | null)[]>>;
  readonly modes: Readonly<Partial<Record<ModeName, Signature>>>;
}

/** They are loaded only when somebody looks at one. */
export async function loadSignatures(): Promise<Signatures> {
  const { default: signatures } = await import('./signatures.json');
  return signatures;
}
