/** Minimum time between two batches. */
const MIN_PAUSE_MS = 40;

/**
 * Batches messages. A small run finishes an iteration in a few milliseconds, faster than the page can
 * render it, and single updates would block the page. The first message is handled at once; those that
 * arrive while the page renders, and for as long again, form the next batch.
 *
 * @returns adds one message
 */
export function batch<Item>(handle: (items: readonly Item[]) => void): (item: Item) => void {
  const arrived: Item[] = [];
  let pausing = false;
  const next = () => {
    if (arrived.length === 0) {
      pausing = false;
      return;
    }
    pausing = true;
    const since = performance.now();
    handle(arrived.splice(0));
    // The page has rendered the batch when the next task begins.
    setTimeout(() => {
      setTimeout(next, Math.max(MIN_PAUSE_MS, performance.now() - since));
    });
  };
  return (item) => {
    arrived.push(item);
    if (!pausing) next();
  };
}
