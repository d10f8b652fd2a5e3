/**
 * Compares typed arrays by their bytes. Vitest's `toEqual` compares element by element, which takes
 * microseconds each; arrays that differ are passed on to it for its error message.
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
