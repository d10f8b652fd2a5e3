/** Lets the built page open without a network after the first visit. */
export function keepForOffline(): void {
  // In development every file is fresh. Without https there are no service workers.
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return;
  addEventListener('load', () => {
    navigator.serviceWorker.register('./sw.js').catch(() => {
      // A browser may forbid it, as in private windows; the page then needs the network, as before.
    });
  });
}
