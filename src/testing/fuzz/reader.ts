import type { Mutator } from './bytes.ts';

/** An error class of the project's own, which says that an input cannot be used. */
type ErrorClass = abstract new (...values: never[]) => Error;

/** What reads an input, and inputs to begin with. */
export interface Reader {
  readonly name: string;
  /** All that it may throw. */
  readonly refusals: readonly ErrorClass[];
  /** Inputs that it accepts. */
  readonly seeds: () => readonly Uint8Array[] | Promise<readonly Uint8Array[]>;
  readonly mutate: Mutator;
  /** May resolve later; what it returns is looked at for odd prototypes. */
  readonly read: (bytes: Uint8Array) => unknown;
}

/** Whether a reader may throw this. */
export function isRefusal({ refusals }: Pick<Reader, 'refusals'>, error: unknown): boolean {
  return refusals.some((known) => error instanceof known);
}
