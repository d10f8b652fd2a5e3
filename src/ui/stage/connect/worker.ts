/** The worker that checks a server: the policy of the page itself allows connections to its own host only. */

import { checkServer, type ServerCheck } from '../../../agents/check-server.ts';
import { sockets } from '../../../envs/remote/sockets.ts';

export interface CheckRequest {
  readonly url: string;
  readonly words: string;
}

// The types of both a page and a worker apply here; in a worker `postMessage` takes one value.
const scope = self as unknown as DedicatedWorkerGlobalScope;

sockets.open = (url) => new WebSocket(url);

scope.onmessage = async ({ data: { url, words } }: MessageEvent<CheckRequest>) => {
  const answer: ServerCheck = await checkServer(url, words);
  scope.postMessage(answer);
};
