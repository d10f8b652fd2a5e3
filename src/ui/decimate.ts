/**
 * Thins a series to what its pixels can show, keeping every spike: the rows are cut into buckets and
 * each bucket keeps, for every key, the row of the smallest and of the largest value. The rows that
 * remain are rows of the input, in order, first and last included.
 *
 * @param rows one object per x, in order of x
 * @param keys the series drawn; rows without a finite value for a key do not count for that key
 * @param buckets number of buckets, about one per two or three pixels
 */
export function decimate<Row>(
  rows: readonly Row[],
  keys: readonly ((row: Row) => number | undefined)[],
  buckets: number,
): readonly Row[] {
  const count = Math.max(1, Math.floor(buckets));
  if (rows.length <= 2 * count) return rows;
  const kept: Row[] = [];
  for (let bucket = 0; bucket < count; bucket++) {
    const from = Math.floor((bucket * rows.length) / count);
    const to = Math.floor(((bucket + 1) * rows.length) / count);
    const indices = new Set<number>();
    if (bucket === 0) indices.add(0);
    if (bucket === count - 1) indices.add(rows.length - 1);
    for (const value of keys) {
      let least = -1;
      let most = -1;
      let minimum = Number.POSITIVE_INFINITY;
      let maximum = Number.NEGATIVE_INFINITY;
      for (let index = from; index < to; index++) {
        const row = rows[index];
        const number = row === undefined ? undefined : value(row);
        if (number === undefined || !Number.isFinite(number)) continue;
        if (number < minimum) {
          minimum = number;
          least = index;
        }
        if (number > maximum) {
          maximum = number;
          most = index;
        }
      }
      if (least >= 0) indices.add(least);
      if (most >= 0) indices.add(most);
    }
    for (const index of [...indices].sort((left, right) => left - right)) {
      const row = rows[index];
      if (row !== undefined) kept.push(row);
    }
  }
  return kept;
}
