/** The worker that reads and writes logs. The page loads it by URL. */
import { answerLogRequest, type LogRequest, transferredOf } from './log-work.ts';

// The DOM and worker typings both apply here; in a worker `postMessage` takes one argument.
const scope = self as unknown as DedicatedWorkerGlobalScope;

scope.onmessage = ({ data }: MessageEvent<LogRequest>) => {
  void answerLogRequest(data, (message) => scope.postMessage(message, transferredOf(message)));
};
