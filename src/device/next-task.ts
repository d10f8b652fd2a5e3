/** Milliseconds after which one task is scheduled by a timer instead of the message channel. */
const REST_AFTER_MS = 100;

/**
 * Resolves after pending events have been handled. Concurrent callers share one task.
 */
export const nextTask: () => Promise<void> =
  typeof setImmediate === 'function'
    ? () => new Promise((resolve) => setImmediate(resolve))
    : inBrowsers();

function inBrowsers(): () => Promise<void> {
  const { port1, port2 } = new MessageChannel();
  let waiting: (() => void)[] = [];
  const go = () => {
    const ready = waiting;
    waiting = [];
    for (const resume of ready) resume();
  };
  port1.onmessage = go;
  let rested = performance.now();
  return () =>
    new Promise<void>((resolve) => {
      waiting.push(resolve);
      if (waiting.length > 1) return;
      // A message channel is fast, but its messages take precedence over storage events: a thread
      // that always has one pending never receives them. A timer leaves the thread idle briefly.
      if (performance.now() - rested < REST_AFTER_MS) {
        port2.postMessage(null);
        return;
      }
      setTimeout(() => {
        rested = performance.now();
        go();
      });
    });
}
