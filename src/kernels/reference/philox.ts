/**
 * Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011): four random
 * 32-bit words from a counter of four words and a key of two, without any state.
 */
export type Words4 = readonly [number, number, number, number];
export type Words2 = readonly [number, number];

const MULTIPLIERS = [0xd2511f53n, 0xcd9e8d57n] as const;
const WEYL = [0x9e3779b9, 0xbb67ae85] as const;
const ROUNDS = 10;

function multiply(a: bigint, b: number): { high: number; low: number } {
  const product = a * BigInt(b);
  return { high: Number(product >> 32n), low: Number(product & 0xffffffffn) };
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
