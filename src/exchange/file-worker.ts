/** The worker that reads one file from outside. The page reaches it by its address. */
import { answerFileRequest, type FileRequest, transferred } from './file-reading.ts';

// The types of the page and of a worker both apply here; in a worker `postMessage` takes one value.
const scope = self as unknown as DedicatedWorkerGlobalScope;

scope.onmessage = async ({ data }: MessageEvent<FileRequest>) => {
  const answer = await answerFileRequest(data);
  scope.postMessage(answer, transferred(answer));
};
