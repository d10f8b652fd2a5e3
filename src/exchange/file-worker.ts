/** The worker that reads one untrusted file. The page loads it by URL. */
import { permission } from '../envs/written/permission.ts';
import { answerFileRequest, type FileRequest, transferred } from './file-reading.ts';

// The DOM and worker typings both apply here; in a worker `postMessage` takes one argument.
const scope = self as unknown as DedicatedWorkerGlobalScope;

scope.onmessage = async ({ data }: MessageEvent<FileRequest>) => {
  // Code in a file never runs unless it is the current run's code, which the user has allowed.
  const present = 'present' in data ? data.present : [];
  permission.anyMayRun = present.length > 0;
  permission.mayRun = (code) => present.some(({ options }) => options.code === code);
  const answer = await answerFileRequest(data);
  scope.postMessage(answer, transferred(answer));
};
