/** The worker that checks a server. The page's own policy allows connections to its own host only. */

import { checkServer, type ServerCheck } from '../../../agents/check-server.ts';
import { sockets } from '../../../envs/remote/sockets.ts';

export interface CheckRequest {
  readonly url: string;
  readonly words: string;
}

// Page and worker types both apply here; a worker's `postMessage` takes one argument.
const scope = self as unknown as DedicatedWorkerGlobalScope;

sockets.open = (url) => new WebSocket(url);

scope.onmessage = async ({ data: { url, words } }: MessageEvent<CheckRequest>) => {
  const answer: ServerCheck = await checkServer(url, words);
  scope.postMessage(answer);
};
