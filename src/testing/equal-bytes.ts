/**
 * Typed arrays that hold the same bytes are equal. `toEqual` by itself compares element by element, which
 * takes microseconds each; arrays that differ are left to it, and to its message.
 */
import { expect } from 'vitest';

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
