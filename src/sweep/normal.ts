/** The standard normal distribution. */

/** Density at x. */
export function normalDensity(x: number): number {
  return Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI);
}

/**
 * The probability of less than x, to 14 digits. Near 0 it uses the series 26.2.11 of Abramowitz and
 * Stegun (1964), the stable form of 26.2.10; further out, the continued fraction 26.2.14 of the
 * tail.
 */
export function normalCdf(x: number): number {
  if (Number.isNaN(x)) return Number.NaN;
  if (x < -3) return tail(-x);
  if (x > 3) return 1 - tail(x);
  // φ(x) · (x + x³/3 + x⁵/(3·5) + …)
  let term = x;
  let sum = x;
  for (let n = 3; Math.abs(term) > 1e-17 * Math.abs(sum); n += 2) {
    term *= (x * x) / n;
    sum += term;
  }
  return 0.5 + normalDensity(x) * sum;
}

/** The probability of more than x, for x > 3. */
function tail(x: number): number {
  if (x === Number.POSITIVE_INFINITY) return 0;
  let fraction = x;
  for (let n = 60; n >= 1; n--) fraction = x + n / fraction;
  return normalDensity(x) / fraction;
}

/** The probability of the interval [low, high], accurate in the tails. */
export function normalBetween(low: number, high: number): number {
  return low > 0 ? normalCdf(-low) - normalCdf(-high) : normalCdf(high) - normalCdf(low);
}
