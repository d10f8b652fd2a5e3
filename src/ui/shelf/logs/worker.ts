/** One worker per request about logs, so that it can be cancelled. */

import type { LogMessage, LogRequest } from '../../../exchange/logs/log-work.ts';

/**
 * Sends a request to a new worker, which ends after its answer.
 *
 * @param onEnd called after the answer or a failure
 */
export function askLogWorker(
  request: LogRequest,
  take: (message: LogMessage) => void,
  onEnd: () => void = () => {},
): Worker {
  const worker = new Worker(new URL('../../../exchange/logs/log-worker.ts', import.meta.url), {
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
    // The script did not load, or the worker ran out of memory.
    fail(event.message || 'The log could not be read. Reload the page and try again.');
  };
  worker.onmessageerror = () => fail('The result of reading the log could not be transferred.');
  worker.postMessage(request);
  return worker;
}
