/**
 * The size at which slow tests run: `fast` in `npm test`, `full` with `--all` and if Vitest or
 * Playwright is started directly, `thorough` with `--thorough`.
 */
const tier = process.env.PALESTRA_TIER ?? 'full';

export const fast = tier === 'fast';
export const thorough = tier === 'thorough';

/**
 * The size of a test in the current tier.
 *
 * @template T
 * @param {T} small in the fast tier
 * @param {T} full
 * @param {T} all in the thorough tier
 * @returns {T}
 */
export function byTier(small, full, all) {
  if (fast) return small;
  return thorough ? all : full;
}
