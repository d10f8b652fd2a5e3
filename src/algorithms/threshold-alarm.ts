/** Number of values whose mean is compared with the best level. */
const RECENT = 5;
/** Number of values in a level's mean. */
const LEVEL = 10;
/** The alarm is raised below this share of the best level. */
const SHARE = 0.5;

const meanOf = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/**
 * A simple alarm on the success rate, as a baseline for the diagnosis: raised if the mean of the last
 * 5 values is below half of the highest mean of 10 consecutive values so far.
 *
 * @param from index of the first value that may raise it
 * @returns index of the value that raises it; null if none does
 */
export function thresholdAlarm(values: readonly number[], from = 0): number | null {
  let best = Number.NEGATIVE_INFINITY;
  for (let end = LEVEL; end <= values.length; end++) {
    best = Math.max(best, meanOf(values.slice(end - LEVEL, end)));
    const recent = meanOf(values.slice(end - RECENT, end));
    if (end > from && end >= LEVEL + RECENT && recent < SHARE * best) return end - 1;
  }
  return null;
}
