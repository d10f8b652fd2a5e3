/**
 * Reduces a curve to the points its pixels can show. Every bucket of x keeps its first, minimum,
 * maximum and last point: with buckets no wider than a pixel the drawn line equals the line through
 * all points (M4; Jugel, Jerzak, Hackenbroich and Markl, PVLDB 7(10), 2014). Returns ascending
 * indices into the curve, so no point is invented.
 *
 * @param x abscissae, nondecreasing
 * @param y values, finite
 * @param from first index
 * @param to index after the last one
 * @param bucketOf bucket of an abscissa, nondecreasing
 */
export function decimate(
  x: Float64Array,
  y: Float64Array,
  from: number,
  to: number,
  bucketOf: (x: number) => number,
): number[] {
  const kept: number[] = [];
  let bucket = Number.NaN;
  let first = from;
  let least = from;
  let most = from;
  const close = (last: number) => {
    const [left, right] = least < most ? [least, most] : [most, least];
    kept.push(first);
    if (left > first) kept.push(left);
    if (right > left && right > first) kept.push(right);
    if (last > right) kept.push(last);
  };
  for (let index = from; index < to; index++) {
    const value = y[index] ?? 0;
    const place = bucketOf(x[index] ?? 0);
    if (place !== bucket) {
      if (index > from) close(index - 1);
      bucket = place;
      first = index;
      least = index;
      most = index;
    } else if (value < (y[least] ?? 0)) least = index;
    else if (value > (y[most] ?? 0)) most = index;
  }
  if (to > from) close(to - 1);
  return kept;
}
