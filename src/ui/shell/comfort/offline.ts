/** Registers the service worker, so that the built page opens offline after the first visit. */
export function keepForOffline(): void {
  // Not in development. Service workers require https.
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return;
  addEventListener('load', () => {
    navigator.serviceWorker.register('./sw.js').catch(() => {
      // Private windows may forbid service workers; the page then needs the network.
    });
  });
}
