/**
 * Response headers of the page and its workers that isolate them from other pages, which
 * WebAssembly needs to share memory between threads. The service worker
 * (`src/offline/service-worker.ts`) adds them on hosts that do not send them.
 */
export const isolationHeaders = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};
