/**
 * An unbiased estimate of the probability that at least one of k samples succeeds, from n samples
 * of which c succeeded: 1 − C(n−c, k) / C(n, k) (Chen et al. 2021, arXiv:2107.03374, section 2.1).
 *
 * @throws {RangeError} unless 0 ≤ c ≤ n and 1 ≤ k ≤ n.
 */
export function passAtK(n: number, c: number, k: number): number {
  if (!(c >= 0 && c <= n && k >= 1 && k <= n)) {
    throw new RangeError(`pass@${k} needs at least ${k} samples, got ${n} with ${c} successes`);
  }
  if (n - c < k) return 1;
  // The quotient of binomials as a product, which does not overflow.
  let allFail = 1;
  for (let i = n - c + 1; i <= n; i++) allFail *= 1 - k / i;
  return 1 - allFail;
}
