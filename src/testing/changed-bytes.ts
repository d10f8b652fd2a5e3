import fc from 'fast-check';
import { expect } from 'vitest';

/**
 * Changes some bytes of a valid file, in a thousand ways. The reader must accept each file or throw
 * its own error class.
 */
export function expectReadOrRefused(
  bytes: Uint8Array,
  read: (changed: Uint8Array<ArrayBuffer>) => unknown,
  refusal: abstract new (...args: never[]) => Error,
): void {
  const changes = fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { minLength: 1 });
  fc.assert(
    fc.property(changes, (list) => {
      const changed = Uint8Array.from(bytes);
      for (const [at, byte] of list) changed[at] = byte;
      try {
        read(changed);
      } catch (error) {
        expect(error).toBeInstanceOf(refusal);
      }
    }),
    { numRuns: 1000 },
  );
}
