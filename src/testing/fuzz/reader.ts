import type { Mutator } from './bytes.ts';

/** An error class of the project that reports an unusable input. */
type ErrorClass = abstract new (...values: never[]) => Error;

/** A reader of inputs, with seed inputs. */
export interface Reader {
  readonly name: string;
  /** All error classes that it may throw. */
  readonly refusals: readonly ErrorClass[];
  /** Valid inputs. */
  readonly seeds: () => readonly Uint8Array[] | Promise<readonly Uint8Array[]>;
  readonly mutate: Mutator;
  /** May be asynchronous. The result is checked for unusual prototypes. */
  readonly read: (bytes: Uint8Array) => unknown;
}

/** Whether a reader may throw this error. */
export function isRefusal({ refusals }: Pick<Reader, 'refusals'>, error: unknown): boolean {
  return refusals.some((known) => error instanceof known);
}
