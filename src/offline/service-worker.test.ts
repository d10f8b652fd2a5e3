import { expect, it, vi } from 'vitest';

const scope = 'https://example.org/lab/';
const listeners = new Map<string, (event: unknown) => void>();

it('isolates the scripts of a newer release, and passes other requests', async () => {
  vi.stubGlobal('self', {
    registration: { scope },
    addEventListener: (type: string, listener: (event: unknown) => void) =>
      listeners.set(type, listener),
  });
  vi.stubGlobal('FILES', ['index.html', 'assets/worker-old.js']);
  vi.stubGlobal('LARGE_FILES', []);
  vi.stubGlobal('VERSION', 'old');
  vi.stubGlobal('ISOLATION', { 'Cross-Origin-Embedder-Policy': 'require-corp' });
  vi.stubGlobal('fetch', async () => new Response('postMessage(1)'));
  await import('./service-worker.ts');

  const answer = (url: string): Promise<Response> | undefined => {
    const respondWith = vi.fn<(response: Promise<Response>) => void>();
    listeners.get('fetch')?.({ request: new Request(url), respondWith });
    return respondWith.mock.calls[0]?.[0];
  };
  const response = await answer(`${scope}assets/worker-new.js`);
  expect(response?.headers.get('Cross-Origin-Embedder-Policy')).toBe('require-corp');
  expect(await response?.text()).toBe('postMessage(1)');
  expect(answer(`${scope}other/assets/worker-new.js`)).toBeUndefined();
  expect(answer('https://example.org/assets/worker-new.js')).toBeUndefined();
});
