/**
 * Setup of every test file. Typed arrays are compared by their bytes: Vitest's `toEqual` takes
 * microseconds per element; only arrays that differ are passed to it, for its error message. Globals
 * that the file's last test stubbed are restored before the next file is loaded. Property tests use
 * a fixed seed, so that a rare counterexample cannot fail an unrelated change; `PALESTRA_SEED`
 * selects another.
 */
import fc from 'fast-check';
import { afterAll, expect, vi } from 'vitest';

fc.configureGlobal({ seed: Number(process.env.PALESTRA_SEED ?? 1) });

afterAll(() => {
  vi.unstubAllGlobals();
});

const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView) =>
  Buffer.from(buffer, byteOffset, byteLength);

expect.addEqualityTesters([
  (a, b) =>
    ArrayBuffer.isView(a) &&
    ArrayBuffer.isView(b) &&
    a.constructor === b.constructor &&
    bytesOf(a).equals(bytesOf(b))
      ? true
      : undefined,
]);
