/**
 * What a host sends with the page and its workers so that the browser isolates them from other pages:
 * only then may WebAssembly share memory between threads. The service worker
 * (`src/offline/service-worker.ts`) adds the same on hosts that do not.
 */
export const isolationHeaders = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};
