/** Lets events that wait be handled first. Submissions that wait at the same time go on together. */
export const nextTask: () => Promise<void> =
  typeof setImmediate === 'function'
    ? () => new Promise((resolve) => setImmediate(resolve))
    : (() => {
        // A message channel, unlike a timer, is not slowed down when the page is hidden.
        const { port1, port2 } = new MessageChannel();
        let waiting: (() => void)[] = [];
        port1.onmessage = () => {
          const ready = waiting;
          waiting = [];
          for (const resume of ready) resume();
        };
        return () =>
          new Promise<void>((resolve) => {
            waiting.push(resolve);
            port2.postMessage(null);
          });
      })();
