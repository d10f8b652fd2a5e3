/** The least time between two entries, in milliseconds: no eye sees more. */
const LEAST_REST_MS = 40;

/**
 * Enters what arrives in lists. A small run finishes an iteration in a few milliseconds, and the page takes
 * longer to show it: entered one by one, they would pile up, and the page would no longer answer. The
 * first is entered at once; while the page is busy with it, and as long again, what arrives is gathered.
 *
 * @returns takes one thing
 */
export function gather<Thing>(enter: (things: readonly Thing[]) => void): (thing: Thing) => void {
  const arrived: Thing[] = [];
  let resting = false;
  const next = () => {
    if (arrived.length === 0) {
      resting = false;
      return;
    }
    resting = true;
    const since = performance.now();
    enter(arrived.splice(0));
    // What the page does about it is done when the next task begins.
    setTimeout(() => {
      setTimeout(next, Math.max(LEAST_REST_MS, performance.now() - since));
    });
  };
  return (thing) => {
    arrived.push(thing);
    if (!resting) next();
  };
}
