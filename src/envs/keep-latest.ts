/** Caches the latest result of a function, because a view queries the same environment repeatedly. */
export function keepLatest<Args extends readonly unknown[], Result>(
  make: (...args: Args) => Result,
): (...args: Args) => Result {
  let latest: { readonly key: string; readonly result: Result } | undefined;
  return (...args) => {
    const key = JSON.stringify(args);
    if (latest?.key !== key) latest = { key, result: make(...args) };
    return latest.result;
  };
}
