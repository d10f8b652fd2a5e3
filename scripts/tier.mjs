/**
 * How much of the slow tests runs: `fast` in `npm test`, `full` with `--all` and under Vitest or
 * Playwright alone, `thorough` with `--thorough`.
 */
const tier = process.env.PALESTRA_TIER ?? 'full';

export const thorough = tier === 'thorough';

/**
 * The size of a test in the current tier.
 *
 * @template T
 * @param {T} fast
 * @param {T} full
 * @param {T} all
 * @returns {T}
 */
export function byTier(fast, full, all) {
  if (tier === 'fast') return fast;
  return thorough ? all : full;
}
