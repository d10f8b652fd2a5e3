/**
 * Caches the built page, so that it opens and trains offline. `scripts/offline.mjs` writes the
 * constants at build time.
 *
 * An open page never mixes versions: a new version waits until no page of the old one is open, and
 * each version has its own cache. The page itself comes from the network if available, so that a
 * reload shows the newest version. Responses served here are cross-origin isolated, so training may
 * use several threads from the second visit on; the first visit starts without this worker. It only
 * touches the folder of the page: another deployment may be next to or below it.
 */

/** Files needed for training, and large files that are cached only once they have been used. */
declare const FILES: readonly string[];
declare const LARGE_FILES: readonly string[];
declare const VERSION: string;
/** Cross-origin isolation headers, which a static host may not send. */
declare const ISOLATION: Readonly<Record<string, string>>;

// Both the DOM and the WebWorker type libraries apply here, so `self` needs a cast.
const scope = self as unknown as ServiceWorkerGlobalScope;

/** The page's folder; two deployments share no cache. */
const place = scope.registration.scope;
const PREFIX = `palestra ${new URL(place).pathname} `;
const store = PREFIX + VERSION;
const page = addressOf('index.html');
const known = new Set([...FILES, ...LARGE_FILES].map(addressOf));

function addressOf(file: string): string {
  return new URL(file, place).href;
}

scope.addEventListener('install', (event) => {
  event.waitUntil(
    // `reload` bypasses the HTTP cache, which may contain another version.
    caches
      .open(store)
      .then((cache) => cache.addAll(FILES.map((file) => new Request(file, { cache: 'reload' })))),
  );
});

scope.addEventListener('activate', (event) => {
  event.waitUntil(
    dropOldVersions().then(() => {
      // The page of the first visit started without this worker; claiming it serves its further
      // requests from here. Do not await the claim: Firefox resolves it only when every worker of
      // the page has answered, which compute threads never do, and blocks all requests until then.
      void scope.clients.claim();
    }),
  );
});

async function dropOldVersions(): Promise<void> {
  for (const name of await caches.keys()) {
    if (name === store) continue;
    if (name.startsWith(PREFIX) || (await isUnplaced(name))) await caches.delete(name);
  }
}

/** Whether a cache belongs to an older version of this page, whose cache names lacked the path. */
async function isUnplaced(name: string): Promise<boolean> {
  if (!/^palestra-[0-9a-f]{16}$/.test(name)) return false;
  return (await (await caches.open(name)).match(page)) !== undefined;
}

scope.addEventListener('fetch', (event) => {
  const { request } = event;
  if (request.method !== 'GET') return;
  if (request.mode === 'navigate') {
    const { origin, pathname } = new URL(request.url);
    if (origin + pathname === place || origin + pathname === page) {
      event.respondWith(openPage(request));
    }
  } else if (known.has(request.url)) event.respondWith(keptFile(request));
  // After a release, the new page runs under this worker: browsers block the scripts of its workers
  // without the isolation headers.
  else if (request.url.startsWith(`${place}assets/`))
    event.respondWith(fetch(request).then(isolated));
});

/** The page from the network, or from the cache when offline. */
async function openPage(request: Request): Promise<Response> {
  try {
    return isolated(await fetch(request));
  } catch (error) {
    const kept = await (await caches.open(store)).match(page);
    if (kept === undefined) throw error;
    return isolated(kept);
  }
}

/** A file that never changes within a version: from the cache, else once from the network. */
async function keptFile(request: Request): Promise<Response> {
  const cache = await caches.open(store);
  const kept = await cache.match(request.url);
  if (kept !== undefined) return isolated(kept);
  const response = await fetch(request);
  // Without space for it, the file is still served.
  if (response.status === 200) await cache.put(request.url, response.clone()).catch(() => {});
  return isolated(response);
}

/** The same response with the cross-origin isolation headers. */
function isolated(response: Response): Response {
  // The browser must follow redirects; they cannot be reconstructed.
  if (response.type === 'opaqueredirect' || response.status === 0) return response;
  const { body, status, statusText } = response;
  const headers = new Headers(response.headers);
  for (const [name, value] of Object.entries(ISOLATION)) headers.set(name, value);
  return new Response(body, { status, statusText, headers });
}
