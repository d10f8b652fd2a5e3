import { hex } from '../files/hex.ts';

/**
 * A random id: 128 bits as hexadecimal digits. Browsers do not provide `crypto.randomUUID` to pages
 * served over plain HTTP.
 */
export function newId(): string {
  return hex(crypto.getRandomValues(new Uint8Array(16)));
}
