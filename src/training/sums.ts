/** Sum of `of(item)` over the items; 0 if there are none. */
export function total<T>(items: readonly T[], of: (item: T) => number): number {
  let sum = 0;
  for (const item of items) sum += of(item);
  return sum;
}

/** Mean of a number over items; NaN for none. */
export function mean<T>(items: readonly T[], of: (item: T) => number): number {
  return total(items, of) / items.length;
}
