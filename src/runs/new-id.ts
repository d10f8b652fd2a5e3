/**
 * A name that nothing else has: 128 random bits in hexadecimal digits. `crypto.randomUUID` would give one
 * too, but browsers keep it from pages that come over plain http.
 */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
