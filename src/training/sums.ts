/** Sum of a number over items; 0 for none. */
export function total<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((sum, item) => sum + of(item), 0);
}

/** Mean of a number over items; NaN for none. */
export function mean<T>(items: readonly T[], of: (item: T) => number): number {
  return total(items, of) / items.length;
}
