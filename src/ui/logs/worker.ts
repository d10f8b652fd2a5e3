/** A worker of its own for each request about logs, so that it can be ended. */

import type { LogMessage, LogRequest } from '../../exchange/logs/log-work.ts';

/**
 * Has a worker answer a request. It is ended when it has answered.
 *
 * @param onEnd it has answered, or failed
 */
export function askLogWorker(
  request: LogRequest,
  take: (message: LogMessage) => void,
  onEnd: () => void = () => {},
): Worker {
  const worker = new Worker(new URL('../../exchange/logs/log-worker.ts', import.meta.url), {
    type: 'module',
    name: 'palestra-logs',
  });
  const end = () => {
    worker.terminate();
    onEnd();
  };
  const fail = (message: string) => {
    take({ kind: 'failed', message });
    end();
  };
  worker.onmessage = ({ data }: MessageEvent<LogMessage>) => {
    take(data);
    if (data.kind === 'done' || data.kind === 'refused' || data.kind === 'failed') end();
  };
  worker.onerror = (event) => {
    event.preventDefault();
    // Its script did not load, or it ran out of memory.
    fail(event.message || 'The log could not be read. Reload the page and try again.');
  };
  worker.onmessageerror = () => fail('What was read of the log did not come through.');
  worker.postMessage(request);
  return worker;
}
