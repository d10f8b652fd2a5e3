/** Checks a server in a new worker, which is then terminated along with its connections. */

import type { ServerCheck } from '../../../agents/check-server.ts';
import type { CheckRequest } from './worker.ts';

/** @param signal cancels the check; the result is then null */
export async function check(
  request: CheckRequest,
  signal: AbortSignal,
): Promise<ServerCheck | null> {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), {
    type: 'module',
    name: 'palestra-connect',
  });
  const answer = new Promise<ServerCheck | null>((resolve) => {
    worker.onmessage = ({ data }: MessageEvent<ServerCheck>) => resolve(data);
    worker.onerror = (event) => {
      event.preventDefault();
      resolve({ kind: 'failed', problem: event.message || 'The check could not be loaded.' });
    };
    signal.addEventListener('abort', () => resolve(null), { once: true });
  });
  worker.postMessage(request);
  return answer.finally(() => worker.terminate());
}

/** Why the page cannot connect to an address; null if it can be tried. */
export function addressProblem(address: string, page: Pick<Location, 'protocol'>): string | null {
  let url: URL;
  try {
    url = new URL(address);
  } catch {
    return 'Enter the full address, such as wss://example.org/openenv/maze.';
  }
  if (url.protocol !== 'ws:' && url.protocol !== 'wss:') {
    return 'The address must begin with wss://, or with ws:// for this machine.';
  }
  const isLocal = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(url.hostname);
  if (page.protocol === 'https:' && url.protocol === 'ws:' && !isLocal) {
    return 'This page was loaded over https, so it connects only to wss:// addresses and to this machine.';
  }
  return null;
}
