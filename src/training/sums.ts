/** Sum of a number over items; 0 for none. */
export function total<T>(items: readonly T[], of: (item: T) => number): number {
  let sum = 0;
  for (const item of items) sum += of(item);
  return sum;
}

/** Mean of a number over items; NaN for none. */
export function mean<T>(items: readonly T[], of: (item: T) => number): number {
  return total(items, of) / items.length;
}
