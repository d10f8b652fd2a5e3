/**
 * Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011). Stateless:
 * maps a counter of four 32-bit words and a key of two words to four random words.
 */
export type Words4 = readonly [number, number, number, number];
export type Words2 = readonly [number, number];

const MULTIPLIERS = [0xd2511f53, 0xcd9e8d57] as const;
const WEYL = [0x9e3779b9, 0xbb67ae85] as const;
const ROUNDS = 10;

/** Both halves of the product of two 32-bit words; intermediate values are at most 2⁴⁹. */
function multiply(a: number, b: number): { high: number; low: number } {
  const carried = Math.floor((a * (b & 0xffff)) / 0x10000);
  return {
    high: Math.floor((a * (b >>> 16) + carried) / 0x10000),
    low: Math.imul(a, b) >>> 0,
  };
}

export function philox4x32(counter: Words4, key: Words2): Words4 {
  let [c0, c1, c2, c3] = counter;
  let [k0, k1] = key;
  for (let round = 0; round < ROUNDS; round++) {
    const first = multiply(MULTIPLIERS[0], c0);
    const second = multiply(MULTIPLIERS[1], c2);
    c0 = (second.high ^ c1 ^ k0) >>> 0;
    c1 = second.low;
    c2 = (first.high ^ c3 ^ k1) >>> 0;
    c3 = first.low;
    k0 = (k0 + WEYL[0]) >>> 0;
    k1 = (k1 + WEYL[1]) >>> 0;
  }
  return [c0, c1, c2, c3];
}
