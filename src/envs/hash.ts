/** Initial value of a 32-bit FNV-1a hash. */
export const FNV_BASIS = 0x811c9dc5;

/** Adds a number to a hash. The result is a signed 32-bit number. */
export function fnv1aStep(hash: number, value: number): number {
  return Math.imul(hash ^ value, 0x01000193);
}

/** 32-bit FNV-1a hash of a text's UTF-16 code units. */
export function fnv1a(text: string): number {
  let hash = FNV_BASIS;
  for (let i = 0; i < text.length; i++) hash = fnv1aStep(hash, text.charCodeAt(i));
  return hash >>> 0;
}
